/** A daemon that is killed between the commit of a creation and its answer: the repetition makes nothing twice. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { binToHex } from '@bitauth/libauth';
import { alice, bob, carol } from '../../fixtures/people.js';
import { openApp } from '../../src/app.js';
import { execute } from '../../src/operation/execute.js';
import { paymentCollection } from '../../src/products/payments/index.js';
import { streamCollection } from '../../src/products/streams/index.js';
import { vaultCollection } from '../../src/products/vaults/index.js';
import { IS_LONG } from '../at-length.js';
import { ask, type Received } from './fake-daemon.js';

const CHILD = fileURLToPath(new URL('children/mortal-daemon.js', import.meta.url));
const FATES = ['before 1', 'after 1', 'after 2', 'answer'];
/** Milliseconds from a request to the kill. */
const DELAYS = IS_LONG ? [2, 5, 8, 12, 20] : [2, 12];

const text = (person: typeof alice) => person.address('local').text;
const people = [alice, bob, carol];

/** Creations by their path; the mark tells what each makes. */
const creations: readonly { readonly path: string; readonly body: (mark: string) => object }[] = [
  {
    path: '/api/streams/create',
    body: (description) => ({
      recipient: text(bob),
      totalAmount: '0.01',
      scheduleTemplate: 'linear-cliff',
      description,
    }),
  },
  {
    path: '/api/payments/create',
    body: (mark) => ({ recipient: text(bob), amountPerPeriod: `0.0010${mark}`, interval: 'MONTHLY' }),
  },
  {
    path: '/api/vaults',
    body: (name) => ({
      name,
      signers: people.map(text),
      signerPubkeys: people.map(({ publicKey }) => binToHex(publicKey)),
      totalDeposit: '0.01',
    }),
  },
];

type Daemon = { readonly url: string; readonly process: ChildProcess };

const startDaemon = async (home: string, fate: string): Promise<Daemon> => {
  const child = spawn(process.execPath, [CHILD, home, fate], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { url, process: child };
};

const kill = async ({ process: child }: Daemon): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
};

const makeHome = async (t: ExecutionContext): Promise<string> => {
  const home = mkdtempSync(join(tmpdir(), 'treasury-'));
  t.teardown(() => {
    rmSync(home, { recursive: true, force: true });
  });
  const app = await openApp({ home, network: 'local' });
  const init = app.operations.find(({ id }) => id === 'init');
  if (init === undefined) throw new Error('there is no init');
  await execute(init, {}, app.context, { kind: 'operator', address: null });
  await app.close();
  return home;
};

/** Its key is its mark. */
type Request = { readonly path: string; readonly json: object; readonly key: string };

const send = ({ url }: Daemon, { path, json, key }: Request): Promise<Received | null> =>
  ask(`${url}${path}`, { json, headers: { 'x-user-address': text(alice), 'idempotency-key': key } }).catch(
    () => null,
  );

test('Idempotency-Key › given daemons that are killed around the commit › each repetition has its one record, and its answer', async (t) => {
  const home = await makeHome(t);
  const rounds = [...FATES, ...DELAYS].flatMap((fate, index) =>
    creations.flatMap(({ path, body }, which): { fate: string | number; request: Request }[] => {
      // Of the kills after a time, one creation each.
      if (typeof fate === 'number' && index % creations.length !== which) return [];
      const key = String(1_000 + index * creations.length + which);
      return [{ fate, request: { path, json: body(key), key } }];
    }),
  );
  const first: (Received | null)[] = [];
  for (const { fate, request } of rounds) {
    const daemon = await startDaemon(home, typeof fate === 'number' ? 'none' : fate);
    if (typeof fate === 'number') void delay(fate).then(() => daemon.process.kill('SIGKILL'));
    first.push(await send(daemon, request));
    await kill(daemon);
  }
  t.true(first.filter((answer) => answer === null).length >= 6, 'answers were lost');

  const daemon = await startDaemon(home, 'none');
  t.teardown(() => kill(daemon));
  const again: Received[] = [];
  for (const [index, { fate, request }] of rounds.entries()) {
    const [second, third] = [await send(daemon, request), await send(daemon, request)];
    t.true(second !== null && second.status < 300, `${request.key} ${fate}: ${second?.text}`);
    t.is(third?.text, second?.text);
    const heard = first[index] ?? null;
    if (heard !== null) t.is(second?.text, heard.text);
    if (second !== null) again.push(second);
  }
  await kill(daemon);

  const app = await openApp({ home, network: 'local' });
  t.teardown(() => app.close());
  const { store } = app.context;
  const made = [
    ...(await store.find(streamCollection)).items.map(({ id, description }) => [description, id]),
    ...(await store.find(paymentCollection)).items.map(({ id, amount_per_period: amount }) => [
      String(amount - 100_000n),
      id,
    ]),
    ...(await store.find(vaultCollection)).items.map(({ id, name }) => [name, id]),
  ];
  t.deepEqual(made.map(([name]) => name).sort(), rounds.map(({ request }) => request.key).sort());
  for (const [name, id] of made) {
    const index = rounds.findIndex(({ request }) => request.key === name);
    t.true(again[index]?.text.includes(String(id)), `the answer to ${name} is of what was made`);
  }
});
