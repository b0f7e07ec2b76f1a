/** One run of a change: what it reads comes from its transaction, what it writes is held back until it reads or ends. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StoreReader, StoreWriter } from '../../operation/ports/store.js';
import { readRow, rowToPut } from '../store/record-row.js';
import type { Answer, Connection } from './connections.js';
import { writtenEntry } from './logs.js';
import { createPending } from './pending.js';
import { getFound, recordReader, type Reading } from './reader.js';
import type { Statement } from './statements.js';
import { exactTotals } from './totals.js';
import { pack, type Packed, type Piece } from './writes.js';

/** What a change stands in. */
export type ChangeScope = Omit<Reading, 'run' | 'totals'> & {
  readonly connection: Connection;
  /** The next position, once the time of the database is known. */
  readonly position: () => Promise<() => string>;
  /** Microseconds since 1970 in the database. */
  readonly time: () => Promise<number>;
  /** The next number of a counter, which is taken whatever becomes of this run. */
  readonly next: (counter: string, least: number) => Promise<number>;
  readonly readLog: StoreReader['readLog'];
};

/** What was sent, whether it is answered or not. */
type Sent = { readonly answers: readonly Promise<Answer>[] };

/** A run of a change. */
export type RunningChange = {
  readonly writer: StoreWriter;
  /** Sends all that is not written yet, and more with it. */
  readonly flush: (more: readonly Piece[]) => Promise<Sent>;
  /** True when anything was written. */
  readonly hasWritten: () => boolean;
  /** @throws what the first statement that failed was answered: whatever the change made of it, it cannot be committed */
  readonly requireSound: () => void;
  /** The writer refuses from now on. */
  readonly end: () => void;
};

/** What a run sends, and how it stands. */
const createSending = ({ connection, position }: ChangeScope, held: ReturnType<typeof createPending>) => {
  let isOver = false;
  const failures: unknown[] = [];
  const refuseOver = (): void => {
    if (isOver) throw new Error('this change of the store is over: write inside the function only');
  };
  const send = async (statement: Statement) => {
    refuseOver();
    try {
      return await connection.send(statement);
    } catch (error) {
      failures.push(error);
      throw error;
    }
  };
  /** Sends it at once: the server does one after the other, and whoever waits for the last has waited for all. */
  const sendOn = (statement: Statement): Promise<Answer> => {
    const answer = send(statement);
    answer.catch(() => undefined);
    return answer;
  };
  const sendPacked = async (packed: readonly Packed[]): Promise<Sent> => {
    const sent = packed.map((one) => ({ ...one, answer: sendOn(one) }));
    const more: Promise<Answer>[] = [];
    for (const { ifThere, answer } of sent)
      if (ifThere.length > 0 && Number((await answer).rows[0]?.['version']) > 1)
        more.push(...pack(ifThere).map(sendOn));
    return { answers: [...sent.map(({ answer }) => answer), ...more] };
  };
  /** What was held back is sent by whoever comes first; the others wait until it is. */
  let flushing: Promise<unknown> = Promise.resolve();
  const flush: RunningChange['flush'] = (more) => {
    const sending = flushing.then(async () => {
      if (held.isEmpty() && more.length === 0) return { answers: [] };
      const next = await position();
      return sendPacked(pack([...more, ...held.take(next)]));
    });
    flushing = sending.catch(() => undefined);
    return sending;
  };
  const run: Reading['run'] = async (statement) => {
    await flush([]);
    return (await send(statement)).rows;
  };
  return {
    run,
    flush,
    refuseOver,
    requireSound: (): void => {
      const [first] = failures;
      if (first !== undefined) throw first as Error;
    },
    end: (): void => {
      isOver = true;
    },
  };
};

/** Begins a run. */
export const runningChange = (scope: ChangeScope): RunningChange => {
  const held = createPending(scope.space);
  const { run, flush, refuseOver, requireSound, end } = createSending(scope, held);
  let [hasWritten, appended] = [false, 0];
  const reading: Reading = { ...scope, run, totals: exactTotals };
  const reader = recordReader(reading);
  const write = (): void => {
    refuseOver();
    hasWritten = true;
  };

  const writer: StoreWriter = {
    get: async (collection, id) => {
      refuseOver();
      const known = held.find(collection, id);
      if (known !== undefined) return (known?.record ?? null) as never;
      held.learn(collection, id, await getFound(reading, collection, id));
      return (held.find(collection, id)?.record ?? null) as never;
    },
    find: reader.find,
    readLog: async (log, range) => {
      refuseOver();
      if (range.limit <= 0) return { entries: [], last: (await scope.time()) + appended };
      return scope.readLog(log, range);
    },
    put: (collection, record) => {
      write();
      held.put(collection, rowToPut({ readNew: readRow }, collection, record));
    },
    remove: (collection, id) => {
      write();
      held.remove(collection, id);
    },
    next: (counter, least = 1) => {
      refuseOver();
      return scope.next(counter, least);
    },
    append: (log, entry) => {
      write();
      held.append(log, writtenEntry(log, entry));
      appended += 1;
    },
    rest: () => nextTurn(),
  };
  return { writer, flush, hasWritten: () => hasWritten, requireSound, end };
};
