/**
 * Calls of one turn leave together, as one JSON-RPC batch: a look at two hundred scripts is two requests. The library
 * makes the calls and matches the answers; here their texts are held back until the turn is over.
 */
import type { ElectrumClient } from 'electrum-cash';
import type { ServerUrl } from './server-url.js';

/** Calls of one batch. */
const MOST_IN_BATCH = 100;
/**
 * Calls under way at once, so that two programs on one machine may ask the same server. Source: Fulcrum, `max_batch`: 345
 * of one IP address, unless its operator says otherwise.
 */
const MOST_UNDER_WAY = 150;

/** Whether a server takes batches, once it is known: one that does not is sent its calls one by one. */
const takesBatches = new WeakMap<ServerUrl, boolean>();

type Call = {
  readonly start: () => Promise<unknown>;
  readonly settle: (answer: Promise<unknown>) => void;
  isInBatch: boolean;
};

export type Batches = {
  /** What the library resolves a call with. `limited` bounds the wait for it. */
  readonly ask: (
    method: string,
    params: readonly unknown[],
    limited: (answer: Promise<unknown>) => Promise<unknown>,
  ) => Promise<unknown>;
  /** Says that the connection went wrong: if a batch was out, and none was ever answered, the server is sent none again. */
  readonly suspect: () => void;
};

/** Has the library make calls; returns their texts, which it would have sent. */
const textsOf = (calls: readonly Call[], { connection }: ElectrumClient): readonly string[] => {
  const texts: string[] = [];
  const { send } = connection;
  connection.send = (text) => texts.push(text) > 0;
  try {
    for (const { start, settle } of calls) settle(start());
  } finally {
    connection.send = send;
  }
  return texts;
};

/** How one connection is asked. */
export const createBatches = (client: ElectrumClient, server: ServerUrl): Batches => {
  const held = new Set<Call>();
  const underWay = new Set<Call>();
  let isPlanned = false;

  /** How many may leave now: what is held back leaves when there is room for half a batch. */
  const room = (): number => Math.min(MOST_IN_BATCH, MOST_UNDER_WAY - underWay.size);
  const isFull = (): boolean => room() < MOST_IN_BATCH / 2;
  const plan = (): void => {
    if (isPlanned || held.size === 0 || isFull()) return;
    isPlanned = true;
    setImmediate(flush);
  };
  const flush = (): void => {
    isPlanned = false;
    while (held.size > 0 && !isFull()) {
      const part = [...held].slice(0, takesBatches.get(server) === false ? 1 : room());
      for (const call of part) {
        held.delete(call);
        underWay.add(call);
        call.isInBatch = part.length > 1;
      }
      const texts = textsOf(part, client);
      const text = texts.length > 1 ? `[${texts.join(',')}]` : texts[0];
      if (text !== undefined) client.connection.send(text);
    }
  };
  const suspect = (): void => {
    const isBatchOut = [...underWay].some(({ isInBatch }) => isInBatch);
    if (isBatchOut && !takesBatches.has(server)) takesBatches.set(server, false);
  };

  return {
    suspect,
    ask: async (method, params, limited) => {
      let settle: Call['settle'] = () => undefined;
      const answer = new Promise((resolve) => {
        settle = resolve;
      });
      const call: Call = { start: () => client.request(method, ...params), settle, isInBatch: false };
      held.add(call);
      plan();
      try {
        const result = await limited(answer);
        if (call.isInBatch && !(result instanceof Error)) takesBatches.set(server, true);
        return result;
      } catch (error) {
        suspect();
        throw error;
      } finally {
        held.delete(call);
        underWay.delete(call);
        plan();
      }
    },
  };
};
