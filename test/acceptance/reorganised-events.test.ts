/**
 * A claim whose block the chain takes back: whoever follows (a stream over HTTP, a webhook, `events tail`) sees it withdrawn,
 * then claimed again. The daemon is the real program; only the embedded chain can be told what to drop.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';
import { Webhook } from 'standardwebhooks';
import { bob } from '../../fixtures/people.js';
import type { LocalChain } from '../../src/adapters/local-chain/local-chain.js';
import { openSse } from '../http/sse-client.js';
import { advance, DAY, fundPayment } from '../products/payments/payment.js';
import { openReceiver } from '../receiver.js';
import { openTreasury, type Treasury } from '../treasury.js';
import { onEmbeddedChain } from './on-every-chain.js';

const BIN = fileURLToPath(new URL('../../bin/treasury.js', import.meta.url));
const TYPES = 'payment.claimed';

type Told = {
  readonly sequence: number;
  readonly id: string;
  readonly type: string;
  readonly certainty: string | null;
  readonly reverts: string | null;
  readonly txHash: string | null;
  readonly data: { readonly moveId: string };
};

const start = (t: ExecutionContext, { home }: Treasury, words: readonly string[]): ChildProcess => {
  const { PATH, NODE_OPTIONS } = process.env;
  const env = { PATH, NODE_OPTIONS, HOME: home, TREASURY_HOME: home, NO_COLOR: '1' };
  const child = spawn(process.execPath, [BIN, ...words], { cwd: home, env, stdio: 'pipe' });
  child.stderr.resume();
  t.teardown(() => child.kill('SIGKILL'));
  return child;
};

/** What a child says, line by line, as it comes. */
const linesOf = ({ stdout }: ChildProcess): readonly string[] => {
  const lines: string[] = [];
  if (stdout === null) throw new Error('nothing can be read of it');
  createInterface({ input: stdout }).on('line', (line) => lines.push(line));
  return lines;
};

const until = async (holds: () => boolean, what: () => string): Promise<void> => {
  const late = performance.now() + 60_000;
  while (!holds()) {
    if (performance.now() > late) throw new Error(`it never came: ${what()}`);
    await wait(20);
  }
};

/** A real daemon on the home. @returns where it listens */
const serve = async (t: ExecutionContext, treasury: Treasury): Promise<string> => {
  const child = start(t, treasury, ['serve', '--port', '0', '--log-level', 'error']);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (said += String(chunk)));
  await until(
    () => /Serving local at \S+/.test(said),
    () => said,
  );
  return /Serving local at (\S+)/.exec(said)?.[1] ?? '';
};

onEmbeddedChain(
  'a claim is taken back by the chain and made again › a stream, a webhook and tail see it claimed, reverted, claimed',
  'only the embedded chain drops what it is told to',
  async (t) => {
    const treasury = await openTreasury(t);
    const payment = await fundPayment(treasury);
    await treasury.give(bob, 500_000n);
    await advance(treasury, DAY);
    const receiver = await openReceiver(t, 204);
    const { secret } = (await treasury.ask(bob, 'webhooks.add', {
      url: receiver.url,
      types: TYPES,
      allowPrivate: true,
    })) as { secret: string };
    const tailed = linesOf(
      start(t, treasury, ['events', 'tail', '--since', '0', '--types', TYPES, '--jsonl']),
    );
    const url = await serve(t, treasury);
    const stream = await openSse(`${url}/api/events/stream?since=0&types=${TYPES}`, {
      'x-user-address': treasury.addressOf(bob).text,
    });
    t.teardown(stream.close);
    t.is(stream.status, 200, stream.text());

    const webhook = new Webhook(secret);
    const followers: Readonly<Record<string, () => readonly Told[]>> = {
      stream: () => stream.messages.map(({ data }) => data as Told),
      webhook: () =>
        receiver.received.map(({ body, headers }) => {
          const verified = webhook.verify(body, headers as Record<string, string>);
          return (verified as { data: Told }).data;
        }),
      tail: () => tailed.map((line) => JSON.parse(line) as Told),
    };
    // Of the last only: it may be told as seen before it is told as confirmed.
    const isLast = (event: Told | undefined, type: string, txHash: string): boolean =>
      event?.type === type && event.txHash === txHash && event.certainty !== 'seen';
    const allSee = (type: string, txHash: string) =>
      until(
        () => Object.values(followers).every((told) => isLast(told().at(-1), type, txHash)),
        () =>
          JSON.stringify(Object.entries(followers).map(([name, told]) => [name, told().map((e) => e.type)])),
      );
    const claim = async (): Promise<string> => {
      const built = await treasury.ask(bob, 'payments.claim', { id: payment.id });
      const txHash = await treasury.send(bob, built['wcTransaction']);
      await treasury.ask(bob, 'payments.confirm-claim', { id: payment.id, txHash });
      return txHash;
    };

    const first = await claim();
    await allSee('payment.claimed', first);
    const chain = treasury.app.context.localChain as LocalChain;
    await chain.reorg(1, { drop: [first] });
    await allSee('payment.claimed.reverted', first);
    // Another coin pays the fee, or another hour stands in it: a claim of its own.
    await advance(treasury, 3_600);
    const second = await claim();
    t.not(second, first);
    await allSee('payment.claimed', second);

    // One may be told a moment before the other.
    await until(
      () => new Set(Object.values(followers).map((told) => told().length)).size === 1,
      () => JSON.stringify(Object.entries(followers).map(([name, told]) => [name, told()])),
    );

    for (const [name, told] of Object.entries(followers)) {
      const events = told();
      const claims = events.filter(({ type }) => type === 'payment.claimed');
      const withdrawn = events.filter(({ type }) => type === 'payment.claimed.reverted');
      const ofFirst = claims.filter(({ txHash }) => txHash === first);
      // All that was told of the first is withdrawn, each once, before the second is told.
      t.deepEqual(
        withdrawn.map(({ reverts }) => reverts).toSorted(),
        ofFirst.map(({ id }) => id).toSorted(),
        name,
      );
      const second = claims.find(({ txHash }) => txHash !== first);
      t.true(withdrawn.every(({ sequence }) => sequence < (second?.sequence ?? 0)));
      t.is(new Set(events.map(({ id }) => id)).size, events.length, `${name}: no event comes twice`);
      const sequences = events.map(({ sequence }) => sequence);
      t.deepEqual(
        sequences,
        sequences.toSorted((a, b) => a - b),
        name,
      );
    }
    const [streamed, delivered, printed] = Object.values(followers).map((told) =>
      told().map(({ id, type, reverts, certainty }) => ({ id, type, reverts, certainty })),
    );
    t.deepEqual(streamed, printed);
    t.deepEqual(delivered, printed);
    t.deepEqual(
      stream.messages.map(({ id }) => Number(id)),
      followers['tail']?.().map(({ sequence }) => sequence),
    );
    t.deepEqual(
      receiver.received.map(({ headers }) => headers['webhook-id']),
      printed?.map(({ id }) => id),
    );
  },
);
