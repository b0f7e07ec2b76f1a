/** Unexpected funding: money at a covenant's address that its record does not follow, found and told. */
import { z } from 'zod';
import { formatUnits, displayNumber, showNumber, BCH_DECIMALS } from '../bch/amount.js';
import { outpointText, type Coin } from '../bch/coins.js';
import { spentOutputs, type Followed } from '../covenant/follow.js';
import {
  isThread,
  strayInBch,
  strayInTokens,
  strayReserveLock,
  threadOf,
  type Stray,
} from '../covenant/stray.js';
import { isPinned } from '../covenant/thread.js';
import type { Context } from '../operation/context.js';
import type { View } from '../operation/define.js';
import type { PoolProduct, PoolRecord } from '../record/covenant-product.js';
import type { StrayRules } from '../record/deployable.js';
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

/** Where strays are looked for. */
export type StraySite<R> = {
  readonly record: R;
  readonly rules: Pick<StrayRules<R>, 'tokenCategory' | 'isState'>;
  readonly followed: Pick<Followed<R>, 'lockingBytecode' | 'thread' | 'isPending' | 'observeFunding'>;
  /** The transaction whose outputs are meant; default all. */
  readonly txid?: string | undefined;
};

/** True when a coin is of the funding that the record waits for, and has not followed yet. @throws chain_unavailable */
const isOfFunding = async <R>(
  { record, followed }: StraySite<R>,
  { txid }: Coin,
  context: Pick<Context, 'chain'>,
): Promise<boolean> => {
  if (!followed.isPending(record)) return false;
  const found = await context.chain.transaction(txid);
  return (
    found !== null &&
    (await followed.observeFunding(record, found, await spentOutputs(found, context.chain))) !== null
  );
};

const readStray = async <R>(
  { record, rules, followed }: StraySite<R>,
  coin: Coin,
  { chain, network }: Pick<Context, 'chain' | 'network'>,
): Promise<Stray> => {
  const thread = threadOf(coin, (commitment) => rules.isState(record, commitment));
  const tokenCategory = rules.tokenCategory(record);
  if (tokenCategory === null) return strayInBch(coin, thread);
  const lock = thread === null ? null : strayReserveLock(coin, followed.lockingBytecode(record), network);
  const reserve = lock === null ? [] : await chain.coins(lock);
  return strayInTokens(coin, thread, tokenCategory, reserve);
};

/**
 * What lies at a covenant's address beside the thread that its record follows, threads first. None while the
 * thread is moving this moment.
 *
 * @throws chain_unavailable
 */
export const findStrays = async <R>(
  site: StraySite<R>,
  context: Pick<Context, 'chain' | 'network'>,
): Promise<readonly Stray[]> => {
  const { record, followed, rules } = site;
  const coins = await context.chain.coins(followed.lockingBytecode(record));
  const thread = followed.thread(record);
  if (thread !== null && !coins.some((coin) => isPinned(coin, thread))) return [];
  const isState = (commitment: string) => rules.isState(record, commitment);
  const others = coins
    .filter((coin) => thread === null || !isPinned(coin, thread))
    .filter(({ txid }) => site.txid === undefined || site.txid === txid)
    .sort(threadsFirst(isState));
  const strays: Stray[] = [];
  for (const coin of others.slice(0, MAXIMUM_STRAYS)) {
    const stray = await readStray(site, coin, context);
    if (isThread(stray) && (await isOfFunding(site, coin, context))) continue;
    strays.push(stray);
  }
  return strays;
};

const amountText = (stray: Stray, decimals: number, tokenCategory: string | null): string =>
  tokenCategory === null
    ? `${formatUnits(stray.held, BCH_DECIMALS)} BCH`
    : `${formatUnits(stray.held, decimals)} of the token ${tokenCategory}`;

/** A coin in words. */
const coinText = ({ satoshis, token }: Coin): string => {
  const bch = `${formatUnits(satoshis, BCH_DECIMALS)} BCH`;
  if (token === undefined) return bch;
  const nft = token.nft === undefined ? '' : ', an NFT of it';
  return `${bch}, ${token.amount} units of the token ${token.category}${nft}`;
};

/** A stray as replies have it. */
export const showStray = <R>(
  stray: Stray,
  record: R,
  { noun, label, decimals, tokenCategory, way }: Omit<StrayRules<R>, 'isState'>,
): UnexpectedFunding => {
  const { coin, held } = stray;
  const command = `treasury ${noun} recover ${shellLabel(label(record))} --txid ${coin.txid}`;
  const holds = amountText(stray, decimals(record), tokenCategory(record));
  const detail = isThread(stray)
    ? `a thread that ${label(record)} does not follow, with ${holds}: ${way(record)} (\`${command}\`)`
    : `a coin without a state of the contract (${coinText(coin)}): no rule moves it, it is lost`;
  return {
    txid: coin.txid,
    vout: coin.vout,
    amount: displayNumber(held, decimals(record)),
    amountOnChain: held.toString(),
    satoshis: coin.satoshis.toString(),
    recoverable: isThread(stray),
    detail,
  };
};

/** What lies at a record's address and is not followed, as replies have it. @throws chain_unavailable */
export const unexpectedFunding = async <R>(
  record: R,
  rules: StrayRules<R>,
  followed: StraySite<R>['followed'],
  context: Pick<Context, 'chain' | 'network'>,
): Promise<UnexpectedFunding[]> =>
  (await findStrays({ record, rules, followed }, context)).map((stray) => showStray(stray, record, rules));

/** {@link unexpectedFunding} of a record of a product. @throws chain_unavailable */
export const unexpectedAt = <R extends PoolRecord>(
  { noun, label, decimals, tokenCategory, strays, following }: PoolProduct<R>,
  record: R,
  context: Context,
): Promise<UnexpectedFunding[]> =>
  unexpectedFunding(
    record,
    { ...strays, noun, label, decimals, tokenCategory },
    following(context).followed,
    context,
  );

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
          head: ['Unexpected funding', 'Amount', 'What it is'],
          rows: found.map((stray) => [outpointText(stray), showNumber(stray.amount), stray.detail]),
          empty: '',
        },
      ];
