/** A server that lies: the embedded chain's own, over a chain of which some answers are others. */
import type { ExecutionContext } from 'ava';
import { binToHex, hexToBin, numberToBinUint32LE } from '@bitauth/libauth';
import { startElectrumServer } from '../../../src/adapters/electrum-server/electrum-server.js';
import { merkleRoot } from '../../../src/adapters/local-chain/blocks.js';
import { hashHeader } from '../../../src/bch/block-header.js';
import type { LocalChain } from '../../../src/adapters/local-chain/local-chain.js';
import { hasWork } from '../../../src/bch/difficulty.js';
import { decodeTransaction } from '../../../src/bch/transaction.js';
import { present } from '../local-chain/chain-fixture.js';

/** What a server says in place of the truth. */
export type Lies = Partial<LocalChain>;

/** Serves a chain with lies, which may be changed while it runs; ends with the test. Returns its URL. */
export const serveLies = async (t: ExecutionContext, local: LocalChain, lies: Lies): Promise<string> => {
  const chain = new Proxy(local, {
    get: (target, name, receiver): unknown =>
      Object.hasOwn(lies, name) ? Reflect.get(lies, name) : Reflect.get(target, name, receiver),
  });
  const server = await startElectrumServer({ chain, tcpPort: 0 });
  t.teardown(server.stop);
  return server.tcpUrl ?? '';
};

/** A chain as it stands now, whatever comes later. */
export const frozenAt = async (local: LocalChain): Promise<Lies> => {
  const tip = await local.tip();
  const below =
    <T>(ask: (height: number) => Promise<T | null>) =>
    (height: number) =>
      height > tip.height ? Promise.resolve(null) : ask(height);
  return {
    tip: () => Promise.resolve(tip),
    header: below(local.header),
    blockTxids: below(local.blockTxids),
    block: below(local.block),
  };
};

/** A transaction that nobody accepted, as one in a block of the chain that pays a script. */
export const inventedAt = (local: LocalChain, raw: string, height: number): Lies => {
  const transaction = decodeTransaction(raw);
  const { txid } = transaction;
  const pays = (script: string) =>
    transaction.outputs.some(({ lockingBytecode }) => lockingBytecode === script);
  return {
    rawTransaction: (asked) => (asked === txid ? Promise.resolve(raw) : local.rawTransaction(asked)),
    transaction: async (asked) => {
      if (asked !== txid) return local.transaction(asked);
      const block = await local.block(height);
      return { transaction, height, blockTime: block?.time ?? 0 };
    },
    history: async (script) => [
      ...(await local.history(script)),
      ...(pays(script) ? [{ txid, height }] : []),
    ],
    unspent: async (script) => [
      ...(await local.unspent(script)),
      ...transaction.outputs.flatMap((output, vout) =>
        output.lockingBytecode === script ? [{ ...output, txid, vout, height }] : [],
      ),
    ],
  };
};

/** The block at a height with one more transaction, which its header does not stand for. */
export const withTxid = (local: LocalChain, txid: string, at: number): Lies => ({
  blockTxids: async (height) => {
    const txids = await local.blockTxids(height);
    return txids === null || height !== at ? txids : [...txids, txid];
  },
});

/** Another header on top of a parent, with a root over other transactions; with work, or without any. */
export const forgeHeader = (
  header: string,
  parent: string,
  { txids, isWorked }: { readonly txids: readonly string[]; readonly isWorked: boolean },
): string => {
  const bytes = hexToBin(header);
  bytes.set(hexToBin(parent).reverse(), 4);
  bytes.set(merkleRoot(txids), 36);
  for (let nonce = 0; ; nonce += 1) {
    bytes.set(numberToBinUint32LE(nonce), 76);
    const forged = binToHex(bytes);
    if (hasWork(hashHeader(forged), 0x207fffff) === isWorked) return forged;
  }
};

/** The chain from a height on with other headers, the first of which stands for one more transaction. */
export const forkedFrom = async (
  local: LocalChain,
  from: number,
  { txid, isWorked, blocks }: { readonly txid: string; readonly isWorked: boolean; readonly blocks: number },
): Promise<Lies> => {
  const headers = new Map<number, string>();
  const first = [...present(await local.blockTxids(from)), txid];
  let parent = hashHeader(present(await local.header(from - 1)));
  const tip = await local.tip();
  for (let height = from; height < from + blocks; height += 1) {
    const like = present(await local.header(Math.min(height, tip.height)));
    const forged = forgeHeader(like, parent, { txids: height === from ? first : [txid], isWorked });
    headers.set(height, forged);
    parent = hashHeader(forged);
  }
  const last = from + blocks - 1;
  return {
    tip: () => Promise.resolve({ ...tip, height: last, hash: parent }),
    header: (height) =>
      height > last
        ? Promise.resolve(null)
        : Promise.resolve(headers.get(height) ?? null).then((forged) => forged ?? local.header(height)),
    blockTxids: (height) => {
      if (height < from) return local.blockTxids(height);
      return Promise.resolve(height > last ? null : height === from ? first : [txid]);
    },
  };
};

/** Nothing of a transaction is shown. */
export const hidden = (local: LocalChain, txid: string): Lies => ({
  rawTransaction: (asked) => (asked === txid ? Promise.resolve(null) : local.rawTransaction(asked)),
  transaction: (asked) => (asked === txid ? Promise.resolve(null) : local.transaction(asked)),
  history: async (script) => (await local.history(script)).filter((entry) => entry.txid !== txid),
  unspent: async (script) => (await local.unspent(script)).filter((coin) => coin.txid !== txid),
});

/** A transaction stands so many blocks from where it is. */
export const movedBy = (local: LocalChain, txid: string, blocks: number): Lies => ({
  transaction: async (asked) => {
    const found = await local.transaction(asked);
    return found === null || asked !== txid ? found : { ...found, height: (found.height ?? 0) + blocks };
  },
  history: async (script) =>
    (await local.history(script)).map((entry) =>
      entry.txid === txid ? { txid, height: (entry.height ?? 0) + blocks } : entry,
    ),
});
