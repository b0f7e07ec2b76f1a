/** Vaults and spends for people. */
import type { z } from 'zod';
import { BCH_DECIMALS, formatUnits, showNumber } from '../../bch/amount.js';
import { showDate } from '../../bch/show-date.js';
import { column } from '../../operation/columns.js';
import type { View, ViewBlock } from '../../operation/define.js';
import { pagePath } from '../../page-paths.js';
import { statusText } from '../../record/damaged.js';
import type { EventReply } from '../../record/events.js';
import { shellLabel } from '../../record/labels.js';
import type { SpendReply, VaultReply } from './reply.js';
import { wordedLabel, wordRows } from '../../record/own-words.js';

type ShownVault = z.output<typeof VaultReply>;
type ShownSpend = z.output<typeof SpendReply>;
type Fact = readonly [label: string, value: string];

/** The facts there are: those of null are left out. */
const facts = (rows: readonly (Fact | null)[]): ViewBlock => ({
  kind: 'facts',
  rows: rows.filter((row) => row !== null),
});

const text = (words: string): ViewBlock => ({ kind: 'text', text: words });

const next = (command: string, why: string): ViewBlock => ({ kind: 'next', command, why });

/** Where the page shows a vault. */
export const pageOfVault = ({ id, label }: Pick<ShownVault, 'id' | 'label'>): string =>
  pagePath('vault', { id: shellLabel(label ?? id) });

/** Where the page shows a spend. */
export const pageOfSpend = ({ vaultId, label }: Pick<ShownSpend, 'vaultId' | 'label'>): string =>
  pagePath('spend', { id: vaultId, spendId: shellLabel(label) });

/** How `vaults list` reads. */
export const viewVaults = (vaults: readonly ShownVault[]): View => [
  {
    kind: 'table',
    head: [
      column.key('Vault'),
      column.text('Name'),
      column.text('You are', 2),
      column.state('Status'),
      column.amount('Balance'),
      column.text('Tokens', 2),
    ],
    rows: vaults.map((vault) => [
      vault.label ?? vault.id,
      wordedLabel(vault.name, vault),
      vault.role,
      statusText(vault),
      `${showNumber(vault.balance)} BCH`,
      vault.tokens
        .map(
          ({ amountOnChain, decimals, symbol }) =>
            `${formatUnits(BigInt(amountOnChain), decimals)} ${symbol}`,
        )
        .join(', '),
    ]),
    empty: 'No vaults yet. `treasury vaults create` makes one.',
  },
];

/** What one of a spend's payments pays, exactly: `0.5 BCH`. */
const amountPaid = ({ amountOnChain, decimals, symbol }: ShownSpend['outputs'][number]): string =>
  `${formatUnits(BigInt(amountOnChain), decimals)} ${symbol}`;

/** How `vaults spend list` reads. */
export const viewSpends = (spends: readonly ShownSpend[]): View => [
  {
    kind: 'table',
    head: [
      column.key('Spend'),
      column.state('Status'),
      column.text('Signed'),
      column.text('Pays'),
      column.text('Memo', 2),
    ],
    rows: spends.map(({ label, status, signatures, outputs, memo, own_label }) => [
      wordedLabel(label, { own_label }),
      status,
      `${signatures.length} of 2`,
      outputs.map((payment) => `${amountPaid(payment)} to ${payment.to}`).join(', '),
      memo,
    ]),
    empty: 'No spends.',
  },
];

/** How `vaults show` reads. */
export const viewVault = (
  vault: ShownVault & {
    readonly openSpends: readonly ShownSpend[];
    readonly events: readonly z.output<typeof EventReply>[];
  },
): View => [
  text(
    `${vault.label ?? vault.id} ${vault.name} (${vault.status}, ${vault.isPublic ? 'public' : 'private'})`,
  ),
  facts([
    ...wordRows(vault),
    ['You are', vault.role],
    ['Balance', `${showNumber(vault.balance)} BCH, of which ${showNumber(vault.spendable)} BCH can be spent`],
    vault.stuck === 0
      ? null
      : [
          'Stuck for good',
          `${showNumber(vault.stuck)} BCH: somebody glued an NFT to it that this vault (made by version 0.1.0) takes for its thread`,
        ],
    ...vault.tokens.map(({ category, symbol, amountOnChain, decimals, nfts }): Fact => [
      symbol,
      `${formatUnits(BigInt(amountOnChain), decimals)} ${symbol}${nfts === 0 ? '' : ` and ${nfts} NFTs`} (${category})`,
    ]),
    [
      'To be deposited in all',
      vault.totalDeposit === 0 ? 'no target' : `${showNumber(vault.totalDeposit)} BCH`,
    ],
    ['Creator', vault.creator],
    ...vault.signers.map((signer, index): Fact => [`Signer ${index + 1}`, signer]),
    ...vault.viewers.map((viewer): Fact => ['Viewer', viewer]),
    ['Address', vault.contractAddress],
    ['Spends of its thread', String(vault.spends)],
    ['First deposit', vault.tx_hash ?? 'not yet'],
  ]),
  { kind: 'qr', address: vault.contractAddress },
  ...(vault.openSpends.length === 0 ? [] : viewSpends(vault.openSpends)),
  {
    kind: 'table',
    head: [
      column.key('Event'),
      column.amount('Amount'),
      column.text('By', 2),
      column.date('When'),
      column.txid('Transaction'),
    ],
    rows: vault.events.map((row) => [
      row.event_type,
      `${showNumber(row.amount)} BCH`,
      row.actor,
      showDate(row.created_at),
      row.tx_hash ?? '',
    ]),
  },
  ...(vault.status === 'pending' && vault.role === 'creator'
    ? [next(`vaults deposit ${shellLabel(vault.label ?? vault.id)}`, 'to make the first deposit')]
    : []),
];

const nextOfSpend = ({ label, status }: ShownSpend): View => {
  const name = shellLabel(label);
  if (status === 'PENDING') return [next(`vaults spend sign ${name} --wallet <signer>`, 'to sign it')];
  if (status === 'READY') return [next(`vaults spend broadcast ${name}`, 'to send it')];
  return status === 'GONE' ? [next(`vaults spend cancel ${name}`, 'to drop it')] : [];
};

/** How one spend reads. */
export const viewSpend = (
  spend: ShownSpend & { readonly message?: string; readonly warning?: string | undefined },
): View => [
  text(`${spend.message ?? `${spend.label} (${spend.status})`}.`),
  ...(spend.warning === undefined ? [] : [text(`${spend.warning}.`)]),
  ...(spend.memo === '' ? [] : [{ kind: 'text' as const, text: spend.memo, from: 'others' as const }]),
  {
    kind: 'table',
    head: [column.whole('Pays'), column.amount('Amount', 0)],
    rows: spend.outputs.map((payment) => [payment.to, amountPaid(payment)]),
  },
  facts([
    ...wordRows(spend),
    ['Status', spend.status],
    ['Proposed by', spend.proposer],
    ...spend.signatures.map(({ signer, signedAt }): Fact => [
      'Signed by',
      `${signer} at ${showDate(signedAt)}`,
    ]),
    ['Signatures missing', String(spend.signaturesNeeded)],
    ['Coins', String(spend.transaction.inputs.length)],
    ['Fee, out of the vault', `${formatUnits(BigInt(spend.fee), BCH_DECIMALS)} BCH`],
    spend.gone === null ? null : ['Gone', spend.gone],
    ['Transaction', spend.txHash ?? 'not yet'],
    ['Digest, for the signers to compare', spend.digest],
  ]),
  ...nextOfSpend(spend),
];

/** How `vaults spend sign` reads: with a transaction for another wallet, that is all there is to read. */
export const viewSigned = (
  reply: Parameters<typeof viewSpend>[0] & { readonly wcTransaction?: unknown },
): View => {
  if (reply.wcTransaction === undefined) return viewSpend(reply);
  const command = `vaults spend submit ${shellLabel(reply.label)} --signed-transaction <hex>`;
  return [
    { kind: 'file', text: JSON.stringify(reply.wcTransaction, null, 2) },
    next(command, 'once it is signed'),
  ];
};
