/** `treasury database`: the tables of a database, a copy of a home, and whether all is well there. */
import { join } from 'node:path';
import type { Database } from '../app.js';
import { EXIT, TreasuryError } from '../errors.js';
import { databaseOf } from '../settings/database.js';
import type { Settings } from '../settings/settings.js';
import { callSettings, type Call } from './call.js';
import { withSpinner } from './environment.js';
import { writeDocument } from './show-reply.js';

/** Faults that are printed; `--json` has all of them. */
const MOST_SHOWN = 50;

type Opened = { readonly database: Database; readonly settings: Settings };

/** Works on the database of the settings. @throws missing_value where none is named, and what databases throw */
const withDatabase = async <T>(call: Call, work: (opened: Opened) => Promise<T>): Promise<T> => {
  const settings = await callSettings(call);
  const named = databaseOf(settings);
  const { openDatabase } = call.environment;
  if (named === null || openDatabase === undefined)
    throw new TreasuryError('missing_value', {
      flag: '--database-url (or TREASURY_DATABASE_URL, or TREASURY_DATABASE_URL_FILE)',
    });
  const database = await openDatabase(named, settings.network);
  try {
    return await work({ database, settings });
  } finally {
    await database.close();
  }
};

/** The document for programs, or a line for people. */
const say = ({ output }: Call, document: Readonly<Record<string, unknown>>, line: string): void => {
  if (output.mode === 'text') output.data(line);
  else writeDocument(output, document);
};

const countText = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Shows which version the database is of. @returns 0 when this program can work with it, else 5 */
export const showDatabase = (call: Call): Promise<number> =>
  withDatabase(call, async ({ database }) => {
    const { shown, schema } = database;
    const { version, expected, missing } = await database.status();
    const isReady = version !== null && version >= expected && missing.length === 0;
    const lack = version === null ? 'has no tables of treasury yet' : `is of version ${version}`;
    const advice = isReady
      ? 'this program works with it'
      : version !== null && version > expected
        ? `this program knows version ${expected}: it reads, and writes where it may`
        : 'run `treasury database migrate`';
    say(
      call,
      { database: shown, schema, version, expected, missing, isReady },
      `${shown}, schema ${schema}, ${lack}; ${advice}.`,
    );
    return isReady ? EXIT.done : EXIT.rule;
  });

/** Makes what is missing. @throws store_too_new, database_refused, store_unreachable */
export const migrate = (call: Call): Promise<number> =>
  withDatabase(call, async ({ database }) => {
    const { from, to, made } = await withSpinner(call, 'Making tables', () => database.migrate());
    const what =
      made.length === 0
        ? `is of version ${to} already, and lacks nothing`
        : `is of version ${to} now: ${made.length} tables and columns are made`;
    say(
      call,
      { database: database.shown, schema: database.schema, from, to, made },
      `${database.shown} ${what}.`,
    );
    return EXIT.done;
  });

/** Copies and compares. @throws missing_value, copy_target_used, copy_differs, and what stores throw */
export const copy = (
  call: Call,
  { fromHome = false, toHome = false }: { readonly fromHome?: boolean; readonly toHome?: boolean },
): Promise<number> =>
  withDatabase(call, async ({ database, settings }) => {
    if (fromHome === toHome)
      throw new TreasuryError('missing_value', { flag: 'One of --from-home and --to-home' });
    const folder = join(settings.home, settings.network);
    const copied = await withSpinner(call, 'Copying and comparing', () =>
      database.copy(fromHome ? 'from' : 'to', folder),
    );
    const { records, entries, counters } = copied;
    const [from, to] = fromHome ? [folder, database.shown] : [database.shown, folder];
    say(
      call,
      { from, to, ...copied },
      `Copied ${countText(records, 'record')}, ${countText(entries, 'event')} of the log and ${countText(counters, 'counter')} from ${from} to ${to}; compared, they are the same.`,
    );
    return EXIT.done;
  });

/** Reads everything. @returns 0 when all is well, else 1 */
export const check = (call: Call): Promise<number> =>
  withDatabase(call, async ({ database }) => {
    const { records, entries, faults } = await withSpinner(call, 'Reading everything', () =>
      database.check(),
    );
    const sum = `${countText(records, 'record')} and ${countText(entries, 'event')} of the log read`;
    const words = faults.length === 0 ? 'all is well' : countText(faults.length, 'fault');
    say(call, { database: database.shown, records, entries, faults }, `${sum}: ${words}.`);
    if (call.output.mode === 'text') for (const fault of faults.slice(0, MOST_SHOWN)) call.output.warn(fault);
    return faults.length === 0 ? EXIT.done : EXIT.unexpected;
  });
