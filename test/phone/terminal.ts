/** The command line on a home of its own beside a phone: real operations, real store and chain, a real socket to the relay. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { nouns, openApp } from '../../src/app.js';
import { run } from '../../src/cli/run.js';
import type { PhoneOptions } from './behaviour.js';
import { startPhone, type Phone } from './phone.js';
import { startNostrRelay, type NostrRelay } from './nostr-relay.js';
import { PROJECT_ID, startRelay, type Relay } from './relay.js';

/** A command that may still run. */
export type Running = {
  readonly done: Promise<{
    readonly exit: number;
    readonly stdout: string;
    readonly stderr: string;
    /** The document of `--json`. */
    readonly json: () => Record<string, unknown>;
  }>;
  /** What it has said so far that matches; waits for it. */
  readonly says: (pattern: RegExp) => Promise<string>;
  /** Ctrl-C, the moment that something is said. */
  readonly interruptAt: (pattern: RegExp) => void;
};

export type World = {
  readonly home: string;
  /** What its commands have in their environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly relay: Relay;
  /** The relay of WizardConnect. */
  readonly nostr: NostrRelay;
  readonly phone: Phone;
  readonly start: (words: readonly string[], env?: Readonly<Record<string, string>>) => Running;
  /** Runs a command to its end. */
  readonly treasury: (...words: string[]) => Running['done'];
  /** Connects the phone as the wallet `phone`. */
  readonly connect: (...flags: string[]) => Running['done'];
};

const SEED = '07'.repeat(16);

/** Opens a home, a relay and a phone; they end with the test. */
export const openWorld = async (
  t: Pick<ExecutionContext, 'teardown'>,
  options: Partial<PhoneOptions> & {
    readonly env?: Readonly<Record<string, string>>;
    /** Default: {@link startPhone}. */
    readonly start?: (options: PhoneOptions) => Phone;
  } = {},
): Promise<World> => {
  const { env: more = {}, start: startOther = startPhone, ...own } = options;
  const home = mkdtempSync(join(tmpdir(), 'treasury-phone-'));
  const [relay, nostr] = [await startRelay(), await startNostrRelay()];
  const phone = startOther({ seed: SEED, chain: 'bchtest', relay: relay.url, projectId: PROJECT_ID, ...own });
  t.teardown(async () => {
    await phone.stop();
    await relay.close();
    await nostr.close();
    rmSync(home, { recursive: true, force: true });
  });
  const env = {
    TREASURY_HOME: home,
    TREASURY_NETWORK: 'local',
    TREASURY_WALLETCONNECT_RELAY_URL: relay.url,
    TREASURY_WALLETCONNECT_PROJECT_ID: PROJECT_ID,
    TREASURY_WIZARDCONNECT_RELAY_URL: nostr.url,
    TREASURY_WALLET_WAIT: '20',
    NO_COLOR: '1',
    ...more,
  };
  const start: World['start'] = (words, changed = {}) => {
    const said = { stdout: '', stderr: '' };
    const listeners = new Set<() => void>();
    const interrupts = new Set<() => void>();
    const sink = (name: 'stdout' | 'stderr') => ({
      write: (text: string) => {
        said[name] += text;
        for (const listener of listeners) listener();
      },
    });
    const done = run(words, {
      stdin: {
        isTTY: false,
        [Symbol.asyncIterator]: async function* () {
          yield await Promise.resolve('');
        },
      },
      stdout: sink('stdout'),
      stderr: sink('stderr'),
      env: { ...env, ...changed },
      cwd: home,
      folders: () => Promise.resolve({ data: home, config: home }),
      nouns,
      openApp,
      prompts: {
        confirm: () => Promise.reject(new Error('nobody is there')),
        text: () => Promise.reject(new Error('nobody is there')),
        choose: () => Promise.reject(new Error('nobody is there')),
        secret: () => Promise.reject(new Error('nobody is there')),
      },
      startSpinner: () => Promise.resolve(() => undefined),
      sleep: () => Promise.resolve(),
      onInterrupt: (listener) => {
        interrupts.add(listener);
        return () => interrupts.delete(listener);
      },
    }).then((exit) => ({
      exit,
      ...said,
      json: () => JSON.parse(said.stdout) as Record<string, unknown>,
    }));
    return {
      done,
      says: (pattern) =>
        new Promise((resolve, reject) => {
          const look = (): void => {
            const [found] = pattern.exec(said.stdout + said.stderr) ?? [];
            if (found === undefined) return;
            listeners.delete(look);
            resolve(found);
          };
          listeners.add(look);
          look();
          void done.then(({ exit }) => {
            reject(
              new Error(`ended with ${exit} before it said ${pattern.source}: ${said.stdout}${said.stderr}`),
            );
          });
        }),
      interruptAt: (pattern) => {
        listeners.add(() => {
          if (pattern.test(said.stderr)) for (const listener of [...interrupts]) listener();
        });
      },
    };
  };
  return {
    home,
    env,
    relay,
    nostr,
    phone,
    start,
    treasury: (...words) => start(words).done,
    connect: async (...flags) => {
      const running = start(['wallet', 'connect', '--json', ...flags]);
      await phone.do('scan', await running.says(/(?:wc:|wiz:)\S+/));
      return running.done;
    },
  };
};
