/** The chain of a play as its parts see it: what is behind it is a process of its own (`children/chain.ts`). */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { HistoryEntry, Tip } from '../../src/operation/ports/chain.js';
import type { Place } from './place.js';

export type ChainOrder =
  | {
      readonly do: 'pay';
      readonly lockingBytecode: string;
      readonly satoshis: string;
      readonly coins: number;
    }
  | { readonly do: 'mine'; readonly blocks: number }
  | { readonly do: 'reorg'; readonly depth: number }
  | { readonly do: 'tip' }
  | { readonly do: 'history' | 'held'; readonly lockingBytecode: string }
  | { readonly do: 'raw'; readonly txid: string };

export type ChainReply = { readonly id: number; readonly answer?: unknown; readonly error?: string };

export type ClusterChain = {
  /** For TREASURY_ELECTRUM. */
  readonly url: string;
  readonly pay: (lockingBytecode: string, satoshis: bigint, coins: number) => Promise<void>;
  readonly mine: (blocks: number) => Promise<Tip>;
  readonly reorg: (depth: number) => Promise<Tip>;
  readonly tip: () => Promise<Tip>;
  readonly history: (lockingBytecode: string) => Promise<readonly HistoryEntry[]>;
  /** Satoshis at a locking bytecode. */
  readonly held: (lockingBytecode: string) => Promise<bigint>;
  readonly raw: (txid: string) => Promise<string | null>;
};

export const startChain = async ({ folder, teardown }: Place): Promise<ClusterChain> => {
  const child = fork(new URL('children/chain.js', import.meta.url).pathname, [`${folder}/chain`]);
  const [{ url }] = (await once(child, 'message')) as [{ readonly url: string }];
  const waiting = new Map<number, (reply: ChainReply) => void>();
  child.on('message', (reply: ChainReply) => {
    waiting.get(reply.id)?.(reply);
    waiting.delete(reply.id);
  });
  teardown(async () => {
    const gone = once(child, 'exit');
    child.disconnect();
    await gone;
  });
  let last = 0;
  const order = <T>(what: ChainOrder): Promise<T> =>
    new Promise((resolve, reject) => {
      const id = (last += 1);
      waiting.set(id, ({ answer, error }) => {
        if (error === undefined) resolve(answer as T);
        else reject(new Error(`the chain: ${error}`));
      });
      child.send({ id, order: what });
    });
  return {
    url,
    pay: (lockingBytecode, satoshis, coins) =>
      order({ do: 'pay', lockingBytecode, satoshis: satoshis.toString(), coins }),
    mine: (blocks) => order({ do: 'mine', blocks }),
    reorg: (depth) => order({ do: 'reorg', depth }),
    tip: () => order({ do: 'tip' }),
    history: (lockingBytecode) => order({ do: 'history', lockingBytecode }),
    held: async (lockingBytecode) => BigInt(await order<string>({ do: 'held', lockingBytecode })),
    raw: (txid) => order({ do: 'raw', txid }),
  };
};
