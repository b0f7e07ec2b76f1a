/** The operator's own: what belongs to no product. It is light: naming a noun loads none of it. */
import type { Noun } from '../operation/define.js';

/** The whole steps that some nouns offer. */
const actionsOf = async (nouns: readonly Noun[]) =>
  (
    await Promise.all(
      nouns.map(async ({ noun, load }) =>
        (await load()).operations.flatMap((offer) => ('kind' in offer ? [{ ...offer, noun }] : [])),
      ),
    )
  ).flat();

/** The nouns of the home that have commands, in README order. */
export const homeNouns: readonly Noun[] = [
  {
    noun: 'init',
    summary: 'Set up this home: an authority key and, on the embedded chain, a first wallet',
    load: () => import('./init/index.js'),
  },
  {
    noun: 'doctor',
    summary: 'Look at this home and what it stands on, and say what is wrong and what to do',
    load: async () => {
      const [{ doctorOf }, { loadDeployables, products }, { collections }] = await Promise.all([
        import('./doctor/index.js'),
        import('../products/index.js'),
        import('../collections.js'),
      ]);
      const others = homeNouns.filter(({ noun }) => noun !== 'doctor');
      const [deployables, actions] = await Promise.all([
        loadDeployables(),
        actionsOf([...products, ...others]),
      ]);
      return doctorOf({ deployables, collections, actions });
    },
  },
  {
    noun: 'wallet',
    summary: 'Wallets of this home: keys, balances, payments',
    load: () => import('./wallets/index.js'),
    alone: {
      list: async () => (await import('./wallets/list.js')).list,
      show: async () => (await import('./wallets/show.js')).show,
      address: async () => (await import('./wallets/address.js')).address,
      use: async () => (await import('./wallets/use.js')).use,
    },
  },
  {
    noun: 'auth',
    summary: 'Access tokens: proof of an address for the HTTP API',
    load: () => import('./access/index.js'),
  },
  {
    noun: 'tokens',
    summary: 'CashTokens: mint one, and keep the registry of symbols and decimals',
    load: () => import('./tokens/index.js'),
    alone: { list: async () => (await import('./tokens/list.js')).list },
  },
  {
    noun: 'contacts',
    summary: 'Names for the addresses of other people: @name stands for the address',
    load: () => import('./contacts/index.js'),
  },
  {
    noun: 'tx',
    summary: 'Transactions in files: inspect, sign, combine and broadcast them',
    load: () => import('./transactions/index.js'),
  },
  {
    noun: 'chain',
    summary: 'The embedded chain: faucet, mining, time, reorganisations',
    load: () => import('./chain/index.js'),
  },
  {
    noun: 'export',
    summary: 'Exports for other programs: the ledger of every movement of money',
    load: async () => {
      const [{ exportsOf }, { loadDeployables }] = await Promise.all([
        import('./export/index.js'),
        import('../products/index.js'),
      ]);
      return exportsOf(await loadDeployables());
    },
  },
  {
    noun: 'sync',
    summary: 'Sync: read records anew from the chain, whatever this home says of them',
    load: async () => {
      const [{ syncOf }, { loadDeployables }] = await Promise.all([
        import('./sync/index.js'),
        import('../products/index.js'),
      ]);
      return syncOf(await loadDeployables());
    },
  },
];

/** What only the HTTP API has: its operations have no commands. */
export const service: Noun = {
  noun: 'service',
  summary: 'The service itself: its name and version, and whether it is well',
  load: () => import('./service/index.js'),
};
