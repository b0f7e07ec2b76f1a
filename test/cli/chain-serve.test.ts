import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { openThrough } from '../adapters/electrum/electrum-fixture.js';
import { ALICE } from '../adapters/local-chain/chain-fixture.js';
import { openApp, type App } from '../../src/app.js';
import { createCall } from '../../src/cli/call.js';
import { serveChain, type ChainServeFlags } from '../../src/cli/chain-serve.js';
import type { Environment } from '../../src/cli/environment.js';
import { TreasuryError } from '../../src/errors.js';

/** Signals without a process. */
const fakeSignals = () => Object.assign(new EventEmitter(), { exit: () => undefined });

/** A call of `chain serve --json`; its home is removed when the test ends. */
const openCall = (t: ExecutionContext, serving: (app: App) => App) => {
  const home = mkdtempSync(join(tmpdir(), 'treasury-'));
  t.teardown(() => {
    rmSync(home, { recursive: true, force: true });
  });
  const written = new EventEmitter();
  const environment: Environment = {
    stdin: { async *[Symbol.asyncIterator]() {} },
    stdout: { write: (text) => written.emit('data', text) },
    stderr: { write: () => true },
    env: { TREASURY_HOME: home },
    cwd: home,
    folders: () => Promise.resolve({ data: home, config: home }),
    nouns: [],
    openApp: async (settings) => serving(await openApp(settings)),
    prompts: { confirm: fail, text: fail, choose: fail, secret: fail },
    startSpinner: () => Promise.resolve(() => undefined),
    sleep: () => Promise.resolve(),
  };
  return { written, call: createCall(environment, { json: true }, 'chain serve') };
};

const fail = () => Promise.reject(new Error('nobody is there to be asked'));

const inspectOnly = (app: App): App => app;

test('chain serve › given free ports › it prints where it is, serves, and ends with the first signal', async (t) => {
  const { call, written } = openCall(t, inspectOnly);
  const signals = fakeSignals();
  const printed = once(written, 'data');
  const serving = serveChain(call, { tcp: '0', ws: '0' }, signals);
  const urls = JSON.parse(String((await printed)[0])) as { tcpUrl: string; wsUrl: string };
  for (const url of [urls.tcpUrl, urls.wsUrl]) {
    const chain = await openThrough(t, [url]);
    t.true((await chain.tip()).height > 0);
  }
  signals.emit('SIGINT');
  t.is(await serving, 0);
  t.is(signals.listenerCount('SIGINT') + signals.listenerCount('SIGTERM'), 0);
});

test('chain serve › given one port › only that way is served', async (t) => {
  const { call, written } = openCall(t, inspectOnly);
  const signals = fakeSignals();
  const printed = once(written, 'data');
  const serving = serveChain(call, { ws: '0' }, signals);
  t.is((JSON.parse(String((await printed)[0])) as { tcpUrl: null }).tcpUrl, null);
  signals.emit('SIGTERM');
  t.is(await serving, 0);
});

test('chain serve › given --index-delay 700ms › what was broadcast is taken at once and shown after that', async (t) => {
  let opened: App | null = null;
  const { call, written } = openCall(t, (app) => (opened = app));
  const signals = fakeSignals();
  const printed = once(written, 'data');
  const serving = serveChain(call, { tcp: '0', indexDelay: '700ms' }, signals);
  const { tcpUrl } = JSON.parse(String((await printed)[0])) as { tcpUrl: string };
  const chain = await openThrough(t, [tcpUrl]);
  const { localChain } = (opened as App | null)?.context ?? {};
  const { height } = await chain.tip();
  const from = performance.now();
  const txid = await localChain?.faucet(ALICE.lockingBytecode, 100_000n);
  t.deepEqual(await chain.history(ALICE.lockingBytecode), []);
  t.is((await chain.tip()).height, height);
  let history = await chain.history(ALICE.lockingBytecode);
  while (history.length === 0 && performance.now() - from < 5_000)
    history = await chain.history(ALICE.lockingBytecode);
  t.true(performance.now() - from >= 700);
  t.deepEqual(history, [{ txid: txid ?? '', height: height + 1 }]);
  t.is((await chain.coins(ALICE.lockingBytecode))[0]?.txid, txid);
  t.is((await chain.tip()).height, height + 1);
  signals.emit('SIGTERM');
  t.is(await serving, 0);
});

const refusals: readonly (readonly [string, ChainServeFlags, typeof inspectOnly, string])[] = [
  ['a port that is none', { tcp: '65536' }, inspectOnly, 'invalid_setting'],
  ['an index delay that is no time', { tcp: '0', indexDelay: '2' }, inspectOnly, 'invalid_setting'],
  ['an index delay of an hour', { tcp: '0', indexDelay: '3600s' }, inspectOnly, 'invalid_setting'],
  ['another network', { tcp: '0' }, (app) => ({ ...app, serveChain: null }), 'local_only'],
];

for (const [what, flags, serving, code] of refusals) {
  test(`chain serve › given ${what} › it is refused: ${code}`, async (t) => {
    const { call } = openCall(t, serving);
    const error = await t.throwsAsync(serveChain(call, flags, fakeSignals()), { instanceOf: TreasuryError });
    t.is(error.code, code);
  });
}
