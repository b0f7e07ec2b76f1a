/** One transaction of a step: summed up for people (who receives what, the fee, what it leaves), agreed to, signed, broadcast. */
import { addressOf, type Address } from '../bch/address.js';
import { BCH_DECIMALS, formatUnits } from '../bch/amount.js';
import { transactionDigest } from '../bch/digest.js';
import { sumSatoshis, type Output, type Token } from '../bch/coins.js';
import { decodeTransaction, fromLibauthOutput } from '../bch/transaction.js';
import {
  decodeWalletTransaction,
  type SigningRequest,
  type WalletTransaction,
} from '../bch/wallet-transaction.js';
import { EXIT, isTreasuryError, TreasuryError, type ErrorCode } from '../errors.js';
import { hasMinedRival, hasRival } from '../offer/coin-fate.js';
import type { showPinned } from '../offer/funding-pins.js';
import { noWallet } from '../operation/auth.js';
import { column } from '../operation/columns.js';
import type { Context } from '../operation/context.js';
import type { View } from '../operation/define.js';
import type { Reply } from '../operation/execute.js';
import { shortAsset, symbolOf, tokenAsset } from '../record/assets.js';
import { contactAt } from '../record/contacts.js';
import { askConsent, type Intent } from './consent.js';
import { drawView } from './draw-view.js';
import type { Session } from './session.js';
import { withSpinner } from './environment.js';

type PinnedReply = ReturnType<typeof showPinned>;

type About = Pick<Context, 'network' | 'store' | 'keys'> & { readonly caller: Address | null };

const bch = (satoshis: bigint): string => `${formatUnits(satoshis, BCH_DECIMALS)} BCH`;

/** What amounts of a token are: as the registry has it, or the reply that makes it. */
const assetOf = async (
  category: string,
  reply: Reply,
  { store }: About,
): Promise<{ readonly decimals: number; readonly symbol: string }> => {
  const { category: made, decimals, symbol } = reply;
  return made === category && typeof decimals === 'number' && typeof symbol === 'string'
    ? { decimals, symbol: symbolOf({ id: category, symbol }) }
    : tokenAsset(category, store);
};

const tokenText = async ({ category, amount, nft }: Token, reply: Reply, about: About): Promise<string> => {
  const { decimals, symbol } = await assetOf(category, reply, about);
  return [
    ...(amount > 0n ? [`${formatUnits(amount, decimals)} ${symbol}`] : []),
    ...(nft === undefined ? [] : [`NFT (${nft.capability}) of ${shortAsset(category)}`]),
  ].join(' + ');
};

const isDataCarrier = ({ lockingBytecode }: Output): boolean => lockingBytecode.startsWith('6a');

const recipient = async (output: Output, { network, store, keys, caller }: About): Promise<string> => {
  if (isDataCarrier(output)) return 'data';
  const address = addressOf(output.lockingBytecode, network);
  if (address === null) return `script ${output.lockingBytecode}`;
  if (address.lockingBytecode === caller?.lockingBytecode) return `${address.text} (you)`;
  const wallet = (await keys.list()).find((one) => one.address.lockingBytecode === address.lockingBytecode);
  if (wallet !== undefined) return `${address.text} (${wallet.name})`;
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

/** What signing this transaction means. @throws tx_malformed */
const summariseStep = async (walletTransaction: unknown, reply: Reply, about: About): Promise<View> => {
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
        balanceRow(spent, made, about),
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

/** A transaction that can be broadcast. */
export type SignedTransaction = { readonly transaction: string; readonly txid: string };

/**
 * Refusals of what it spends: final once a block has another spend of it, since until then that one may be dropped. No
 * other is: the virtual machine has taken what was signed, so that a server that finds a fault in it may be wrong, or
 * lie, and hand it on later; and another may take it.
 */
const COIN_REFUSALS: readonly ErrorCode[] = ['tx_conflict', 'tx_missing_inputs'];

/** The wallet that signs. @throws unauthenticated, signing_failed */
export const requireWallet = ({ operator, context }: Session): string => {
  if (operator.walletName !== null) return operator.walletName;
  if (operator.address === null) {
    throw noWallet(context.network);
  }
  throw new TreasuryError('signing_failed', {
    wallet: operator.address.text,
    reason: 'this home holds no key of it',
  });
};

/** What signing means, for the operator of a session. @throws tx_malformed */
export const summaryFor = (
  { context, operator }: Session,
  transaction: unknown,
  reply: Reply,
): Promise<View> => summariseStep(transaction, reply, { ...context, caller: operator.address });

/**
 * Shows a transaction, asks, and signs it with the operator's wallet.
 *
 * @throws declined, missing_value, and what the wallet answers (`SIGN_ERRORS`)
 */
export const signShown = async (
  session: Session,
  transaction: WalletTransaction,
  summary: View,
  intent: Intent,
): Promise<SignedTransaction> => {
  const { call, context } = session;
  const walletName = requireWallet(session);
  call.output.talk(drawView(summary, call.output.paintTalk));
  if (session.deputy === undefined) await askConsent(session, intent);
  else await session.deputy.look(transaction);
  const { turn } = intent;
  const tell = (text: string): void => {
    call.output.talk(turn === undefined ? text : `${turn}: ${text}`);
  };
  return context.keys.signTransaction(walletName, transaction, { tell });
};

/**
 * Hands a signed transaction to the network.
 *
 * @returns null when the chain has it (now or already), or the refusal when it never will: a block has another spend of
 *   one of its coins
 * @throws chain_unavailable, and any other refusal: it may be taken yet
 */
export const broadcastSigned = async (
  { call, context }: Session,
  { transaction, txid }: SignedTransaction,
): Promise<TreasuryError | null> => {
  try {
    await withSpinner(call, `Broadcasting ${txid}`, () => context.chain.broadcast(transaction));
    return null;
  } catch (error) {
    if (!isTreasuryError(error)) throw error;
    if (error.exit !== EXIT.refused) throw error;
    // A node that has mined it, and seen its outputs spent, may call its inputs missing.
    if ((await context.chain.transaction(txid)) !== null) return null;
    if (COIN_REFUSALS.includes(error.code) && (await isBeaten(transaction, context))) return error;
    throw error;
  }
};

/** True when a block has another spend of a coin of a signed transaction. @throws chain_unavailable */
export const isBeaten = async (transaction: string, context: Context): Promise<boolean> => {
  const own = decodeTransaction(transaction);
  // Heights are what servers say, so its signature is looked at too.
  return (await hasMinedRival(own, context)) && (await hasRival(own, context));
};
