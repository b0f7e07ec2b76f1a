/**
 * The one list of products, in README order: a product adds itself here, and its codes to the table of errors. It is
 * light: naming a product loads none of it.
 */
import type { ContractWords } from '../covenant/contract-words.js';
import type { KeptRecord } from '../record/kept-record.js';
import type { Noun } from '../operation/define.js';
import type { Deployable } from '../record/deployable.js';
import type { MattersOf } from '../record/matter.js';
import type { RunwaysOf } from '../record/runway.js';
import type { Timetable } from '../record/timetable.js';

/** The products whose money is in covenants, in README order. */
const covenantProducts = [
  {
    noun: 'vaults',
    summary: 'Vaults: common funds that any two of three signers can spend',
    load: () => import('./vaults/index.js'),
  },
  {
    noun: 'rewards',
    summary: 'Reward campaigns: pay many people out of one pool',
    load: () => import('./rewards/index.js'),
  },
  {
    noun: 'streams',
    summary: 'Streams: money that vests over time, alone or in batches',
    load: () => import('./streams/index.js'),
  },
  {
    noun: 'payments',
    summary: 'Recurring payments: the same amount to one recipient, every interval',
    load: () => import('./payments/index.js'),
  },
  {
    noun: 'budgets',
    summary: 'Budget plans: pay one person milestone by milestone',
    load: () => import('./budgets/index.js'),
  },
  {
    noun: 'governance',
    summary: 'Governance: votes that lock tokens, and can be counted again from the chain',
    load: () => import('./governance/index.js'),
  },
] as const satisfies readonly Noun[];

type CovenantProduct = Awaited<ReturnType<(typeof covenantProducts)[number]['load']>>;

/** The contracts in words, for whoever checks a transaction. The light part of every covenant product. */
export const loadContractWords = async (): Promise<readonly ContractWords[]> =>
  (
    await Promise.all([
      import('./vaults/words.js'),
      import('./rewards/words.js'),
      import('./streams/words.js'),
      import('./payments/words.js'),
      import('./budgets/words.js'),
      import('./governance/words.js'),
    ])
  ).map(({ words }) => words);

/** What a file of deployments keeps beside the records of covenants. */
export const loadKeptRecords = async (): Promise<readonly KeptRecord[]> => {
  const [{ keptNotes }, { keptTokens }, ...loaded] = await Promise.all([
    import('../record/events.js'),
    import('../record/assets.js'),
    ...covenantProducts.map(({ load }): Promise<CovenantProduct> => load()),
  ]);
  const ofProducts = loaded.flatMap((product) => ('keptRecords' in product ? product.keptRecords : []));
  return [keptTokens, ...ofProducts, keptNotes];
};

/** What the registry, the ledger, the monitor and the rebuild receive of every covenant product. */
export const loadDeployables = async (): Promise<readonly Deployable[]> =>
  (await Promise.all(covenantProducts.map(({ load }) => load()))).map(({ deployable }) => deployable);

/** What each product asks of whoever has a home. */
export const loadMatters = async (): Promise<readonly MattersOf[]> =>
  (
    await Promise.all([
      import('./vaults/matters.js'),
      import('./rewards/matters.js'),
      import('./streams/matters.js'),
      import('./payments/matters.js'),
      import('./budgets/matters.js'),
      import('./governance/matters.js'),
    ])
  ).map(({ matters }) => matters);

/** What runs dry unless its sender refills it. */
export const loadRunways = async (): Promise<readonly RunwaysOf[]> =>
  (await Promise.all([import('./streams/runways.js'), import('./payments/runways.js')])).map(
    ({ runways }) => runways,
  );

/** What time brings to the records of each product, for the daemon. */
export const loadTimetables = async (): Promise<readonly Timetable[]> =>
  (
    await Promise.all([
      import('./streams/timetable.js'),
      import('./payments/timetable.js'),
      import('./budgets/timetable.js'),
      import('./governance/timetable.js'),
    ])
  ).map(({ timetable }) => timetable);

/** The report of the service's health, for the daemon. */
export const loadHealth = async () => (await import('./status/snapshot.js')).takeSnapshot;

export const products: readonly Noun[] = [
  ...covenantProducts,
  {
    noun: 'deployments',
    summary: 'Deployments: what is deployed, and whether it is what it claims to be',
    load: async () => {
      const [{ registryOf }, deployables, keptRecords] = await Promise.all([
        import('./deployments/index.js'),
        loadDeployables(),
        loadKeptRecords(),
      ]);
      return registryOf({ deployables, keptRecords });
    },
  },
  {
    noun: 'price',
    summary: 'The latest price of BCH in USD, and the signature that proves it',
    load: () => import('./price/index.js'),
  },
  {
    noun: 'status',
    summary: 'The health of the service, component by component',
    load: () => import('./status/index.js'),
  },
];
