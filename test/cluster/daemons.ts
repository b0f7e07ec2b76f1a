/** Three daemons: the real program, each with a home of its own and a way to the database of its own. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../adapters/electrum/electrum-fixture.js';
import type { ClusterChain } from './chain.js';
import type { Place } from './place.js';
import { startRelay, type Relay } from './relay.js';

const BIN = join(process.cwd(), 'bin/treasury.js');

export type Daemon = {
  readonly name: string;
  readonly port: number;
  /** Its way to the database. */
  readonly relay: Relay;
  readonly start: () => void;
  /** SIGKILL; returns once it is gone. */
  readonly kill: () => Promise<void>;
  /** SIGTERM; returns its exit code once it has ended. */
  readonly stop: () => Promise<number | null>;
  readonly freeze: () => void;
  readonly wake: () => void;
  readonly isRunning: () => boolean;
};

type Variables = Readonly<Record<string, string | undefined>>;

/** Through another port. */
const urlThrough = (databaseUrl: string, port: number): string => {
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  return url.href;
};

/** Runs a command of the program. @returns what it prints @throws Error when it fails */
const runCommand = (env: Variables, words: readonly string[]): Promise<Readonly<Record<string, unknown>>> =>
  new Promise((resolve, reject) => {
    const options = { env: { ...env }, maxBuffer: 2 ** 28 };
    execFile(process.execPath, [BIN, ...words, '--json'], options, (error, stdout, stderr) => {
      if (error === null) resolve(JSON.parse(stdout) as Readonly<Record<string, unknown>>);
      else reject(new Error(`treasury ${words.join(' ')}: ${stdout}${stderr}`));
    }).stdin?.end();
  });

const createDaemon = (
  { name, port, relay, env }: Pick<Daemon, 'name' | 'port' | 'relay'> & { readonly env: Variables },
  { folder, teardown }: Place,
): Daemon => {
  let child: ChildProcess | null = null;
  const log = createWriteStream(join(folder, `${name}.log`), { flags: 'a' });
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child === null) return null;
    const ending = child;
    child = null;
    const gone = once(ending, 'exit');
    ending.kill(signal);
    ending.kill('SIGCONT');
    const [code] = (await gone) as [number | null];
    return code;
  };
  teardown(async () => {
    await end('SIGKILL');
    log.end();
  });
  return {
    name,
    port,
    relay,
    start: () => {
      const started = spawn(process.execPath, [BIN, 'serve', '--port', String(port)], {
        env: { ...env },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      started.stderr.pipe(log, { end: false });
      started.once('exit', () => {
        if (child === started) child = null;
      });
      child = started;
    },
    kill: async () => {
      await end('SIGKILL');
    },
    stop: () => end('SIGTERM'),
    freeze: () => child?.kill('SIGSTOP'),
    wake: () => child?.kill('SIGCONT'),
    isRunning: () => child !== null,
  };
};

export type Cluster = {
  readonly daemons: readonly Daemon[];
  /** A command of the program on the database itself, with the home of the first daemon. */
  readonly run: (...words: string[]) => Promise<Readonly<Record<string, unknown>>>;
  /** The same in a home without a database; the keys of the daemons are there. */
  readonly runElsewhere: (home: string, ...words: string[]) => Promise<Readonly<Record<string, unknown>>>;
  /** Address that pays for witnesses. */
  readonly authority: string;
};

/** Makes the homes, which have the same keys and secrets, migrates the database, and starts the daemons. */
export const startCluster = async (
  place: Place,
  {
    chain,
    databaseUrl,
    count = 3,
  }: { readonly chain: ClusterChain; readonly databaseUrl: string; readonly count?: number },
): Promise<Cluster> => {
  const { folder } = place;
  const secret = (name: string): string => {
    const file = join(folder, name);
    writeFileSync(file, randomBytes(32).toString('hex'), { mode: 0o600 });
    return file;
  };
  const { PATH } = process.env;
  const common: Variables = {
    PATH,
    HOME: folder,
    TZ: 'UTC',
    NO_COLOR: '1',
    TREASURY_NETWORK: 'regtest',
    TREASURY_ELECTRUM: chain.url,
    TREASURY_TOKEN_SECRET_FILE: secret('token'),
    TREASURY_WEBHOOK_SECRET_FILE: secret('webhook'),
    TREASURY_PRICE_ORACLE_URL: 'none',
    TREASURY_PRICE_FALLBACK_URL: 'none',
    TREASURY_RATE_PER_MINUTE: '0',
  };
  const homes = Array.from({ length: count }, (_, index) => join(folder, `home-${index + 1}`));
  const [first = ''] = homes;
  const direct = { ...common, TREASURY_HOME: first, TREASURY_DATABASE_URL: databaseUrl };
  await runCommand(direct, ['database', 'migrate']);
  const init = await runCommand(direct, ['init', '--yes']);
  await runCommand(direct, ['wallet', 'create', 'operator']);
  for (const home of homes.slice(1)) {
    mkdirSync(join(home, 'regtest'), { recursive: true, mode: 0o700 });
    cpSync(join(first, 'regtest/keystore.json'), join(home, 'regtest/keystore.json'));
  }
  const daemons: Daemon[] = [];
  for (const [index, home] of homes.entries()) {
    const relay = await startRelay(Number(new URL(databaseUrl).port || 5432), place);
    const env = {
      ...common,
      TREASURY_HOME: home,
      TREASURY_DATABASE_URL: urlThrough(databaseUrl, relay.port),
    };
    daemons.push(createDaemon({ name: `daemon-${index + 1}`, port: await freePort(), relay, env }, place));
  }
  for (const daemon of daemons) daemon.start();
  const [authority] = init['wallets'] as readonly { readonly address: string }[];
  return {
    daemons,
    run: (...words) => runCommand(direct, words),
    runElsewhere: (home, ...words) => {
      mkdirSync(join(home, 'regtest'), { recursive: true, mode: 0o700 });
      cpSync(join(first, 'regtest/keystore.json'), join(home, 'regtest/keystore.json'));
      return runCommand({ ...common, TREASURY_HOME: home }, words);
    },
    authority: authority?.address ?? '',
  };
};

/** Waits until each daemon answers. @throws Error when one does not in time */
export const untilAllAnswer = async (daemons: readonly Daemon[], seconds = 60): Promise<void> => {
  const deadline = Date.now() + seconds * 1_000;
  for (const { port, name } of daemons)
    for (;;) {
      const isReady = await fetch(`http://127.0.0.1:${port}/api/health/ready`, {
        signal: AbortSignal.timeout(5_000),
      }).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isReady) break;
      if (Date.now() > deadline) throw new Error(`${name} does not answer`);
      await wait(200);
    }
};
