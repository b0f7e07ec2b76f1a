/**
 * Events reach a webhook whatever becomes of either side: the receiver answers 500, hangs, dies and comes back, and the
 * daemon is killed again and again. On the embedded chain alone: it is about the log and the wire.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { Webhook } from 'standardwebhooks';
import { alice } from '../../fixtures/people.js';
import { eventLog, tellEvent } from '../../src/record/event-log.js';
import { atLength } from '../at-length.js';
import { openReceiver, type Answer, type Received, type Receiver } from '../receiver.js';
import { openTreasury, TEST_TIME, type Treasury } from '../treasury.js';
import { onEmbeddedChain } from './on-every-chain.js';

const CHILD = new URL('children/webhook-daemon.js', import.meta.url).pathname;
const EVENTS = atLength(10_000, 300);
const KILLS = atLength(50, 3);
/** Events of one commit. */
const AT_ONCE = 10;
const PATIENCE_MILLISECONDS = 600_000;

type Told = { readonly id: string; readonly sequence: number };

/** What came to one webhook, and was taken. */
type Hook = {
  readonly label: string;
  readonly secret: string;
  readonly taken: Told[];
  /** Messages that its secret has not signed. */
  forged: number;
};

/** A receiver for some webhooks, each at a path of its own, that is well, answers 500, hangs, or is not there. */
const openFickle = async (t: ExecutionContext) => {
  const hooks = new Map<string, Hook>();
  const take = (request: Received): void => {
    const hook = hooks.get(request.path);
    if (hook === undefined) return;
    try {
      const verified = new Webhook(hook.secret).verify(
        request.body,
        request.headers as Record<string, string>,
      );
      const { data } = verified as { data: Told };
      if (request.headers['webhook-id'] === data.id) hook.taken.push(data);
      else hook.forged += 1;
    } catch {
      hook.forged += 1;
    }
  };
  const well: Answer = (response, request) => {
    take(request);
    response.writeHead(204).end();
  };
  const answers: Readonly<Record<string, Answer>> = { well, fails: 500, hangs: () => undefined };
  let receiver: Receiver = await openReceiver(t, well);
  const { port } = receiver;
  return {
    port,
    hooks,
    be: async (mode: 'well' | 'fails' | 'hangs' | 'dead'): Promise<void> => {
      await receiver.close();
      if (mode !== 'dead') receiver = await openReceiver(t, answers[mode] ?? well, port);
    },
  };
};

const startDaemon = async (t: ExecutionContext, home: string): Promise<ChildProcess> => {
  const child = spawn(process.execPath, [CHILD, home], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
};

const kill = async (child: ChildProcess): Promise<void> => {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
};

const tell = async ({ app }: Treasury, count: number): Promise<void> => {
  for (let told = 0; told < count; told += AT_ONCE)
    await app.context.store.transaction(async (writer) => {
      for (let one = told; one < Math.min(count, told + AT_ONCE); one += 1)
        await tellEvent(writer, { type: 'stream.claimed', time: TEST_TIME, subject: null, data: { one } });
    });
};

type Shown = { readonly behind: number; readonly waiting: number; readonly setAside: number };

/** Resolves when nothing is behind, waits or was set aside. */
const allOut = async (treasury: Treasury, labels: readonly string[]): Promise<void> => {
  const until = Date.now() + PATIENCE_MILLISECONDS;
  for (;;) {
    const shown: Shown[] = [];
    for (const id of labels)
      shown.push(((await treasury.ask(alice, 'webhooks.show', { id })) as { webhook: Shown }).webhook);
    if (shown.every(({ behind, waiting, setAside }) => behind + waiting + setAside === 0)) return;
    if (Date.now() > until) throw new Error(`still to be delivered: ${JSON.stringify(shown)}`);
    await delay(100);
  }
};

const inOrder = (taken: readonly Told[]): readonly Told[] =>
  [...new Map(taken.map(({ id, sequence }) => [sequence, { id, sequence }])).values()].toSorted(
    (a, b) => a.sequence - b.sequence,
  );

const MODES = ['well', 'fails', 'hangs', 'dead'] as const;

const title = `${EVENTS.toLocaleString('en')} events, a receiver that fails, hangs and dies, a daemon that is killed ${KILLS} times › every event comes, none is forged, and since gives just what was missed`;

onEmbeddedChain(title, 'it is about the log and the wire', async (t) => {
  t.timeout(PATIENCE_MILLISECONDS);
  const treasury = await openTreasury(t);
  const fickle = await openFickle(t);
  const add = async (path: string, atOnce: number): Promise<Hook> => {
    const url = `http://127.0.0.1:${fickle.port}${path}`;
    const { webhook, secret } = (await treasury.ask(alice, 'webhooks.add', {
      url,
      atOnce,
      allowPrivate: true,
    })) as { webhook: { label: string }; secret: string };
    const hook: Hook = { label: webhook.label, secret, taken: [], forged: 0 };
    fickle.hooks.set(path, hook);
    return hook;
  };
  const hooks = [await add('/one', 1), await add('/eight', 8)];

  for (let killed = 0; killed < KILLS; killed += 1) {
    await fickle.be(MODES[(killed + 1) % MODES.length] ?? 'well');
    const child = await startDaemon(t, treasury.home);
    await tell(treasury, Math.floor(EVENTS / (KILLS + 1)));
    // At another moment each time, so that each kind of work is cut off somewhere.
    await delay(50 + ((killed * 137) % 400));
    if (killed % 2 === 1) await fickle.be('well');
    await delay((killed * 61) % 200);
    await kill(child);
  }
  await fickle.be('well');
  const child = await startDaemon(t, treasury.home);
  await tell(treasury, EVENTS - KILLS * Math.floor(EVENTS / (KILLS + 1)));
  await allOut(
    treasury,
    hooks.map(({ label }) => label),
  );

  const { entries } = await treasury.app.context.store.readLog(eventLog, { after: 0, limit: EVENTS * 2 });
  const log = entries.map(({ id, sequence }) => ({ id, sequence }));
  t.is(entries.filter(({ type }) => type === 'stream.claimed').length, EVENTS);
  for (const { label, taken, forged } of hooks) {
    t.is(forged, 0, `${label}: each is signed and has the id of its event`);
    t.deepEqual(inOrder(taken), log, `${label}: every event, and their order by sequence`);
  }

  // What was missed, by the cursor of whoever missed it.
  const [hook] = hooks;
  const since = log[Math.floor(log.length / 3)]?.sequence ?? 0;
  const before = hook?.taken.length;
  await treasury.ask(alice, 'webhooks.resend', { id: hook?.label, since });
  await allOut(treasury, [hook?.label ?? '']);
  t.deepEqual(
    hook?.taken.slice(before).map(({ id, sequence }) => ({ id, sequence })),
    log.filter(({ sequence }) => sequence > since),
  );
  await kill(child);
});
