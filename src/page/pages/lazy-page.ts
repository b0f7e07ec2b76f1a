/** A page in a file of its own, which is loaded when somebody comes to it. */
import { useEffect, useState } from 'preact/hooks';
import { failureOf, type PageFailure } from '../failure.js';
import { html } from '../html.js';
import { HEADING } from '../ui/heading.js';
import { Failed, Loading } from '../ui/states.js';
import type { Page } from './page.js';

/** True until the first page of this tab is drawn: reading begins at its top by itself. */
let isFirst = true;

const loadAnew = (): void => {
  location.reload();
};

/** @param load imports it. Where it is there no more, the daemon has another version by now: the document is loaded anew */
export const lazyPage = (load: () => Promise<Page>): Page => {
  let loaded: Page | null = null;
  return ({ parameters }) => {
    const [failure, setFailure] = useState<PageFailure | null>(null);
    const [isHere, setHere] = useState(loaded !== null);
    useEffect(() => {
      if (isHere) {
        // Reading goes on at its heading, which was not there yet when its address was gone to.
        if (!isFirst && document.activeElement === document.body)
          document.getElementById(HEADING)?.focus({ preventScroll: true });
        isFirst = false;
        return;
      }
      load().then(
        (page) => {
          loaded = page;
          setHere(true);
        },
        (error: unknown) => {
          setFailure(failureOf(error));
        },
      );
    }, [isHere]);
    if (failure !== null) return html`<${Failed} failure=${failure} again=${loadAnew} />`;
    return loaded === null ? html`<${Loading} />` : html`<${loaded} parameters=${parameters} />`;
  };
};
