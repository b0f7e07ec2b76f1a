/** What a wallet is about to sign, for people: who receives what, the fee, and what it leaves of one's own. */
import { addressOf, type Address } from '../bch/address.js';
import { BCH_DECIMALS, formatUnits } from '../bch/amount.js';
import type { Output, Token } from '../bch/coins.js';
import { sumSatoshis } from '../bch/coins.js';
import { fromLibauthOutput } from '../bch/transaction.js';
import { decodeWalletTransaction } from '../bch/wallet-transaction.js';
import { tokenAsset } from '../record/assets.js';
import { contactAt } from '../record/contacts.js';
import type { Context } from '../operation/context.js';
import type { View } from '../operation/define.js';
import type { Reply } from '../operation/execute.js';
import type { showPinned } from '../offer/funding-pins.js';

type PinnedReply = ReturnType<typeof showPinned>;

type About = Pick<Context, 'network' | 'store'> & { readonly caller: Address | null };

const bch = (satoshis: bigint): string => `${formatUnits(satoshis, BCH_DECIMALS)} BCH`;

const tokenText = async ({ category, amount, nft }: Token, { store }: About): Promise<string> => {
  const { decimals, symbol } = await tokenAsset(category, store);
  return [
    ...(amount > 0n ? [`${formatUnits(amount, decimals)} ${symbol}`] : []),
    ...(nft === undefined ? [] : [`NFT (${nft.capability}) of ${category.slice(0, 8)}...`]),
  ].join(' + ');
};

const isDataCarrier = ({ lockingBytecode }: Output): boolean => lockingBytecode.startsWith('6a');

const recipient = async (output: Output, { network, store, caller }: About): Promise<string> => {
  if (isDataCarrier(output)) return 'data';
  const address = addressOf(output.lockingBytecode, network);
  if (address === null) return `script ${output.lockingBytecode}`;
  if (address.lockingBytecode === caller?.lockingBytecode) return `${address.text} (you)`;
  const contact = await contactAt(address, store);
  if (contact !== null) return `${address.text} (@${contact.id})`;
  return address.kind === 'p2sh' ? `${address.text} (contract)` : address.text;
};

const isOf =
  (caller: Address | null) =>
  ({ lockingBytecode }: Output): boolean =>
    lockingBytecode === caller?.lockingBytecode;

/** What the caller is poorer or richer by in BCH; the fee is part of it. */
const balanceRow = (
  spent: readonly Output[],
  made: readonly Output[],
  { caller }: About,
): readonly [string, string] => {
  const change = sumSatoshis(made.filter(isOf(caller))) - sumSatoshis(spent.filter(isOf(caller)));
  return change < 0n ? ['You pay in all', bch(-change)] : ['You receive in all', bch(change)];
};

const state = ({ status, nextStatus }: Reply): string | null => {
  if (typeof nextStatus !== 'string') return null;
  return typeof status === 'string' ? `${status} -> ${nextStatus}` : `-> ${nextStatus}`;
};

/** Coins that were left alone, since fundings wait for them: whoever sends all they have is told. */
const pinnedRows = ({ pinned }: Reply): readonly (readonly [string, string])[] => {
  if (!Array.isArray(pinned)) return [];
  return (pinned as readonly PinnedReply[]).map(({ label, satoshis }) => [
    'Left alone',
    `${bch(BigInt(satoshis))}, for the funding of ${label} (--use-pinned spends it)`,
  ]);
};

/**
 * What signing this transaction means.
 *
 * @throws tx_malformed
 */
export const summariseStep = async (
  walletTransaction: unknown,
  reply: Reply,
  about: About,
): Promise<View> => {
  const request = decodeWalletTransaction(walletTransaction);
  const spent = request.sourceOutputs.map(fromLibauthOutput);
  const made = request.transaction.outputs.map(fromLibauthOutput);
  const status = state(reply);
  return [
    ...(request.userPrompt === undefined ? [] : [{ kind: 'text' as const, text: request.userPrompt }]),
    {
      kind: 'table',
      head: ['Receives', 'BCH', 'Tokens'],
      rows: await Promise.all(
        made.map(async (output) => [
          await recipient(output, about),
          formatUnits(output.satoshis, BCH_DECIMALS),
          output.token === undefined ? '' : await tokenText(output.token, about),
        ]),
      ),
    },
    {
      kind: 'facts',
      rows: [
        ['Fee', bch(sumSatoshis(spent) - sumSatoshis(made))],
        balanceRow(spent, made, about),
        ...(status === null ? [] : [['State', status] as const]),
        ...pinnedRows(reply),
      ],
    },
  ];
};
