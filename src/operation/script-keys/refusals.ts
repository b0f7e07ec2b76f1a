/** Keys that are refused: said in the log, and told as events. */
import type { TreasuryError } from '../../errors.js';
import type { Context } from '../context.js';
import type { StoreWriter } from '../ports/store.js';
import { keyInWords, scriptKeyCollection, type ScriptKeyRecord } from './script-key.js';

/** What happens to a key. */
export type KeyEvent = {
  readonly type: 'key.created' | 'key.revoked' | 'key.refused';
  readonly key: ScriptKeyRecord;
  /** Unix seconds. */
  readonly time: number;
  readonly data: Readonly<Record<string, unknown>>;
};

/** Tells an event of a key in the commit that it tells of. Its party is whoever made it. */
export type KeyTeller = (writer: StoreWriter, event: KeyEvent) => Promise<unknown>;

/** What tells events of keys: to be awaited before the change that it tells in. */
export const keyTeller = async ({ eventTeller }: Pick<Context, 'eventTeller'>): Promise<KeyTeller> => {
  const tell = await eventTeller?.();
  return async (writer, { type, key, time, data }) =>
    tell?.(writer, {
      type,
      time,
      subject: { kind: 'key', label: key.label, id: key.id },
      parties: [key.address],
      data: { name: key.name, shown: `${key.prefix}…${key.last_four}`, ...data },
    });
};

/** A key writes at most once in so many seconds that it was used, and that it was refused. */
export const NOTED_SECONDS = 60;

type Noting = Pick<Context, 'store' | 'clock' | 'log' | 'eventTeller'>;

/** Changes what is noted of a key, unless another request was quicker. What cannot be noted stops nobody. */
const note = async (
  key: ScriptKeyRecord,
  field: 'last_used_at' | 'last_refused_at',
  { store, clock, log }: Noting,
  tell: (writer: StoreWriter, noted: ScriptKeyRecord, now: number) => Promise<unknown> = () =>
    Promise.resolve(),
): Promise<void> => {
  const now = clock.wall();
  const isDue = (at: number | null): boolean => at === null || now - at >= NOTED_SECONDS || at > now;
  if (!isDue(key[field])) return;
  try {
    await store.transaction(async (writer) => {
      const known = await writer.get(scriptKeyCollection, key.id);
      if (known === null || !isDue(known[field])) return;
      const noted = { ...known, [field]: now };
      writer.put(scriptKeyCollection, noted);
      await tell(writer, noted, now);
    });
  } catch (error) {
    log.warn({ key: key.label, error: String(error) }, 'the use of a key could not be noted');
  }
};

/** Notes that a key was used, at most once a minute. */
export const noteUse = (key: ScriptKeyRecord, context: Noting): Promise<void> =>
  note(key, 'last_used_at', context);

/** Notes that a key was refused: each in the log, one a minute as an event. */
export const noteRefusal = async (
  key: ScriptKeyRecord,
  error: TreasuryError,
  operation: string,
  context: Noting,
): Promise<void> => {
  const { code } = error;
  context.log.warn({ key: key.label, operation, code }, `the key ${keyInWords(key)} was refused`);
  const tell = await keyTeller(context);
  await note(key, 'last_refused_at', context, (writer, noted, time) =>
    tell(writer, { type: 'key.refused', key: noted, time, data: { operation, code } }),
  );
};
