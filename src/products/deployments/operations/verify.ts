/** What lies at an address, and the audit of the contract that is deployed there. */
import { z } from 'zod';
import type { Address } from '../../../bch/address.js';
import { formatUnits, BCH_DECIMALS } from '../../../bch/amount.js';
import { holdingsOf, sumSatoshis, type Coin } from '../../../bch/coins.js';
import { AddressField } from '../../../bch/fields.js';
import { networkNames, publicNetworkName } from '../../../bch/network.js';
import { follow } from '../../../covenant/follow.js';
import type { Finding } from '../../../covenant/genesis.js';
import { TreasuryError } from '../../../errors.js';
import type { Context } from '../../../operation/context.js';
import { column } from '../../../operation/columns.js';
import { CHAIN_ERRORS, defineOperation, KEYS_ERRORS, type View } from '../../../operation/define.js';
import {
  unexpectedFunding,
  UnexpectedFundingField,
  viewUnexpected,
  type UnexpectedFunding,
} from '../../../offer/unexpected-funding.js';
import { defineReply } from '../../../operation/told-reply.js';
import { recordAt, type KnownRecord } from '../../../record/known-record.js';
import { auditDeployment } from '../audit.js';
import { AUTHORITY_HELP, knownAuthorities } from '../authority.js';
import { sightOf } from '../../vaults/index.js';
import { isVisible, type Registered } from '../deployments.js';
import { checkNetwork, DeploymentsFile, storeOfFile } from '../file.js';

const CoinReply = z.object({
  txid: z.string(),
  vout: z.number(),
  satoshis: z.string(),
  height: z.number().nullable(),
  token: z
    .object({
      category: z.string(),
      amount: z.string(),
      nft: z.object({ capability: z.string(), commitment: z.string() }).optional(),
    })
    .optional(),
});

const showCoin = ({ txid, vout, satoshis, height, token }: Coin): z.output<typeof CoinReply> => ({
  txid,
  vout,
  satoshis: satoshis.toString(),
  height,
  ...(token === undefined ? {} : { token: { ...token, amount: token.amount.toString() } }),
});

const tokensOf = (coins: readonly Coin[]) =>
  holdingsOf(coins).map(({ amount, ...held }) => ({ ...held, amountOnChain: amount.toString() }));

const confirmationStatus = (coins: readonly Coin[]): 'none' | 'unconfirmed' | 'confirmed' => {
  if (coins.length === 0) return 'none';
  return coins.every(({ height }) => height !== null) ? 'confirmed' : 'unconfirmed';
};

/** What was found at an address; `known` is the deployment on record there. */
type Found = {
  readonly address: Address;
  readonly coins: readonly Coin[];
  readonly known: KnownRecord | null;
  readonly audit: readonly Finding[] | undefined;
  readonly unexpected: UnexpectedFunding[] | undefined;
  readonly context: Context;
};

const verifyReply = defineReply<Found>()({
  success: [
    z.boolean().describe('False when a check of the audit fails'),
    ({ audit = [] }) => audit.every(({ ok }) => ok),
  ],
  address: [z.string(), ({ address }) => address.text],
  network: [z.enum(networkNames), ({ context }) => publicNetworkName(context.network)],
  contractType: [z.string().optional(), ({ known }) => known?.deployable.contractType(known.record)],
  label: [z.string().optional(), ({ known }) => known?.deployable.label(known.record)],
  balanceSatoshis: [z.string(), ({ coins }) => sumSatoshis(coins).toString()],
  tokens: [
    z.array(z.object({ category: z.string(), amountOnChain: z.string(), nfts: z.number() })),
    ({ coins }) => tokensOf(coins),
  ],
  utxos: [
    z.object({ count: z.number(), satoshis: z.string(), items: z.array(CoinReply) }),
    ({ coins }) => ({
      count: coins.length,
      satoshis: sumSatoshis(coins).toString(),
      items: coins.map(showCoin),
    }),
  ],
  confirmationStatus: [
    z.enum(['none', 'unconfirmed', 'confirmed']),
    ({ coins }) => confirmationStatus(coins),
  ],
  explorer: [z.string().nullable(), ({ context, address }) => context.probes.explorerLink(address.text)],
  unexpectedFunding: [UnexpectedFundingField.optional(), ({ unexpected }) => unexpected],
  audit: [
    z
      .array(z.object({ check: z.string(), ok: z.boolean(), detail: z.string() }))
      .optional()
      .describe('Of a deployment that is on record; each check with its result in words'),
    ({ audit }) => audit && [...audit],
  ],
});
const VerifyReply = verifyReply.reply;
type VerifyReply = z.output<typeof VerifyReply>;

/** What lies at a deployment's address and is not its own; undefined where whatever comes there is. @throws chain_unavailable */
const unexpectedAt = async (
  { deployable, record }: KnownRecord,
  context: Context,
): Promise<UnexpectedFunding[] | undefined> => {
  if (deployable.strays === null) return undefined;
  const { followed } = deployable.following(context);
  const present = await follow(record, followed, context.chain).catch((error: unknown) => {
    if (error instanceof TreasuryError && error.code === 'chain_unavailable') throw error;
    return { record };
  });
  return unexpectedFunding(deployable, present.record, context);
};

/** What the chain has at an address, with the audit of the deployment when there is one. @throws chain_unavailable */
const verifyAddress = async (
  { address, authority }: { readonly address: Address; readonly authority?: string | undefined },
  known: KnownRecord | null,
  context: Context,
): Promise<VerifyReply> => {
  const authorities = await knownAuthorities(authority === undefined ? [] : [authority], context);
  const coins = await context.chain.coins(address.lockingBytecode);
  const audit = known === null ? undefined : await auditDeployment(known, coins, authorities, context);
  const unexpected = known === null ? undefined : await unexpectedAt(known, context);
  return verifyReply.show({ address, coins, known, audit, unexpected, context });
};

/** What lies there beside a sound deployment: anybody can send something, so it does not make it unsound. */
const beside = (unexpected: readonly UnexpectedFunding[]): string =>
  unexpected.length === 0
    ? ''
    : ` But not all is well: unexpected_funding in ${unexpected.length} coins lies at the address.`;

const verdict = ({ audit = [], unexpectedFunding: unexpected = [], label = '' }: VerifyReply): string => {
  const failed = audit.filter(({ ok }) => !ok).length;
  if (audit.length === 0) return 'No deployment is on record here: only what the chain has is shown.';
  return failed === 0
    ? `${label}: all ${audit.length} checks hold.${beside(unexpected)}`
    : `${label}: ${failed} of ${audit.length} checks FAIL.`;
};

const viewVerify = (reply: VerifyReply): View => [
  {
    kind: 'facts',
    rows: [
      ['Address', reply.address],
      ['Contract', reply.contractType ?? 'not on record'],
      [
        'Balance',
        `${formatUnits(BigInt(reply.balanceSatoshis), BCH_DECIMALS)} BCH in ${reply.utxos.count} coins`,
      ],
      ...reply.tokens.map(
        ({ category, amountOnChain, nfts }) =>
          ['Tokens', `${amountOnChain} units of ${category} and ${nfts} NFTs`] as const,
      ),
      ['On chain', reply.confirmationStatus],
      ...(reply.explorer === null ? [] : [['Explorer', reply.explorer] as const]),
    ],
  },
  {
    kind: 'table',
    head: [column.state('', 0), column.key('Check'), column.prose('Result')],
    rows: (reply.audit ?? []).map(({ check, ok, detail }) => [ok ? 'ok' : 'FAIL', check, detail]),
    empty: '',
  },
  ...viewUnexpected(reply.unexpectedFunding ?? []),
  { kind: 'text', text: verdict(reply) },
];

const fields = {
  address: AddressField.describe('Address of the contract'),
  authority: z.string().optional().describe(AUTHORITY_HELP),
};

/** Declares the route: the deployments are those of the store, as far as the caller may see them. */
export const defineVerifyRoute = ({ deployables }: Registered) =>
  defineOperation({
    id: 'deployments.verify-address',
    summary: 'Show what lies at an address, and audit the contract that is deployed there',
    description:
      'The address is derived anew from artifact and parameters, the funding is audited, every move is read again from the chain, and the pool is compared with the state. `success` is false when a check fails.',
    http: { method: 'GET', path: '/api/deployment/verify/:address' },
    cli: false,
    auth: 'optional',
    input: z.object(fields),
    output: VerifyReply,
    errors: [
      'invalid_address',
      'vault_not_found',
      'unknown_contract_version',
      'tx_invalid',
      ...KEYS_ERRORS,
      ...CHAIN_ERRORS,
    ],
    run: async (request, context) => {
      const { store, caller } = context;
      const found = await recordAt(deployables, store, request.address.text);
      const isSeen = found !== null && isVisible(found, await sightOf(store, caller));
      return verifyAddress(request, isSeen ? found : null, context);
    },
    view: viewVerify,
  });

/** Declares the command: the deployments are those of a file, or of the operator's own store. */
export const defineVerify = (registered: Registered) =>
  defineOperation({
    id: 'deployments.verify',
    summary:
      'Audit the contract at an address, by this home or by a file of `deployments export` and the chain',
    cli: {
      verb: 'verify',
      positional: ['address'],
      example: 'deployments verify bchtest:p... --file deployments.json',
    },
    auth: 'none',
    input: z.object({
      address: fields.address,
      file: DeploymentsFile.optional().describe('What `deployments export` wrote; default this home'),
      authority: fields.authority,
    }),
    output: VerifyReply,
    errors: [
      'deployment_not_found',
      'invalid_address',
      'invalid_file',
      'unknown_contract_version',
      'tx_invalid',
      ...KEYS_ERRORS,
      ...CHAIN_ERRORS,
    ],
    run: async ({ file, ...request }, home) => {
      if (file !== undefined) checkNetwork(file, home.network);
      const context: Context = file === undefined ? home : { ...home, store: storeOfFile(file, registered) };
      const { text: address } = request.address;
      const deployment = await recordAt(registered.deployables, context.store, address);
      if (file !== undefined && deployment === null)
        throw new TreasuryError('deployment_not_found', { address });
      return verifyAddress(request, deployment, context);
    },
    view: viewVerify,
  });
