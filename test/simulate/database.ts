/**
 * The database of a world: a real PostgreSQL, behind wires of the world. Whoever of the world connects has a wire: what is
 * said on it arrives when the clock of the world says so, and while the server has something to do, that clock stands. A
 * process is killed at what it says, a wire is cut before or after a commit, and the time that the server tells is the
 * world's. So what follows upon what is decided by the seed, the conflicts of changes included.
 *
 * What the seed does not decide is what the server does by itself: when it takes predicate locks together or cleans up, it
 * may refuse a change in one run that it takes in another, and a story goes on otherwise from there. No check goes by it.
 */
import pg from 'pg';
import { openDatabase } from '../../src/app.js';
import type { Owner } from './timeline.js';
import { NETWORK } from './processes.js';
import { createStandingClock } from './standing-clock.js';
import { openWire, type Cut, type Hearing, type Wire, type WireRoom } from './wires.js';

export type SimDatabase = {
  readonly url: string;
  /** A wire for a process. */
  readonly connect: (owner: Owner, hearing: Hearing) => Wire;
  /** Cuts a wire at one of the next commits, unless one is to be cut already. */
  readonly cut: (cut: Cut) => void;
  /** Ends all connections, and takes none for a while. */
  readonly restart: (milliseconds: number) => void;
  /** Nothing goes wrong any more. */
  readonly mend: () => void;
  readonly close: () => Promise<void>;
};

type Env = Pick<WireRoom, 'timeline' | 'random' | 'count' | 'tell'>;

let databases = 0;
let template: Promise<string> | null = null;

const through = (serverUrl: string, name: string): string => {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
};

const withClient = async <T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

/** The clock of the server is a number that the world sets, and no part of any transaction. */
const CLOCK = `
  create schema simulated;
  create sequence simulated.microseconds;
  create function simulated.clock_timestamp() returns timestamptz language sql volatile
    as $$ select timestamptz 'epoch' + last_value * interval '1 microsecond' from simulated.microseconds $$`;

/** A database with all tables and the world's clock, of which each world has a copy. */
const makeTemplate = async (serverUrl: string, name: string): Promise<string> => {
  await withClient(serverUrl, (client) => client.query(`create database ${name}`));
  const url = through(serverUrl, name);
  const database = await openDatabase({ url, connections: 2 }, NETWORK);
  try {
    await database.migrate();
  } finally {
    await database.close();
  }
  await withClient(url, (client) => client.query(CLOCK));
  return name;
};

const makeDatabase = async (serverUrl: string, name: string): Promise<void> => {
  template ??= makeTemplate(serverUrl, `simulated_${process.pid}`);
  const like = await template;
  await withClient(serverUrl, async (client) => {
    await client.query(`create database ${name} template ${like}`);
    await client.query(`alter database ${name} set search_path = simulated, pg_catalog, public`);
    // The clock of the world stands until those that wait for each other are told so.
    await client.query(`alter database ${name} set deadlock_timeout = '1ms'`);
  });
};

const dropDatabase = (serverUrl: string, name: string): Promise<unknown> =>
  withClient(serverUrl, (client) => client.query(`drop database if exists ${name} with (force)`));

/** Removes what the databases of worlds are copies of. */
export const removeTemplate = async (serverUrl: string): Promise<void> => {
  if (template === null) return;
  await dropDatabase(serverUrl, await template);
  template = null;
};

/** Makes the database of a world on a server that asks for no password. */
export const openSimDatabase = async (serverUrl: string, env: Env): Promise<SimDatabase> => {
  databases += 1;
  const name = `simulated_${process.pid}_${databases}`;
  await makeDatabase(serverUrl, name);
  const url = through(serverUrl, name);
  const control = new pg.Client({ connectionString: url });
  control.on('error', () => undefined);
  await control.connect();
  const clock = createStandingClock(control, env.timeline);
  const { hostname: host, port } = new URL(serverUrl);
  const address = { host, port: Number(port === '' ? 5432 : port) };
  const room: WireRoom = { ...env, ...clock, address, isDown: false, cut: null };
  let numbers = 0;
  const mend = (): void => {
    room.isDown = false;
    room.cut = null;
  };
  return {
    url,
    connect: (owner, hearing) => openWire((numbers += 1), owner, hearing, room),
    cut: (cut) => {
      room.cut ??= cut;
    },
    restart: (milliseconds) => {
      room.isDown = true;
      clock.really(async () => {
        for (const end of clock.ends) end.isEnding = true;
        const others = 'datname = current_database() and pid <> pg_backend_pid()';
        await control.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${others}`);
      });
      env.timeline.after(
        milliseconds,
        () => {
          room.isDown = false;
        },
        null,
      );
    },
    mend,
    close: async () => {
      await clock.whenDone();
      await control.end();
      await dropDatabase(serverUrl, name);
    },
  };
};
