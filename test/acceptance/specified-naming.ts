/** How a wallet that knows only the specification names its caller: by what its tables and its section Authentication say. */

/** What a route is sent: a token, the address header, or nothing. */
export type NamedBy = 'token' | 'address' | 'nothing';

const TABLE: readonly (readonly [pattern: RegExp, by: NamedBy])[] = [
  // Authentication 1: creation, distribution and the control surface of rewards
  [/^POST \/api\/rewards\/create$/, 'token'],
  [/^POST \/api\/rewards\/[^/]+\/(?:confirm-)?(?:distribute|pause|cancel)$/, 'token'],
  [/^POST \/api\/rewards\/[^/]+\/confirm-funding$/, 'token'],
  [/^DELETE \/api\/rewards\/[^/]+$/, 'token'],
  // Authentication 2: budget plans, streams, governance; all vault routes but those of plans and proposals that list none
  [/^(?:GET|POST) \/api\/vaults\/[^/]+\/(?:governance|budget-plans)$/, 'nothing'],
  [/^(?:GET|POST) \/api\/vaults(?:\/.*)?$/, 'address'],
  [/^GET \/api\/budget-plans\/[^/]+\/funding-info$/, 'address'],
  [/^POST \/api\/budget-plans\/[^/]+\/(?:pause|resume|cancel)$/, 'address'],
  [/^POST \/api\/streams\/create$/, 'address'],
  [/^POST \/api\/streams\/[^/]+\/(?:claim|pause|confirm-pause|resume|confirm-resume)$/, 'address'],
  [/^POST \/api\/governance\/[^/]+\/vote$/, 'address'],
  // Authentication 3: what is for one role; payments, whose paths are not shown
  [/^POST \/api\/budget-plans\/[^/]+\/release$/, 'address'],
  [/^POST \/api\/streams\/[^/]+\/cancel$/, 'address'],
  [/^POST \/api\/payments\/(?:create|[^/]+\/(?:claim|pause|resume|cancel|refill))$/, 'address'],
];

/** Creations in a vault list the header though reads of the same path list none. */
const CREATIONS = /^POST \/api\/vaults\/[^/]+\/(?:governance|budget-plans)$/;

/** What the specification says a request is sent with. */
export const specifiedNaming = (method: string, path: string): NamedBy => {
  const [bare = ''] = path.split('?', 1);
  const request = `${method} ${bare}`;
  if (CREATIONS.test(request)) return 'address';
  return TABLE.find(([pattern]) => pattern.test(request))?.[1] ?? 'nothing';
};
