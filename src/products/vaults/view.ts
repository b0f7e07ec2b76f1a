/** Vaults and spends for people. */
import { showNumber } from '../../bch/amount.js';
import type { z } from 'zod';
import { statusText } from '../../record/damaged.js';
import type { View } from '../../operation/define.js';
import { showDate } from '../../bch/show-date.js';
import type { EventReply } from '../../record/events.js';
import { shellLabel } from '../../record/labels.js';
import type { SpendReply, VaultReply } from './reply.js';

type ShownVault = z.output<typeof VaultReply>;
type ShownSpend = z.output<typeof SpendReply>;

/** How `vaults list` reads. */
export const viewVaults = (vaults: readonly ShownVault[]): View => [
  {
    kind: 'table',
    head: ['Name', 'You are', 'Status', 'BCH', 'Tokens', 'Id'],
    rows: vaults.map((vault) => [
      vault.name,
      vault.role,
      statusText(vault),
      showNumber(vault.balance),
      vault.tokens.map(({ amount, symbol }) => `${showNumber(amount)} ${symbol}`).join(', '),
      vault.id,
    ]),
    empty: 'No vaults yet. `treasury vaults create` makes one.',
  },
];

/** What a spend pays, in one line. */
const paymentsOf = ({ outputs }: ShownSpend): string =>
  outputs.map(({ amount, symbol, to }) => `${showNumber(amount)} ${symbol} to ${to}`).join(', ');

/** How `vaults spend list` reads. */
export const viewSpends = (spends: readonly ShownSpend[]): View => [
  {
    kind: 'table',
    head: ['Spend', 'Status', 'Signed', 'Pays', 'Memo'],
    rows: spends.map((spend) => [
      spend.label,
      spend.status,
      `${spend.signatures.length} of 2`,
      paymentsOf(spend),
      spend.memo,
    ]),
    empty: 'No spends.',
  },
];

const nextOfVault = ({ id, status, role }: ShownVault): View => {
  if (status === 'pending' && role === 'creator')
    return [{ kind: 'next', command: `vaults deposit ${id}`, why: 'to make the first deposit' }];
  return [];
};

/** How `vaults show` reads. */
export const viewVault = (
  vault: ShownVault & {
    readonly openSpends: readonly ShownSpend[];
    readonly events: readonly z.output<typeof EventReply>[];
  },
): View => [
  { kind: 'text', text: `${vault.name} (${vault.status}, ${vault.isPublic ? 'public' : 'private'})` },
  {
    kind: 'facts',
    rows: [
      ['You are', vault.role],
      ['Balance', `${showNumber(vault.balance)} BCH, of which ${showNumber(vault.spendable)} can be spent`],
      ...(vault.stuck === 0
        ? []
        : [
            [
              'Stuck for good',
              `${vault.stuck} BCH: somebody glued an NFT to it that this vault (made by version 0.1.0) takes for its thread`,
            ] as [string, string],
          ]),
      ...vault.tokens.map(({ category, symbol, amount, nfts }): [string, string] => [
        symbol,
        `${showNumber(amount)}${nfts === 0 ? '' : ` and ${nfts} NFTs`} (${category})`,
      ]),
      ['To be deposited in all', vault.totalDeposit === 0 ? 'no target' : `${vault.totalDeposit} BCH`],
      ['Creator', vault.creator],
      ...vault.signers.map((signer, index): [string, string] => [`Signer ${index + 1}`, signer]),
      ...vault.viewers.map((viewer): [string, string] => ['Viewer', viewer]),
      ['Address', vault.contractAddress],
      ['Spends of its thread', String(vault.spends)],
      ['First deposit', vault.tx_hash ?? 'not yet'],
    ],
  },
  { kind: 'qr', address: vault.contractAddress },
  ...(vault.openSpends.length === 0 ? [] : viewSpends(vault.openSpends)),
  {
    kind: 'table',
    head: ['Event', 'BCH', 'By', 'When', 'Transaction'],
    rows: vault.events.map((row) => [
      row.event_type,
      showNumber(row.amount),
      row.actor,
      showDate(row.created_at),
      row.tx_hash ?? '',
    ]),
  },
  ...nextOfVault(vault),
];

const nextOfSpend = ({ label, status }: ShownSpend): View => {
  const name = shellLabel(label);
  if (status === 'PENDING')
    return [{ kind: 'next', command: `vaults spend sign ${name} --wallet <signer>`, why: 'to sign it' }];
  if (status === 'READY')
    return [{ kind: 'next', command: `vaults spend broadcast ${name}`, why: 'to send it' }];
  if (status === 'GONE') return [{ kind: 'next', command: `vaults spend cancel ${name}`, why: 'to drop it' }];
  return [];
};

/** How one spend reads. */
export const viewSpend = (
  spend: ShownSpend & { readonly message?: string; readonly warning?: string | undefined },
): View => [
  { kind: 'text', text: `${spend.message ?? `${spend.label} (${spend.status})`}.` },
  ...(spend.warning === undefined ? [] : [{ kind: 'text' as const, text: `${spend.warning}.` }]),
  ...(spend.memo === '' ? [] : [{ kind: 'text' as const, text: spend.memo }]),
  {
    kind: 'table',
    head: ['Pays', 'Amount', 'Asset'],
    rows: spend.outputs.map(({ to, amount, symbol }) => [to, showNumber(amount), symbol]),
  },
  {
    kind: 'facts',
    rows: [
      ['Status', spend.status],
      ['Proposed by', spend.proposer],
      ...spend.signatures.map(({ signer, signedAt }): [string, string] => [
        'Signed by',
        `${signer} at ${showDate(signedAt)}`,
      ]),
      ['Signatures missing', String(spend.signaturesNeeded)],
      ['Coins', String(spend.transaction.inputs.length)],
      ['Fee, out of the vault', `${spend.fee} satoshis`],
      ...(spend.gone === null ? [] : [['Gone', spend.gone] as [string, string]]),
      ['Transaction', spend.txHash ?? 'not yet'],
    ],
  },
  ...nextOfSpend(spend),
];

/** How `vaults spend sign` reads: with a transaction for another wallet, that is all there is to read. */
export const viewSigned = (
  reply: Parameters<typeof viewSpend>[0] & { readonly wcTransaction?: unknown },
): View =>
  reply.wcTransaction === undefined
    ? viewSpend(reply)
    : [
        { kind: 'text', text: JSON.stringify(reply.wcTransaction, null, 2) },
        {
          kind: 'next',
          command: `vaults spend submit ${shellLabel(reply.label)} --signed-transaction <hex>`,
          why: 'once it is signed',
        },
      ];
