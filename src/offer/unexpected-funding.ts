/** Unexpected funding: money at a covenant's address that its record does not follow, found and told. */
import { z } from 'zod';
import { formatUnits, showAmounts, BCH_DECIMALS } from '../bch/amount.js';
import { outpointText, type Coin } from '../bch/coins.js';
import { spentOutputs, type Followed } from '../covenant/follow.js';
import {
  isThread,
  strayInBch,
  strayInTokens,
  strayReserveLock,
  threadOf,
  type Stray,
  type StrayThread,
} from '../covenant/stray.js';
import { isPinned, type ThreadPointer } from '../covenant/thread.js';
import { notRecoverable } from '../covenant/stray-terms.js';
import { TreasuryError } from '../errors.js';
import { column } from '../operation/columns.js';
import type { Context } from '../operation/context.js';
import type { View } from '../operation/define.js';
import type { CovenantRecord, Deployable } from '../record/deployable.js';
import { shellLabel } from '../record/labels.js';

export const UnexpectedFunding = z.object({
  txid: z.string(),
  vout: z.number(),
  amount: z.number().describe('What it holds in the asset of the pool, display units'),
  amountOnChain: z.string().describe('Smallest unit'),
  satoshis: z.string().describe('The whole value of the coin'),
  recoverable: z.boolean().describe('False: no rule of the contract moves it'),
  detail: z.string().describe('What it is, and what can be done'),
});
export type UnexpectedFunding = z.output<typeof UnexpectedFunding>;

/** The field of a reply. */
export const UnexpectedFundingField = z
  .array(UnexpectedFunding)
  .describe('Money at the address that the record does not follow, the largest 50; empty when all is well');

/** Strays that are looked at and told: threads come first, then the largest. */
const MAXIMUM_STRAYS = 50;

const threadsFirst =
  (isState: (commitment: string) => boolean) =>
  (a: Coin, b: Coin): number => {
    const [left, right] = [a, b].map((coin) => threadOf(coin, isState) !== null);
    if (left !== right) return left === true ? -1 : 1;
    return a.satoshis === b.satoshis ? 0 : a.satoshis > b.satoshis ? -1 : 1;
  };

/** A product whose records may have strays, and how it follows them. */
type Watched = Pick<Deployable, 'module' | 'label' | 'tokenCategory' | 'strays' | 'following'>;

/** True when a coin is of the funding that the record waits for, and has not followed yet. @throws chain_unavailable */
const isOfFunding = async (
  record: CovenantRecord,
  { isPending, observeFunding }: Followed<CovenantRecord>,
  { txid }: Coin,
  { chain }: Pick<Context, 'chain'>,
): Promise<boolean> => {
  const found = isPending(record) ? await chain.transaction(txid) : null;
  return found !== null && (await observeFunding(record, found, await spentOutputs(found, chain))) !== null;
};

/** True when a coin is what the record's last move has spent: it was looked at before, and another daemon took that in since. */
const isSpentByLast = async (
  record: CovenantRecord & { readonly last_tx_hash?: string | null },
  coin: Coin,
  { chain }: Pick<Context, 'chain'>,
): Promise<boolean> => {
  const last = record.last_tx_hash == null ? null : await chain.transaction(record.last_tx_hash);
  return last?.transaction.inputs.some(({ txid, vout }) => txid === coin.txid && vout === coin.vout) ?? false;
};

const readStray = async (
  coin: Coin,
  thread: ThreadPointer | null,
  { tokenCategory, covenantLock }: { readonly tokenCategory: string | null; readonly covenantLock: string },
  { chain, network }: Pick<Context, 'chain' | 'network'>,
): Promise<Stray> => {
  if (tokenCategory === null) return strayInBch(coin, thread);
  const lock = thread === null ? null : strayReserveLock(coin, covenantLock, network);
  return strayInTokens(coin, thread, tokenCategory, lock === null ? [] : await chain.coins(lock));
};

/**
 * What lies at a covenant's address beside the thread that its record follows, threads first. None while the
 * thread is moving this moment.
 *
 * @param onlyOf the transaction whose outputs are meant; default all
 * @throws chain_unavailable
 */
const findStrays = async (
  { strays: rules, tokenCategory, following }: Watched,
  record: CovenantRecord,
  context: Context,
  onlyOf?: string,
): Promise<readonly Stray[]> => {
  if (rules === null) return [];
  const { followed } = following(context);
  const covenantLock = followed.lockingBytecode(record);
  const coins = await context.chain.coins(covenantLock);
  const thread = followed.thread(record);
  if (thread !== null && !coins.some((coin) => isPinned(coin, thread))) return [];
  const isState = (commitment: string) => rules.isState(record, commitment);
  const others = coins
    .filter((coin) => thread === null || !isPinned(coin, thread))
    .filter(({ txid }) => onlyOf === undefined || onlyOf === txid)
    .sort(threadsFirst(isState));
  const pool = { tokenCategory: tokenCategory(record), covenantLock };
  const strays: Stray[] = [];
  for (const coin of others.slice(0, MAXIMUM_STRAYS)) {
    const stray = await readStray(coin, threadOf(coin, isState), pool, context);
    if (isThread(stray) && (await isOfFunding(record, followed, coin, context))) continue;
    if (isThread(stray) && (await isSpentByLast(record, coin, context))) continue;
    strays.push(stray);
  }
  return strays;
};

/**
 * The stray thread that a request means: the one that it names, or the largest.
 *
 * @throws nothing_to_recover, not_recoverable, chain_unavailable
 */
export const chooseStray = async (
  watched: Watched,
  record: CovenantRecord,
  { txid, vout }: { readonly txid?: string | undefined; readonly vout?: number | undefined },
  context: Context,
): Promise<StrayThread> => {
  const label = watched.label(record);
  const strays = (await findStrays(watched, record, context, txid)).filter(
    ({ coin }) => vout === undefined || coin.vout === vout,
  );
  const largest = [...strays].sort((a, b) => (a.held === b.held ? 0 : a.held > b.held ? -1 : 1));
  const thread = largest.find(isThread);
  if (thread !== undefined) return thread;
  const [lost] = largest;
  if (lost === undefined) throw new TreasuryError('nothing_to_recover', { label, txid, vout });
  throw notRecoverable(label, lost, 'it carries no state of the contract, so no rule moves it: it is lost');
};

const amountText = (stray: Stray, decimals: number, tokenCategory: string | null): string =>
  tokenCategory === null
    ? `${formatUnits(stray.held, BCH_DECIMALS)} BCH`
    : `${formatUnits(stray.held, decimals)} ${tokenCategory}`;

/** A coin in words. */
const coinText = ({ satoshis, token }: Coin): string => {
  const bch = `${formatUnits(satoshis, BCH_DECIMALS)} BCH`;
  if (token === undefined) return bch;
  const nft = token.nft === undefined ? '' : ', an NFT of it';
  return `${bch}, ${token.amount} units of ${token.category}${nft}`;
};

/** What lies at a record's address and is not followed, as replies have it. @throws chain_unavailable */
export const unexpectedFunding = async (
  watched: Watched,
  record: CovenantRecord,
  context: Context,
): Promise<UnexpectedFunding[]> => {
  const { strays: rules, module, following } = watched;
  if (rules === null) return [];
  const [label, category] = [watched.label(record), watched.tokenCategory(record)];
  const decimals = following(context).decimals(record);
  return (await findStrays(watched, record, context)).map((stray) => {
    const { coin, held } = stray;
    const { txid, vout, satoshis } = coin;
    const recoverable = isThread(stray);
    const command = `treasury ${module} recover ${shellLabel(label)} --txid ${txid}`;
    const detail = recoverable
      ? `a thread that ${label} does not follow, with ${amountText(stray, decimals, category)}: ${rules.way(record)} (\`${command}\`)`
      : `a coin without a state of the contract (${coinText(coin)}): no rule moves it, it is lost`;
    const amounts = showAmounts({ amount: held }, decimals);
    return { txid, vout, ...amounts, satoshis: satoshis.toString(), recoverable, detail };
  });
};

/** In one line, for reports and logs: amount and transaction. */
export const tellUnexpected = ({ detail, ...stray }: UnexpectedFunding): string =>
  `${outpointText(stray)}: ${detail}`;

/** How unexpected funding reads for people; nothing when there is none. */
export const viewUnexpected = (found: readonly UnexpectedFunding[]): View =>
  found.length === 0
    ? []
    : [
        {
          kind: 'table',
          head: [column.key('Unexpected funding'), column.prose('What it is')],
          rows: found.map((stray) => [outpointText(stray), stray.detail]),
          empty: '',
        },
      ];
