/** Which page an address names: pure, without a browser. */
import type { PageName } from '../page-paths.js';

/** A page and what its address says beside it: `{ page: 'stream', parameters: { id: 'STREAM-0001' } }`. */
export type Found = { readonly page: PageName; readonly parameters: Readonly<Record<string, string>> };

const segmentsOf = (path: string): readonly string[] => path.split('/').filter((one) => one !== '');

const decoded = (text: string): string | null => {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
};

/** The parameters of a path that is written as `pattern` is; null: it is another one. */
const parametersOf = (path: string, pattern: string): Found['parameters'] | null => {
  const [said, asked] = [segmentsOf(path), segmentsOf(pattern)];
  if (said.length !== asked.length) return null;
  const parameters: Record<string, string> = {};
  for (const [index, name] of asked.entries()) {
    const value = decoded(said[index] ?? '');
    if (value === null) return null;
    if (name.startsWith(':')) parameters[name.slice(1)] = value;
    else if (name !== value) return null;
  }
  return parameters;
};

/**
 * The page of an address; null: there is none. A slash at its end says nothing.
 *
 * @example matchPath('/app/streams/STREAM-0001', PAGE_PATHS) // { page: 'stream', parameters: { id: 'STREAM-0001' } }
 */
export const matchPath = (path: string, paths: Readonly<Record<PageName, string>>): Found | null => {
  for (const [page, pattern] of Object.entries(paths)) {
    const parameters = parametersOf(path, pattern);
    if (parameters !== null) return { page: page as PageName, parameters };
  }
  return null;
};
