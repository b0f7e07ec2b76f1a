/** The checks of what lies at a covenant's address, and in its reserve. */
import { outpointText, sumTokens, type Coin } from '../../bch/coins.js';
import { THREAD_DUST } from '../../bch/transaction.js';
import type { Finding } from '../../covenant/genesis.js';
import { reserveContract } from '../../covenant/reserve.js';
import { isPinned, type ThreadPointer } from '../../covenant/thread.js';
import type { Context } from '../../operation/context.js';
import type { KnownRecord } from '../../record/known-record.js';

/** What lies at the address, and the category that the funding minted (null when it minted none rightly). */
export type Site = { readonly coins: readonly Coin[]; readonly category: string | null };

type Live = KnownRecord & { readonly thread: ThreadPointer };

const finding = (check: string, ok: boolean, detail: string): Finding => ({ check, ok, detail });

/** The thread, and the satoshis of its own: with fewer the next move must top it up, or cannot be relayed. */
const threadFindings = (
  thread: ThreadPointer,
  coin: Coin | undefined,
  { category }: Site,
): readonly Finding[] => {
  const at = outpointText(thread);
  if (coin === undefined) return [finding('thread', false, `${at} is not an unspent output at the address`)];
  const { satoshis, token } = coin;
  const dust = finding(
    'thread satoshis',
    satoshis >= THREAD_DUST,
    `the thread's output holds ${satoshis} satoshis; ${THREAD_DUST} at least are its own`,
  );
  if (token === undefined || token.category !== category)
    return [finding('thread', false, `${at} carries an NFT that the funding did not mint`), dust];
  const { nft } = token;
  const ok = nft?.capability === 'mutable' && nft.commitment === thread.commitment;
  const detail = ok
    ? `${at} carries the state ${thread.commitment}`
    : `${at} carries ${nft?.capability ?? 'no'} ${nft?.commitment ?? 'NFT'}, not the state ${thread.commitment}`;
  return [finding('thread', ok, detail), dust];
};

const otherThreads = ({ coins, category }: Site, thread: ThreadPointer | null): Finding => {
  const check = 'no other thread';
  if (category === null)
    return finding(check, false, 'the category is not known without the funding: nothing can be said');
  const others = coins.filter(
    (coin) => coin.token?.category === category && (thread === null || !isPinned(coin, thread)),
  );
  return others.length === 0
    ? finding(check, true, 'no other coin at the address is of the category')
    : finding(check, false, `${others.map(outpointText).join(', ')} is of the category too`);
};

/** NFTs that anyone may have sent to the address. They move nothing, so they are named and do no harm. */
const strangerFindings = ({ coins, category }: Site): readonly Finding[] => {
  const strangers = coins.filter(({ token }) => token?.nft !== undefined && token.category !== category);
  if (strangers.length === 0) return [];
  const detail = `${strangers.map(outpointText).join(', ')}: sent by somebody, not minted by the funding, not the thread`;
  return [finding('other NFTs', true, detail)];
};

const poolFindings = async (
  { deployable, record, thread }: Live,
  coin: Coin | undefined,
  { chain, network }: Pick<Context, 'chain' | 'network'>,
): Promise<readonly Finding[]> => {
  const remaining = deployable.remaining(record);
  if (remaining === null) return [];
  const tokenCategory = deployable.tokenCategory(record);
  if (tokenCategory === null) {
    const held = coin?.satoshis ?? 0n;
    const detail = `the thread's output holds ${held} satoshis; the state says ${remaining}, and ${THREAD_DUST} beside it`;
    return [finding('pool', held === remaining + THREAD_DUST, detail)];
  }
  const { lockingBytecode } = deployable.contract(record, network);
  const reserve = reserveContract(thread.category, lockingBytecode, network);
  const held = sumTokens(await chain.coins(reserve.lockingBytecode), tokenCategory);
  const detail = `the reserve ${reserve.address.text} holds ${held} tokens; the state says that ${remaining} remain`;
  // What others sent there is a gift: it is more, never less.
  return [finding('pool', held >= remaining, detail)];
};

/** The checks of a covenant that lives. @throws chain_unavailable */
export const coinFindings = async (
  live: Live,
  site: Site,
  context: Pick<Context, 'chain' | 'network'>,
): Promise<readonly Finding[]> => {
  const coin = site.coins.find((one) => isPinned(one, live.thread));
  return [
    ...threadFindings(live.thread, coin, site),
    otherThreads(site, live.thread),
    ...strangerFindings(site),
    ...(await poolFindings(live, coin, context)),
  ];
};

/** The checks of a covenant that has ended: nothing of it is left. Source: invariant I4. */
export const endFindings = (site: Site): readonly Finding[] => [
  otherThreads(site, null),
  ...strangerFindings(site),
];
