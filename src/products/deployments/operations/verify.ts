/** What lies at an address, and the audit of the contract that is deployed there. */
import { z } from 'zod';
import type { Address } from '../../../bch/address.js';
import { formatUnits, BCH_DECIMALS } from '../../../bch/amount.js';
import { sumSatoshis, sumTokens, type Coin } from '../../../bch/coins.js';
import { AddressField } from '../../../bch/fields.js';
import { networkNames, publicNetworkName } from '../../../bch/network.js';
import { follow } from '../../../covenant/follow.js';
import { TreasuryError } from '../../../errors.js';
import type { Caller, Context } from '../../../operation/context.js';
import { CHAIN_ERRORS, defineOperation, KEYS_ERRORS, type View } from '../../../operation/define.js';
import {
  unexpectedFunding,
  UnexpectedFundingField,
  viewUnexpected,
  type UnexpectedFunding,
} from '../../../offer/unexpected-funding.js';
import { auditDeployment } from '../audit.js';
import { AUTHORITY_HELP, knownAuthorities } from '../authority.js';
import { sightOf } from '../../vaults/index.js';
import { findDeployment, isVisible, type Deployment, type Registered } from '../deployments.js';
import { checkNetwork, DeploymentsFile, storeOfFile } from '../file.js';

const VerifyReply = z.object({
  success: z.boolean().describe('False when a check of the audit fails'),
  address: z.string(),
  network: z.enum(networkNames),
  contractType: z.string().optional(),
  label: z.string().optional(),
  balanceSatoshis: z.string(),
  tokens: z.array(z.object({ category: z.string(), amountOnChain: z.string(), nfts: z.number() })),
  utxos: z.object({
    count: z.number(),
    satoshis: z.string(),
    items: z.array(
      z.object({
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
      }),
    ),
  }),
  confirmationStatus: z.enum(['none', 'unconfirmed', 'confirmed']),
  explorer: z.string().nullable(),
  unexpectedFunding: UnexpectedFundingField.optional(),
  audit: z
    .array(z.object({ check: z.string(), ok: z.boolean(), detail: z.string() }))
    .optional()
    .describe('Of a deployment that is on record; each check with its result in words'),
});
type VerifyReply = z.output<typeof VerifyReply>;

const showCoin = ({ txid, vout, satoshis, height, token }: Coin): VerifyReply['utxos']['items'][number] => ({
  txid,
  vout,
  satoshis: satoshis.toString(),
  height,
  ...(token === undefined ? {} : { token: { ...token, amount: token.amount.toString() } }),
});

const showTokens = (coins: readonly Coin[]): VerifyReply['tokens'] => {
  const categories = [
    ...new Set(coins.flatMap(({ token }) => (token === undefined ? [] : [token.category]))),
  ];
  return categories.map((category) => ({
    category,
    amountOnChain: sumTokens(coins, category).toString(),
    nfts: coins.filter(({ token }) => token?.category === category && token.nft !== undefined).length,
  }));
};

const confirmationStatus = (coins: readonly Coin[]): VerifyReply['confirmationStatus'] => {
  if (coins.length === 0) return 'none';
  return coins.every(({ height }) => height !== null) ? 'confirmed' : 'unconfirmed';
};

/** What lies at a deployment's address and is not its own; null where whatever comes there is. @throws chain_unavailable */
const unexpectedAt = async (
  { deployable, record }: Deployment,
  context: Context,
): Promise<UnexpectedFunding[] | null> => {
  const { strays } = deployable;
  if (strays === null) return null;
  const { followed } = deployable.following(context);
  const present = await follow(record, followed, context.chain).catch((error: unknown) => {
    if (error instanceof TreasuryError && error.code === 'chain_unavailable') throw error;
    return { record };
  });
  return unexpectedFunding(present.record, strays, followed, context);
};

/** What the chain has at an address, with the audit of the deployment when there is one. @throws chain_unavailable */
const verifyAddress = async (
  { address, authority }: { readonly address: Address; readonly authority?: string | undefined },
  deployment: Deployment | null,
  context: Context,
): Promise<VerifyReply> => {
  const authorities = await knownAuthorities(authority === undefined ? [] : [authority], context);
  const coins = await context.chain.coins(address.lockingBytecode);
  const audit = deployment === null ? null : await auditDeployment(deployment, coins, authorities, context);
  const unexpected = deployment === null ? null : await unexpectedAt(deployment, context);
  const satoshis = sumSatoshis(coins).toString();
  return {
    success: audit === null || audit.every(({ ok }) => ok),
    address: address.text,
    network: publicNetworkName(context.network),
    ...(deployment === null
      ? {}
      : {
          contractType: deployment.deployable.contractType(deployment.record),
          label: deployment.deployable.label(deployment.record),
        }),
    balanceSatoshis: satoshis,
    tokens: showTokens(coins),
    utxos: { count: coins.length, satoshis, items: coins.map(showCoin) },
    confirmationStatus: confirmationStatus(coins),
    explorer: context.probes.explorerLink(address.text),
    ...(unexpected === null ? {} : { unexpectedFunding: unexpected }),
    ...(audit === null ? {} : { audit: [...audit] }),
  };
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
          ['Token', `${category}: ${amountOnChain} and ${nfts} NFTs`] as const,
      ),
      ['On chain', reply.confirmationStatus],
      ...(reply.explorer === null ? [] : [['Explorer', reply.explorer] as const]),
    ],
  },
  {
    kind: 'table',
    tones: { ok: 'green', FAIL: 'red' },
    head: ['', 'Check', 'Result'],
    rows: (reply.audit ?? []).map(({ check, ok, detail }) => [ok ? 'ok' : 'FAIL', check, detail]),
    empty: '',
  },
  ...viewUnexpected(reply.unexpectedFunding ?? []),
  { kind: 'text', text: verdict(reply) },
];

const AddressInput = AddressField.describe('Address of the contract');
const AuthorityInput = z.string().optional().describe(AUTHORITY_HELP);

/** Declares the route: the deployments are those of the store. */
export const defineVerifyRoute = ({ deployables }: Registered) =>
  defineOperation({
    id: 'deployments.verify-address',
    summary: 'Show what lies at an address, and audit the contract that is deployed there',
    description:
      'The address is derived anew from artifact and parameters, the funding is audited, every move is read again from the chain, and the pool is compared with the state. `success` is false when a check fails.',
    http: { method: 'GET', path: '/api/deployment/verify/:address' },
    cli: false,
    auth: 'optional',
    input: z.object({ address: AddressInput, authority: AuthorityInput }),
    output: VerifyReply,
    errors: ['invalid_address', 'vault_not_found', 'tx_invalid', ...KEYS_ERRORS, ...CHAIN_ERRORS],
    run: async (request, context) =>
      verifyAddress(request, await visibleAt(deployables, request.address, context), context),
  });

/** The deployment at an address, as far as the caller may see it. */
const visibleAt = async (
  deployables: Registered['deployables'],
  address: Address,
  { store, caller }: Context & { readonly caller: Caller | null },
): Promise<Deployment | null> => {
  const found = await findDeployment(deployables, store, address);
  return found !== null && isVisible(found, await sightOf(store, caller)) ? found : null;
};

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
      address: AddressInput,
      file: DeploymentsFile.optional().describe('What `deployments export` wrote; default this home'),
      authority: AuthorityInput,
    }),
    output: VerifyReply,
    errors: [
      'deployment_not_found',
      'invalid_address',
      'invalid_file',
      'tx_invalid',
      ...KEYS_ERRORS,
      ...CHAIN_ERRORS,
    ],
    run: async ({ address, authority, file }, home) => {
      if (file === undefined) {
        const deployment = await findDeployment(registered.deployables, home.store, address);
        return verifyAddress({ address, authority }, deployment, home);
      }
      checkNetwork(file, home.network);
      const context: Context = { ...home, store: storeOfFile(file, registered) };
      const deployment = await findDeployment(registered.deployables, context.store, address);
      if (deployment === null) throw new TreasuryError('deployment_not_found', { address: address.text });
      return verifyAddress({ address, authority }, deployment, context);
    },
    view: viewVerify,
  });
