/** The registry over every covenant product. */
import type { ExecutionContext } from 'ava';
import { openProbes } from '../../../src/adapters/probes/probes.js';
import { keptTokens } from '../../../src/record/assets.js';
import type { KeptRecord } from '../../../src/record/kept-record.js';
import { operationsOf } from '../../../src/operation/define.js';
import type { Deployable } from '../../../src/record/deployable.js';
import { keptNotes } from '../../../src/record/events.js';
import { registryOf } from '../../../src/products/deployments/index.js';
import { deployable as budgets } from '../../../src/products/budgets/index.js';
import { keptRecords as ofVotes, deployable as governance } from '../../../src/products/governance/index.js';
import { deployable as payments } from '../../../src/products/payments/index.js';
import { deployable as rewards } from '../../../src/products/rewards/index.js';
import type { ChainWorld } from '../../chain-world.js';
import { keptRecords as ofStreams, deployable as streams } from '../../../src/products/streams/index.js';
import { keptRecords as ofVaults, deployable as vaults } from '../../../src/products/vaults/index.js';
import { openTreasury, type Treasury } from '../../treasury.js';
import type { App } from '../../../src/app.js';

export const deployables: readonly Deployable[] = [vaults, rewards, streams, payments, budgets, governance];

export const keptRecords: readonly KeptRecord[] = [
  keptTokens,
  ...ofVaults,
  ...ofStreams,
  ...ofVotes,
  keptNotes,
];

const ownOperations = operationsOf(registryOf({ deployables, keptRecords }).operations);

const probes = openProbes({
  pages: { frontend: null, docs: null, explorer: 'https://explorer.example' },
  indexerUrl: null,
  limits: { page: 1_000, indexer: 1_000, chain: 1_000, database: 1_000 },
});

/** A treasury whose registry knows every product. */
export const openRegistered = async (t: ExecutionContext, world?: ChainWorld): Promise<Treasury> => {
  const treasury = await openTreasury(t, world);
  const app = treasury.app as { -readonly [Key in keyof App]: App[Key] };
  app.context = Object.assign(app.context, { probes });
  app.operations = [...app.operations.filter(({ id }) => !id.startsWith('deployments.')), ...ownOperations];
  return treasury;
};
