/** From an address to a page and back, over the browser's history. */
import { useEffect, useState } from 'preact/hooks';
import { PAGE_PATHS, PAGE_ROOT, type PageName } from '../page-paths.js';
import { matchPath, type Found } from './match-path.js';

export { matchPath, type Found } from './match-path.js';

const MOVED = 'treasury:moved';

/** The page that the browser's address names; null: none. */
const current = (): Found | null => matchPath(location.pathname, PAGE_PATHS);

/** Goes to another address of the page. */
export const navigate = (path: string): void => {
  if (path !== location.pathname) history.pushState(null, '', path);
  dispatchEvent(new Event(MOVED));
};

/** True for a click that the page answers itself: no other tab, no other button, no other site. */
const isOwn = (event: MouseEvent, link: HTMLAnchorElement): boolean =>
  event.button === 0 &&
  !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) &&
  link.origin === location.origin &&
  link.pathname.startsWith(PAGE_ROOT) &&
  link.hash === '' &&
  link.target === '';

/** Follows links within the page without loading it anew. */
const followLink = (event: MouseEvent): void => {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link === null || event.defaultPrevented || !isOwn(event, link)) return;
  event.preventDefault();
  navigate(link.pathname);
};

/** Where the reader is; drawn anew when that changes. */
export const useRoute = (): { readonly found: Found | null; readonly path: string } => {
  const [path, setPath] = useState(location.pathname);
  useEffect(() => {
    const look = (): void => {
      setPath(location.pathname);
    };
    addEventListener('popstate', look);
    addEventListener(MOVED, look);
    document.addEventListener('click', followLink);
    return () => {
      removeEventListener('popstate', look);
      removeEventListener(MOVED, look);
      document.removeEventListener('click', followLink);
    };
  }, []);
  return { found: current(), path };
};

export type { PageName };
