/** A transaction that is to be signed in words: who receives what, the fee, what it leaves, and what is compared elsewhere. */
import { addressOf, type Address } from '../bch/address.js';
import { BCH_DECIMALS, formatUnits } from '../bch/amount.js';
import { sumSatoshis, type Output, type Token } from '../bch/coins.js';
import { transactionDigest } from '../bch/digest.js';
import { fromLibauthOutput } from '../bch/transaction.js';
import { decodeWalletTransaction, type SigningRequest } from '../bch/wallet-transaction.js';
import { column } from '../operation/columns.js';
import type { Context } from '../operation/context.js';
import type { View } from '../operation/define.js';
import type { Reply } from '../operation/execute.js';
import { shortAsset, symbolOf, tokenAsset } from '../record/assets.js';
import type { showPinned } from './funding-pins.js';

type PinnedReply = ReturnType<typeof showPinned>;

/** Whom a step is summed up for. */
export type StepReader = Pick<Context, 'network' | 'store'> & {
  /** Whose money it is about; null: nobody in particular. */
  readonly caller: Address | null;
  /** What the reader calls an address, such as `@ann`; null: nothing. */
  readonly nameOf: (address: Address) => Promise<string | null>;
};

const bch = (satoshis: bigint): string => `${formatUnits(satoshis, BCH_DECIMALS)} BCH`;

/** What amounts of a token are: as the registry has it, or the reply that makes it. */
const assetOf = async (
  category: string,
  reply: Reply,
  { store }: StepReader,
): Promise<{ readonly decimals: number; readonly symbol: string }> => {
  const { category: made, decimals, symbol } = reply;
  return made === category && typeof decimals === 'number' && typeof symbol === 'string'
    ? { decimals, symbol: symbolOf({ id: category, symbol }) }
    : tokenAsset(category, store);
};

const tokenText = async (
  { category, amount, nft }: Token,
  reply: Reply,
  about: StepReader,
): Promise<string> => {
  const { decimals, symbol } = await assetOf(category, reply, about);
  return [
    ...(amount > 0n ? [`${formatUnits(amount, decimals)} ${symbol}`] : []),
    ...(nft === undefined ? [] : [`NFT (${nft.capability}) of ${shortAsset(category)}`]),
  ].join(' + ');
};

const isDataCarrier = ({ lockingBytecode }: Output): boolean => lockingBytecode.startsWith('6a');

const recipient = async (output: Output, { network, caller, nameOf }: StepReader): Promise<string> => {
  if (isDataCarrier(output)) return 'data';
  const address = addressOf(output.lockingBytecode, network);
  if (address === null) return `script ${output.lockingBytecode}`;
  if (address.lockingBytecode === caller?.lockingBytecode) return `${address.text} (you)`;
  const name = await nameOf(address);
  if (name !== null) return `${address.text} (${name})`;
  return address.kind === 'p2sh' ? `${address.text} (contract)` : address.text;
};

const isOf =
  (caller: Address | null) =>
  ({ lockingBytecode }: Output): boolean =>
    lockingBytecode === caller?.lockingBytecode;

/** What the caller is poorer or richer by in BCH; the fee is part of it. */
const balanceRows = (
  spent: readonly Output[],
  made: readonly Output[],
  { caller }: StepReader,
): readonly (readonly [string, string])[] => {
  if (caller === null) return [];
  const change = sumSatoshis(made.filter(isOf(caller))) - sumSatoshis(spent.filter(isOf(caller)));
  return [change < 0n ? ['You pay in all', bch(-change)] : ['You receive in all', bch(change)]];
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

/** What signing this transaction means: who receives what, the fee, the state it leads to, its digest. @throws tx_malformed */
export const summariseStep = async (
  walletTransaction: unknown,
  reply: Reply,
  about: StepReader,
): Promise<View> => {
  const request = decodeWalletTransaction(walletTransaction);
  const spent = request.sourceOutputs.map(fromLibauthOutput);
  const made = request.transaction.outputs.map(fromLibauthOutput);
  const status = state(reply);
  return [
    ...(request.userPrompt === undefined ? [] : [{ kind: 'text' as const, text: request.userPrompt }]),
    {
      kind: 'table',
      head: [column.whole('Receives'), column.amount('BCH', 0), column.text('Tokens', 0)],
      rows: await Promise.all(
        made.map(async (output) => [
          await recipient(output, about),
          formatUnits(output.satoshis, BCH_DECIMALS),
          output.token === undefined ? '' : await tokenText(output.token, reply, about),
        ]),
      ),
    },
    {
      kind: 'facts',
      rows: [
        ['Fee', bch(sumSatoshis(spent) - sumSatoshis(made))],
        ...balanceRows(spent, made, about),
        ...(status === null ? [] : [['State', status] as const]),
        ...pinnedRows(reply),
        digestRow(request, about),
      ],
    },
  ];
};

/** What is compared with others before it is signed. */
export const digestRow = (
  request: Pick<SigningRequest, 'transaction' | 'sourceOutputs'>,
  { network }: Pick<Context, 'network'>,
): readonly [string, string] => ['Digest', transactionDigest(request, network)];
