/**
 * The page's own addresses, below the address of the daemon: the daemon serves them, the page routes by them, and the command line
 * links to them.
 */

/** Where the page begins. */
export const PAGE_ROOT = '/app/';

/** Every address of the page, in the order of its navigation. */
export const PAGE_PATHS = {
  home: '/app/',
  stream: '/app/streams/:id',
  payment: '/app/payments/:id',
  budget: '/app/budgets/:id',
  campaign: '/app/rewards/:id',
  vault: '/app/vaults/:id',
  spend: '/app/vaults/:id/spends/:spendId',
  vote: '/app/votes/:id',
  audit: '/app/audit',
  auditOf: '/app/audit/:address',
  overview: '/app/overview',
} as const;
export type PageName = keyof typeof PAGE_PATHS;

/**
 * The address of a page with its parameters filled in.
 *
 * @example pagePath('stream', { id: 'STREAM-0001' }) // '/app/streams/STREAM-0001'
 */
export const pagePath = (page: PageName, parameters: Readonly<Record<string, string>> = {}): string =>
  PAGE_PATHS[page].replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ''));
