/**
 * Which chain the records of a shared store are of. Records that are followed on another chain look as if their
 * transactions had never been, and that would be told to everybody.
 *
 * Public networks are told apart by their first block before anything is asked of a server. The chain of `local` is its
 * home's own, and a regtest chain may be anybody's: there the store keeps the first block that is like no other's. Records
 * in files lie beside their chain, and nothing is kept.
 */
import { z } from 'zod';
import type { Network } from '../bch/network.js';
import { TreasuryError } from '../errors.js';
import type { ChainPort } from '../operation/ports/chain.js';
import { defineCollection, type StorePort } from '../operation/ports/store.js';
import { withTimeLimit } from '../operation/time-limit.js';
import { noting } from '../storage-failure.js';

const KnownBlock = z.object({
  /** Always {@link ONLY}. */
  id: z.string(),
  height: z.int(),
  /** 64 hex digits. */
  hash: z.string(),
});
type KnownBlock = z.output<typeof KnownBlock>;

export const chainCollection = defineCollection({ name: 'chains', schema: KnownBlock, indexes: {} });

const ONLY = 'chain';

/** The first height at which two chains of a network differ; none where a network has one chain. */
const DIFFER_AT: Readonly<Partial<Record<Network, number>>> = { local: 0, regtest: 1 };

/** How long opening waits for a server, milliseconds: one that is silent says nothing against its chain. */
const LIMIT_MS = 2_000;

export type ChainOfRecords = {
  readonly store: StorePort;
  readonly chain: ChainPort;
  readonly network: Network;
  /** The store, for people. */
  readonly database: string;
  /** True: nothing is written. */
  readonly isReadOnly: boolean;
};

/** Null while the chain has no such block, or does not say. */
const ownBlock = async (chain: ChainPort, height: number): Promise<KnownBlock | null> => {
  const found = await withTimeLimit(chain.block(height), LIMIT_MS, 'no answer in time').catch(() => null);
  return found === null ? null : { id: ONLY, height, hash: found.hash };
};

/** Keeps a block, unless one is kept already; what is kept then. On what cannot be written, nothing is. */
const keepFirst = async (store: StorePort, own: KnownBlock): Promise<KnownBlock> =>
  (await noting(
    store.transaction(async (writer) => {
      const kept = await writer.get(chainCollection, ONLY);
      if (kept === null) writer.put(chainCollection, own);
      return kept ?? own;
    }),
  )) ?? own;

/** True when the records are of this chain, false while it does not say. @throws other_chain */
const isSame = async (
  { store, chain, database, isReadOnly }: ChainOfRecords,
  height: number,
): Promise<boolean> => {
  const known = await store.get(chainCollection, ONLY);
  const own = await ownBlock(chain, known?.height ?? height);
  if (own === null) return false;
  const kept = known ?? (isReadOnly ? own : await keepFirst(store, own));
  if (kept.hash === own.hash) return true;
  throw new TreasuryError('other_chain', { database, height: own.height, hash: kept.hash, other: own.hash });
};

/** Makes sure before each question, until the chain has said. */
const guarded = (chain: ChainPort, makeSure: () => Promise<boolean>): ChainPort => {
  let isKnown = false;
  let asking: Promise<void> | null = null;
  const ask = async (): Promise<void> => {
    isKnown = await makeSure();
  };
  const after =
    <Args extends readonly unknown[], Answer>(question: (...args: Args) => Promise<Answer>) =>
    async (...args: Args): Promise<Answer> => {
      if (!isKnown)
        await (asking ??= ask().finally(() => {
          asking = null;
        }));
      return question(...args);
    };
  const { coins, transaction, history, broadcast, tip, block } = chain;
  return {
    ...chain,
    coins: after(coins),
    transaction: after(transaction),
    history: after(history),
    broadcast: after(broadcast),
    tip: after(tip),
    block: after(block),
  };
};

/**
 * The chain of a store's records. Where it does not say now whether it is (its servers are away, or it has no block yet), the
 * same is asked before each question, until it is known.
 *
 * @throws other_chain, and what reading the store throws; later also whatever asks the chain that is answered
 */
export const ofOneChain = async (given: ChainOfRecords): Promise<ChainPort> => {
  const { store, chain, network } = given;
  const height = DIFFER_AT[network];
  if (height === undefined || !store.isShared) return chain;
  const makeSure = () => isSame(given, height);
  return (await makeSure()) ? chain : guarded(chain, makeSure);
};

/** Lets go of the chain that the records were of, before that begins anew. */
export const forgetChain = async (store: StorePort): Promise<void> => {
  if ((await store.get(chainCollection, ONLY)) === null) return;
  await store.transaction((writer) => {
    writer.remove(chainCollection, ONLY);
  });
};

/** Keeps which chain it is from now on. */
export const keepChain = async (
  store: StorePort,
  chain: Pick<ChainPort, 'block'>,
  network: Network,
): Promise<void> => {
  const height = DIFFER_AT[network];
  const found = height === undefined || !store.isShared ? null : await chain.block(height);
  if (found === null) return;
  await store.transaction((writer) => {
    writer.put(chainCollection, { id: ONLY, height: found.height, hash: found.hash });
  });
};
