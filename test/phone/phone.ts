/**
 * A phone with a wallet: a process of its own that does what it is ordered to, and tells what is seen on it.
 *
 *     const relay = await startRelay();
 *     const phone = startPhone({ seed: '00'.repeat(16), chain: 'bchtest', relay: relay.url, projectId: PROJECT_ID });
 *     await phone.do('plan', { do: 'accept', lie: 'outputValue' });
 *     await phone.do('scan', uri);
 *     const { shown } = await phone.sees('request');
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { PhoneEvent, PhoneOptions } from './behaviour.js';
import type { OrderMessage, OrderName, Orders, PhoneMessage } from './orders.js';

const PROGRAM = fileURLToPath(new URL('children/phone.js', import.meta.url));

export type Phone = {
  /** All that was told, in order. */
  readonly events: readonly PhoneEvent[];
  /** Gives an order, and waits until it is done. @throws Error with the phone's words */
  readonly do: <Name extends OrderName>(
    name: Name,
    ...args: Parameters<Orders[Name]>
  ) => Promise<ReturnType<Orders[Name]>>;
  /** The next event of a kind that was not asked for before; waits for it. */
  readonly sees: (kind: string, milliseconds?: number) => Promise<PhoneEvent>;
  /** Ends the process; nothing of it stays. */
  readonly stop: () => Promise<void>;
};

type Waiting = { readonly resolve: (result: unknown) => void; readonly reject: (error: Error) => void };

/** Starts a phone. Stop it when the test ends. Another program can play it, which takes the same orders. */
export const startPhone = (
  options: PhoneOptions,
  [program, ...args]: readonly string[] = [PROGRAM],
): Phone => {
  const child = fork(program ?? PROGRAM, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const events: PhoneEvent[] = [];
  const seen = new Set<PhoneEvent>();
  const waiting = new Map<number, Waiting>();
  const listeners = new Set<() => void>();
  let orders = 0;
  child.on('message', (given) => {
    const message = given as PhoneMessage;
    if ('event' in message) {
      events.push(message.event);
      for (const listener of listeners) listener();
      return;
    }
    const { resolve, reject } = waiting.get(message.id) ?? {};
    waiting.delete(message.id);
    if (message.error === undefined) resolve?.(message.result);
    else reject?.(new Error(message.error));
  });
  child.on('exit', (code, signal) => {
    for (const { reject } of waiting.values()) reject(new Error(`the phone ended: ${code ?? signal}`));
  });
  const send = (message: OrderMessage): void => {
    child.send(message);
  };
  send({ options });
  return {
    events,
    do: (order, ...args) =>
      new Promise((resolve, reject) => {
        waiting.set((orders += 1), { resolve: resolve as (result: unknown) => void, reject });
        send({ id: orders, order, args });
      }),
    sees: async (kind, milliseconds = 30_000) => {
      const end = Date.now() + milliseconds;
      for (;;) {
        const found = events.find((event) => event.kind === kind && !seen.has(event));
        if (found !== undefined) {
          seen.add(found);
          return found;
        }
        const left = end - Date.now();
        if (left <= 0)
          throw new Error(`not seen in ${milliseconds} ms: ${kind}; seen: ${JSON.stringify(events)}`);
        await new Promise<void>((resolve) => {
          const done = (): void => {
            clearTimeout(timer);
            listeners.delete(done);
            resolve();
          };
          const timer = setTimeout(done, left);
          listeners.add(done);
        });
      }
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
};
