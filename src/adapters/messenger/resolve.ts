/** The IP addresses of a name that a message is to go to. */
import { lookup, Resolver } from 'node:dns/promises';

/** The IP addresses of a name. @throws Error when it has none */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** As this machine resolves names, those of its own files among them. */
export const resolveName: Resolve = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);

/** Milliseconds that a server of names has for its first answer, and how often it is asked. */
const PATIENCE = { timeout: 2_000, tries: 2 };

/** @throws Error of the one that says most: nobody could be asked, or the name has no address */
const failureOf = (results: readonly PromiseSettledResult<unknown>[]): Error => {
  const errors = results.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
  const { code } = (errors[0] ?? {}) as NodeJS.ErrnoException;
  const isNone = code === 'ENOTFOUND' || code === 'ENODATA';
  return Object.assign(new Error(errors[0]?.message ?? 'it has no address'), {
    code: isNone ? 'ENOTFOUND' : code === 'ECONNREFUSED' ? 'ECONNREFUSED' : 'EAI_AGAIN',
  });
};

/**
 * Asks servers of names itself. Whoever names an address for messages also says how long its servers of names take: what
 * this machine resolves goes over two threads, and a few names that are never answered would hold up everybody's.
 *
 * @param servers addresses with ports; default those of this machine
 */
export const resolveByServers =
  (servers?: readonly string[]): Resolve =>
  async (host) => {
    const resolver = new Resolver(PATIENCE);
    if (servers !== undefined) resolver.setServers(servers);
    const results = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const found = results.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    if (found.length > 0) return found;
    throw failureOf(results);
  };

/** The address of a stranger: where this machine has no server of names that can be asked, as it resolves names itself. */
export const resolveStranger: Resolve = async (host) => {
  try {
    return await resolveByServers()(host);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') throw error;
    return resolveName(host);
  }
};
