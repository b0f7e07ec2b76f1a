/** What a page is. */
import type { Drawn } from '../html.js';

/** What an address says beside the page's name, decoded. */
export type Parameters = Readonly<Record<string, string>>;

/** A page, drawn for its address. */
export type Page = (asked: { readonly parameters: Parameters }) => Drawn;

/** A path of the API with its parameters filled in: `apiPath('/api/streams/:id', { id })`. */
export const apiPath = (pattern: string, parameters: Parameters): string =>
  pattern.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''));
