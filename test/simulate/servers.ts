/**
 * Servers of the Electrum protocol before one chain, which are late, end, hang, stand still, hide and make things up.
 * What they say is said by the program's own server; the wires between are simulated, text by text.
 */
import {
  createElectrumService,
  type ElectrumService,
} from '../../src/adapters/electrum-server/electrum-server.js';
import type { Connect, Connection, Reply } from '../../src/adapters/electrum/connection.js';
import type { LocalChain } from '../../src/adapters/local-chain/local-chain.js';
import { lyingChain, type LyingChain } from '../adapters/electrum/lying-chain.js';
import { TreasuryError } from '../../src/errors.js';
import { asError } from './host.js';
import type { Random } from './random.js';
import { stoppable } from './stoppable.js';
import { runAs, runningOwner, type Owner, type Timeline } from './timeline.js';

/** What a server does in place of answering well. */
export const TROUBLES = [
  'down',
  'hangs',
  'stands still',
  'hides',
  'lies',
  'loses answers',
  'doubles answers',
  'hides one',
  'lies on histories',
  'slow',
  'keeps what it refuses',
] as const;
export type Trouble = (typeof TROUBLES)[number];

/** How long a server keeps what it has refused. */
const MOST_KEPT_MS = 60_000;

/** What was said meanwhile is not true: when it ends, everything is asked for again. */
const FALSE: readonly Trouble[] = ['lies', 'hides one', 'lies on histories'];

export type SimServer = {
  readonly name: string;
  readonly url: string;
  readonly troubles: ReadonlySet<Trouble>;
  readonly begin: (trouble: Trouble) => void;
  readonly end: (trouble: Trouble) => void;
  /** Ends every connection, as when it starts anew. */
  readonly restart: () => void;
  /** What it shows, for making things up. */
  readonly liar: LyingChain;
  /** Keeps a transaction back while it `hides one`. */
  readonly hide: (txid: string) => void;
  readonly connect: Connect;
};

type Call = { readonly resolve: (reply: Reply) => void; readonly reject: (error: Error) => void };

/** Opens a server before a chain. `node` answers what only a node can; it is the same for all. */
export const openServer = async (
  name: string,
  node: LocalChain,
  { timeline, random }: { readonly timeline: Timeline; readonly random: Random },
): Promise<SimServer> => {
  const troubles = new Set<Trouble>();
  const view = stoppable(node);
  const liar = lyingChain(view.chain);
  const hider = lyingChain(view.chain);
  /** Heights that are wrong, and a last entry that is kept back. */
  const falsified: LocalChain = {
    ...view.chain,
    history: async (lock) =>
      (await view.chain.history(lock))
        .slice(0, -1)
        .map(({ txid, height }) => ({ txid, height: height === null ? 1 : height + 1 })),
  };
  /** Finds a fault in whatever it is given, and hands it on later. */
  const refuser: LocalChain = {
    ...view.chain,
    broadcast: (raw) => {
      timeline.after(
        random.next() * MOST_KEPT_MS,
        () => {
          // What it spends may be gone by then.
          runAs(null, () => node.broadcast(raw)).catch(() => undefined);
        },
        null,
      );
      return Promise.reject(new TreasuryError('tx_script_failed', { reason: 'Non-canonical DER signature' }));
    },
  };
  const chainShown = (): LocalChain => {
    if (troubles.has('keeps what it refuses')) return refuser;
    if (troubles.has('lies')) return liar;
    if (troubles.has('hides one')) return hider;
    return troubles.has('lies on histories') ? falsified : view.chain;
  };
  // What it made up is gone when it lies no more.
  const shown = Object.fromEntries(
    Object.keys(liar).map((method) => [
      method,
      (...given: unknown[]): unknown => {
        const chain = chainShown() as unknown as Record<string, (...given: unknown[]) => unknown>;
        return chain[method]?.(...given);
      },
    ]),
  ) as unknown as LocalChain;
  const service: ElectrumService = createElectrumService(shown, { host: name, ports: {}, indexDelayMs: 0 });
  await service.begin();
  const lines = new Set<{ readonly lose: (reason: string) => void }>();

  const delay = (): number => {
    const most = troubles.has('slow') ? 6_000 : 40;
    return 1 + random.next() * most;
  };
  const restart = (): void => {
    for (const line of [...lines]) line.lose('closed the connection');
  };

  const connect: Connect = (options) => {
    const owner: Owner | null = runningOwner();
    const later = (work: () => void, who: Owner | null): void => {
      timeline.after(delay(), work, who);
    };
    let isOpen = false;
    let ids = 0;
    const calls = new Map<number, Call>();

    const hear = (text: string): void => {
      const message = JSON.parse(text) as {
        id?: number;
        method?: string;
        params?: unknown[];
        result?: unknown;
        error?: { message: string };
      };
      if (message.method !== undefined) {
        if (isOpen) options.onNotification(message.method, message.params ?? []);
        return;
      }
      const call = calls.get(message.id ?? -1);
      calls.delete(message.id ?? -1);
      if (message.error !== undefined) call?.resolve({ refusal: message.error.message });
      else call?.resolve({ result: message.result });
    };
    const line = {
      lose: (reason: string): void => {
        if (!lines.delete(line)) return;
        options.signal.removeEventListener('abort', close);
        runAs(null, () => {
          wire.closed();
        });
        later(() => {
          const wasOpen = isOpen;
          isOpen = false;
          for (const { reject } of calls.values()) reject(new Error(reason));
          calls.clear();
          if (wasOpen) options.onLost(reason);
        }, owner);
      },
    };
    const wire = runAs(null, () =>
      service.accept({
        send: (text) => {
          if (troubles.has('hangs') || !lines.has(line)) return;
          if (troubles.has('loses answers') && random.chance(0.2)) {
            line.lose('closed the connection');
            return;
          }
          for (let times = troubles.has('doubles answers') ? 2 : 1; times > 0; times -= 1)
            later(() => {
              hear(text);
            }, owner);
        },
        end: () => {
          line.lose('closed the connection');
        },
      }),
    );
    lines.add(line);
    const close = (): void => {
      options.signal.removeEventListener('abort', close);
      isOpen = false;
      if (!lines.delete(line)) return;
      for (const { reject } of calls.values()) reject(new Error('closed the connection'));
      calls.clear();
      runAs(null, () => {
        wire.closed();
      });
    };
    options.signal.addEventListener('abort', close);
    owner?.onEnd.add(() => {
      options.signal.removeEventListener('abort', close);
      lines.delete(line);
      runAs(null, () => {
        wire.closed();
      });
    });

    const request: Connection['request'] = (method, params, limitMs) =>
      new Promise((resolve, reject) => {
        if (!lines.has(line)) {
          reject(new Error('closed the connection'));
          return;
        }
        ids += 1;
        const id = ids;
        calls.set(id, { resolve, reject });
        later(() => {
          if (lines.has(line) && !troubles.has('hangs'))
            wire.receive(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
        }, null);
        timeline.after(
          limitMs,
          () => {
            if (calls.delete(id)) reject(new Error(`did not answer ${method} within ${limitMs} ms`));
          },
          owner,
        );
      });

    return new Promise((resolve, reject) => {
      later(() => {
        if (troubles.has('down')) {
          close();
          reject(new Error('connect ECONNREFUSED'));
          return;
        }
        request('server.version', ['treasury', options.version], options.limitMs).then(
          (reply) => {
            if ('refusal' in reply) {
              close();
              resolve(null);
              return;
            }
            isOpen = true;
            resolve({ request, close });
          },
          (error: unknown) => {
            close();
            reject(asError(error));
          },
        );
      }, owner);
    });
  };

  return {
    name,
    url: `tcp://${name}:50001`,
    troubles,
    liar,
    hide: hider.hide,
    connect,
    restart,
    begin: (trouble) => {
      troubles.add(trouble);
      if (trouble === 'down') restart();
      if (trouble === 'stands still' || trouble === 'hides') view.stop();
    },
    end: (trouble) => {
      troubles.delete(trouble);
      if (!troubles.has('stands still') && !troubles.has('hides')) view.goOn();
      if (FALSE.includes(trouble)) restart();
    },
  };
};
