/** The one list of products, in README order. It is light: naming a product loads none of it. */
import type { Noun } from '../operation/define.js';

export const products: readonly Noun[] = [
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
];
