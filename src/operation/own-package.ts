/** The package of this program. */
import { readFileSync } from 'node:fs';

/** Its version, and the versions of Node that it runs on. The path holds from `src/operation` and from `dist/chunks`. */
export const ownPackage = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { readonly version: string; readonly engines: { readonly node: string } };
