/** The operator's own: what belongs to no product. It is light: naming a noun loads none of it. */
import type { Noun } from '../operation/define.js';

/** The covenant products: what serves every one of them receives this list, and imports none. */
const loadDeployables = async () => (await import('../products/index.js')).loadDeployables();

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
    noun: 'overview',
    summary: 'How things stand, and what is to be done: the same as `treasury` alone',
    load: async () => {
      const [{ defineOverview }, { defineMyOverview }, { loadMatters, loadRunways, products }] =
        await Promise.all([
          import('./overview.js'),
          import('./my-overview.js'),
          import('../products/index.js'),
        ]);
      const others = () => homeNouns.filter(({ noun }) => noun !== 'overview' && noun !== 'doctor');
      const actions = () => actionsOf([...products, ...others()]);
      const [matters, runways] = await Promise.all([loadMatters(), loadRunways()]);
      return { operations: [defineOverview(matters, { actions }), defineMyOverview({ matters, runways })] };
    },
  },
  {
    noun: 'init',
    summary: 'Set up this home: an authority key and, on the embedded chain, a first wallet',
    load: () => import('./init.js'),
  },
  {
    noun: 'doctor',
    summary: 'Look at this home and what it stands on, and say what is wrong and what to do',
    load: async () => {
      const [{ defineDoctor }, { products }, { collections }, deployables] = await Promise.all([
        import('./doctor/doctor.js'),
        import('../products/index.js'),
        import('../collections.js'),
        loadDeployables(),
      ]);
      const others = homeNouns.filter(({ noun }) => noun !== 'doctor' && noun !== 'overview');
      const actions = await actionsOf([...products, ...others]);
      return { operations: [defineDoctor({ deployables, collections, actions })] };
    },
  },
  {
    noun: 'wallet',
    summary: 'Wallets of this home: keys, balances, payments',
    load: () => import('./wallets/index.js'),
    alone: {
      list: async () => (await import('./wallets/wallet.js')).list,
      show: async () => (await import('./wallets/wallet.js')).show,
      address: async () => (await import('./wallets/wallet.js')).address,
      use: async () => (await import('./wallets/wallet.js')).use,
    },
  },
  {
    noun: 'auth',
    summary: 'Access tokens: proof of an address for the HTTP API',
    load: () => import('./access.js'),
  },
  {
    noun: 'keys',
    summary: 'Keys for scripts: what a script may do over HTTP, for how long and up to how much',
    load: async () => {
      const [{ defineKeys }, { products }] = await Promise.all([
        import('./keys/index.js'),
        import('../products/index.js'),
      ]);
      const others = homeNouns.filter(({ noun }) => !['keys', 'overview', 'doctor'].includes(noun));
      return defineKeys(async () =>
        (await Promise.all([...products, ...others, service].map(({ load }) => load()))).flatMap(
          ({ operations }) => operations,
        ),
      );
    },
  },
  {
    noun: 'tokens',
    summary: 'CashTokens: mint one, and keep the registry of symbols and decimals',
    load: () => import('./tokens/index.js'),
    alone: { list: async () => (await import('./tokens/token.js')).list },
  },
  {
    noun: 'contacts',
    summary: 'Names for the addresses of other people: @name stands for the address',
    load: () => import('./contacts.js'),
  },
  {
    noun: 'webhooks',
    summary: 'Webhooks: addresses that are told of what happens, signed and as often as it takes',
    load: async () => {
      const [{ defineWebhooks }, deployables] = await Promise.all([
        import('./webhooks/index.js'),
        loadDeployables(),
      ]);
      return { operations: defineWebhooks(deployables.map(({ told }) => told)) };
    },
  },
  {
    noun: 'tx',
    summary: 'Transactions in files: inspect, sign, combine and broadcast them',
    load: () => import('./transactions/index.js'),
  },
  {
    noun: 'events',
    summary: 'Events: what has happened, page by page, as it comes, or sent on to a program',
    load: async () => {
      const [{ defineEvents }, deployables] = await Promise.all([
        import('./events/index.js'),
        loadDeployables(),
      ]);
      return { operations: defineEvents(deployables.map(({ told }) => told)) };
    },
  },
  {
    noun: 'chain',
    summary: 'The embedded chain: faucet, mining, time, reorganisations',
    load: () => import('./chain.js'),
  },
  {
    noun: 'export',
    summary: 'Exports for other programs: the ledger of every movement of money',
    load: async () => {
      const { defineLedger } = await import('./export/ledger.js');
      return { operations: [defineLedger(await loadDeployables())] };
    },
  },
  {
    noun: 'sync',
    summary: 'Sync: read records anew from the chain, whatever this home says of them',
    load: async () => {
      const { defineSync } = await import('./sync.js');
      return { operations: [defineSync(await loadDeployables())] };
    },
  },
];

/** What only the HTTP API has: its operations have no commands. */
export const service: Noun = {
  noun: 'service',
  summary: 'The service itself: its name and version, and whether it is well',
  load: () => import('./health.js'),
};
