/** The registry: every deployed contract that this service keeps a record of. */
import { z } from 'zod';
import { networkNames, publicNetworkName, type Network } from '../../../bch/network.js';
import { column } from '../../../operation/columns.js';
import { defineOperation, type View } from '../../../operation/define.js';
import { figuresOf, PageFields, PageReply } from '../../../operation/paging.js';
import { orStale, StaleReply } from '../../../operation/stale.js';
import { sightOf } from '../../vaults/index.js';
import { allDeployments, countBy, deriveAddress, isVisible, type Registered } from '../deployments.js';
import { EntryReply, showEntry } from '../entry.js';

const Summary = z.object({
  total: z.number(),
  byType: z.record(z.string(), z.number()),
  verified: z.number().describe('Their address is the one that artifact and parameters give'),
  mismatched: z.number().describe('It is another'),
  unfunded: z.number(),
});

const input = z.object({
  network: z.enum(networkNames).optional().describe('Another network than this one has no entries here'),
  verify: z.boolean().default(false).describe('Look at the chain for each entry too'),
  ...PageFields,
});

const output = z.object({
  network: z.enum(networkNames),
  generatedAt: z.number().describe('Unix seconds'),
  summary: Summary,
  entries: z.array(EntryReply),
  ...PageReply,
  ...StaleReply,
});

/** How `deployments list` reads. */
const viewRegistry = ({ entries, summary }: z.output<typeof output>): View => [
  {
    kind: 'table',
    head: [
      column.text('Contract', 2),
      column.key('Label'),
      column.state('Status'),
      column.text('Address'),
      column.state('Artifact', 2),
      column.text('On chain', 2),
    ],
    rows: entries.map(({ contractType, label, status, contractAddress, artifactMatch, onChain }) => [
      contractType,
      label,
      status,
      contractAddress,
      artifactMatch,
      onChain === undefined ? '' : `${onChain.balanceSatoshis} satoshis, coins: ${onChain.utxoCount}`,
    ]),
    empty: 'Nothing is deployed yet.',
  },
  {
    kind: 'text',
    text: `${summary.total} in all: ${summary.verified} verified, ${summary.mismatched} mismatched, ${summary.unfunded} not funded.`,
  },
  ...entries.slice(0, 1).map(({ contractAddress }) => ({
    kind: 'next' as const,
    command: `deployments verify ${contractAddress}`,
    why: 'to audit one',
  })),
];

/** Declares the operation over the covenant products. */
export const defineList = ({ deployables }: Registered) =>
  defineOperation({
    id: 'deployments.list',
    summary: 'List the deployed contracts, newest first, each with the address that its parameters give',
    http: { method: 'GET', path: '/api/deployment/registry' },
    cli: { verb: 'list', hidden: ['network'], example: 'deployments list --verify' },
    auth: 'optional',
    input,
    output,
    errors: ['vault_not_found'],
    run: async ({ network, verify, page, limit }, context) => {
      const here: readonly Network[] = [context.network, publicNetworkName(context.network)];
      const isHere = network === undefined || here.includes(network);
      const isSeen = await sightOf(context.store, context.caller);
      const all = isHere
        ? (await allDeployments(deployables, context.store)).filter((one) => isVisible(one, isSeen))
        : [];
      const matches = all.map((deployment) => deriveAddress(deployment, context.network).artifactMatch);
      const shown = all.slice((page - 1) * limit, page * limit);
      const show = (isVerified: boolean) =>
        Promise.all(shown.map((deployment) => showEntry(deployment, { isVerified }, context)));
      const { found: entries, stale } = await orStale(
        () => show(verify),
        () => show(false),
      );
      return {
        network: publicNetworkName(network ?? context.network),
        generatedAt: context.clock.now(),
        summary: {
          total: all.length,
          byType: countBy(all.map(({ deployable, record }) => deployable.contractType(record))),
          verified: matches.filter((match) => match === 'match').length,
          mismatched: matches.filter((match) => match === 'mismatch').length,
          unfunded: all.filter(({ record }) => record.tx_hash === null).length,
        },
        entries,
        ...figuresOf(all.length, { page, limit }),
        ...stale,
      };
    },
    view: viewRegistry,
  });
