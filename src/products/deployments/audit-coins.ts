/** The checks of what lies at a covenant's address, and in its reserve. */
import { outpointText, sumTokens, type Coin } from '../../bch/coins.js';
import { THREAD_DUST } from '../../bch/transaction.js';
import type { Finding } from '../../covenant/genesis.js';
import { reserveContract } from '../../covenant/reserve.js';
import { isPinned, type ThreadPointer } from '../../covenant/thread.js';
import type { Context } from '../../operation/context.js';
import type { Deployment } from './deployments.js';

/** What lies at the address, and the category that the funding minted (null when it minted none rightly). */
export type Site = { readonly coins: readonly Coin[]; readonly category: string | null };

type Live = Deployment & { readonly thread: ThreadPointer };

const threadFinding = (thread: ThreadPointer, { coins, category }: Site): Finding => {
  const check = 'thread';
  const at = outpointText(thread);
  const coin = coins.find((one) => isPinned(one, thread));
  if (coin === undefined)
    return { check, ok: false, detail: `${at} is not an unspent output at the address` };
  if (coin.token?.category !== category) {
    return { check, ok: false, detail: `${at} carries an NFT that the funding did not mint` };
  }
  const { nft } = coin.token ?? {};
  const ok = nft?.capability === 'mutable' && nft.commitment === thread.commitment;
  const detail = ok
    ? `${at} carries the state ${thread.commitment}`
    : `${at} carries ${nft?.capability ?? 'no'} ${nft?.commitment ?? 'NFT'}, not the state ${thread.commitment}`;
  return { check, ok, detail };
};

/** The satoshis of the thread itself: with fewer the next move must top it up, or cannot be relayed. */
const dustFinding = (thread: ThreadPointer, { coins }: Site): readonly Finding[] => {
  const coin = coins.find((one) => isPinned(one, thread));
  if (coin === undefined) return [];
  const detail = `the thread's output holds ${coin.satoshis} satoshis; ${THREAD_DUST} at least are its own`;
  return [{ check: 'thread satoshis', ok: coin.satoshis >= THREAD_DUST, detail }];
};

const otherThreads = ({ coins, category }: Site, thread: ThreadPointer | null): Finding => {
  const check = 'no other thread';
  if (category === null)
    return { check, ok: false, detail: 'the category is not known without the funding: nothing can be said' };
  const others = coins.filter(
    (coin) => coin.token?.category === category && (thread === null || !isPinned(coin, thread)),
  );
  return {
    check,
    ok: others.length === 0,
    detail:
      others.length === 0
        ? 'no other coin at the address is of the category'
        : `${others.map(outpointText).join(', ')} is of the category too`,
  };
};

/** NFTs that anyone may have sent to the address. They move nothing, so they are named and do no harm. */
const strangerFindings = ({ coins, category }: Site): readonly Finding[] => {
  const strangers = coins.filter(({ token }) => token?.nft !== undefined && token.category !== category);
  if (strangers.length === 0) return [];
  const detail = `${strangers.map(outpointText).join(', ')}: sent by somebody, not minted by the funding, not the thread`;
  return [{ check: 'other NFTs', ok: true, detail }];
};

const tokenPool = async (
  { deployable, record, thread }: Live,
  remaining: bigint,
  { chain, network }: Pick<Context, 'chain' | 'network'>,
): Promise<Finding> => {
  const { lockingBytecode } = deployable.contract(record, network);
  const reserve = reserveContract(thread.category, lockingBytecode, network);
  const held = sumTokens(await chain.coins(reserve.lockingBytecode), deployable.tokenCategory(record) ?? '');
  return {
    check: 'pool',
    // What others sent there is a gift: it is more, never less.
    ok: held >= remaining,
    detail: `the reserve ${reserve.address.text} holds ${held} tokens; the state says that ${remaining} remain`,
  };
};

const poolFinding = async (
  live: Live,
  { coins }: Site,
  context: Pick<Context, 'chain' | 'network'>,
): Promise<readonly Finding[]> => {
  const { deployable, record, thread } = live;
  const remaining = deployable.remaining(record);
  if (remaining === null) return [];
  if (deployable.tokenCategory(record) !== null) return [await tokenPool(live, remaining, context)];
  const held = coins.find((coin) => isPinned(coin, thread))?.satoshis ?? 0n;
  const expected = remaining + THREAD_DUST;
  const detail = `the thread's output holds ${held} satoshis; the state says ${remaining}, and ${THREAD_DUST} beside it`;
  return [{ check: 'pool', ok: held === expected, detail }];
};

/** The checks of a covenant that lives. @throws chain_unavailable */
export const coinFindings = async (
  live: Live,
  site: Site,
  context: Pick<Context, 'chain' | 'network'>,
): Promise<readonly Finding[]> => [
  threadFinding(live.thread, site),
  ...dustFinding(live.thread, site),
  otherThreads(site, live.thread),
  ...strangerFindings(site),
  ...(await poolFinding(live, site, context)),
];

/** The checks of a covenant that has ended: nothing of it is left. Source: invariant I4. */
export const endFindings = (site: Site): readonly Finding[] => [
  otherThreads(site, null),
  ...strangerFindings(site),
];
