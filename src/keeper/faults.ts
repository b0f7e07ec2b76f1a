/**
 * What could not be done: told once when it begins, left alone for longer each time, told once when it is over. The store
 * remembers it, so that a keeper that is started anew hammers nobody.
 */
import { ERRORS, isTreasuryError, type ErrorCode } from '../errors.js';
import type { Context } from '../operation/context.js';
import type { StoreWriter } from '../operation/ports/store.js';
import { keeperFaultCollection, type KeeperFault } from '../record/keeper.js';
import { requireHeld, type Held } from '../record/leases.js';
import { reasonOf } from './leaving.js';
import { tellFailed, tellRecovered } from './tell.js';

/** From a minute, doubled each time, to six hours. */
const FIRST_SECONDS = 60;
const LONGEST_SECONDS = 6 * 3_600;

/** How long is waited after so many failures in a row, seconds. */
export const delayAfter = (failures: number): number =>
  Math.min(FIRST_SECONDS * 2 ** Math.min(failures - 1, 20), LONGEST_SECONDS);

/** True while a fault is left alone. A clock that was set back to before it leaves nothing waiting. */
export const isWaiting = ({ last_at: last, next_at: next }: KeeperFault, now: number): boolean =>
  now < next && now >= last;

/** What is at fault: an item, a rule, a wallet. */
export type Subject = {
  readonly key: string;
  /** Empty where it is no item. */
  readonly task: string;
  readonly label: string;
  /** Cash addresses. */
  readonly parties: readonly string[];
};

const codeOf = (error: unknown): ErrorCode => (isTreasuryError(error) ? error.code : 'internal_error');

/** The exit code of a fault. */
export const exitOfFault = (error: unknown): number => ERRORS[codeOf(error)].exit;

/** Remembers a fault. @returns true when it is told: a new one, or another than the last time */
export const noteFault = async (
  { store, clock, log, meters }: Pick<Context, 'store' | 'clock' | 'log' | 'meters'>,
  subject: Subject,
  error: unknown,
  held: Held,
): Promise<boolean> => {
  const now = clock.now();
  const { key: id, task, label, parties } = subject;
  const [code, message] = [codeOf(error), reasonOf(error)];
  const isTold = await store.transaction(async (writer) => {
    await requireHeld(writer, held);
    const before = await writer.get(keeperFaultCollection, id);
    const failures = (before?.failures ?? 0) + 1;
    const isNew = before?.code !== code;
    writer.put(keeperFaultCollection, {
      id,
      task,
      label,
      parties: [...parties],
      code,
      message,
      failures,
      first_at: before?.first_at ?? now,
      last_at: now,
      next_at: now + delayAfter(failures),
    });
    if (isNew)
      await tellFailed(writer, { time: now, key: id, label, parties }, { task, code, error: message });
    return isNew;
  });
  meters.count('keeper_faults');
  if (isTold) log.warn({ event: 'keeper.failed', task, label, code }, message);
  return isTold;
};

/** Where no wallet is known, it concerns whoever has the home: the addresses of its wallets. */
export const everybody = async ({ keys }: Pick<Context, 'keys'>): Promise<readonly string[]> =>
  (await keys.list()).map(({ address }) => address.text);

/** What the rules as a whole are remembered under. */
const RULES_KEY = 'rules';

/**
 * Remembers that the rules cannot be followed at all, as long as nobody has mended them: nothing is done meanwhile. The next
 * pass ends it.
 */
export const noteNoRules = async (
  context: Pick<Context, 'store' | 'clock' | 'log' | 'meters' | 'keys'>,
  error: unknown,
  held: Held,
): Promise<void> => {
  const known = await context.store.get(keeperFaultCollection, RULES_KEY);
  if (known?.code === codeOf(error) && isWaiting(known, context.clock.now())) return;
  const parties = await everybody(context);
  await noteFault(context, { key: RULES_KEY, task: '', label: 'keeper.json', parties }, error, held);
};

/** Forgets a fault that is over, within a commit. */
export const endFault = async (writer: StoreWriter, id: string, now: number): Promise<void> => {
  const fault = await writer.get(keeperFaultCollection, id);
  if (fault === null) return;
  const { task, label, code, parties } = fault;
  writer.remove(keeperFaultCollection, id);
  await tellRecovered(writer, { time: now, key: id, label, parties }, { task, code });
};
