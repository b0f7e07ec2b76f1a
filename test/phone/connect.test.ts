/** A wallet on a phone at the terminal: connected, asked, refused, let go of. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { parseAddress } from '../../src/bch/address.js';
import { verifyMessage } from '../../src/bch/signed-message.js';
import { atLength } from '../at-length.js';
import { MESSAGE_LIES } from './lies.js';
import { balance, HARMFUL, SEND, tellLies } from './tell-lies.js';
import { openWorld, type World } from './terminal.js';

/** The lies that are told at the terminal; `test/bch/wallet-answer.test.ts` has each of them, of each place. */
const TOLD = HARMFUL.filter((_, index) => index % atLength(1, 6) === 0);

/** A world whose phone is connected and has money. */
const begin = async (t: ExecutionContext, options: Parameters<typeof openWorld>[1] = {}): Promise<World> => {
  const world = await openWorld(t, { cancels: true, name: 'Cashbox', ...options });
  const connected = await world.connect();
  t.is(connected.exit, 0, connected.stdout + connected.stderr);
  const { address } = await world.phone.do('account');
  await world.treasury('chain', 'faucet', address, '1');
  return world;
};

test('wallet connect › given a phone that agrees › it is a wallet like the others', async (t) => {
  const { phone, connect, treasury, relay, home } = await openWorld(t, { cancels: true, name: 'Cashbox' });
  const { address, publicKey } = await phone.do('account');
  const connected = await connect();
  t.is(connected.exit, 0, connected.stderr + connected.stdout);
  t.like(connected.json(), {
    wallet: { name: 'phone', address, publicKey, origin: 'walletconnect', app: 'Cashbox', path: null },
  });
  await treasury('chain', 'faucet', address, '1');
  const sent = await treasury(...SEND);
  t.is(sent.exit, 0, sent.stderr + sent.stdout);
  t.regex(sent.stderr, /Cashbox \(phone\) is asked to sign this transaction: look at the phone/);
  const signed = await treasury('wallet', 'sign-message', 'hello', '--wallet', 'phone', '--json');
  t.is(signed.exit, 0, signed.stderr + signed.stdout);
  t.true(verifyMessage('hello', String(signed.json()['signature']), parseAddress(address)));
  t.is((await treasury('auth', 'token', '--wallet', 'phone')).exit, 0);
  t.regex((await treasury('wallet', 'list')).stdout, /phone .*Cashbox .*until 20/);
  t.regex((await treasury('wallet', 'show', 'phone')).stdout, /in Cashbox, over WalletConnect/);
  const file = join(home, 'local', 'sessions', 'phone.json');
  t.is(statSync(file).mode & 0o777, 0o600);
  const exported = await treasury('wallet', 'export', 'phone', '--json');
  t.is(exported.exit, 5);
  t.is(exported.json()['code'], 'wallet_remote');
  const gone = await treasury('wallet', 'disconnect', 'phone', '--json');
  t.is(gone.exit, 0, gone.stderr + gone.stdout);
  t.like(gone.json(), { untold: null });
  await phone.sees('session ended');
  t.is((await treasury('wallet', 'show', 'phone')).exit, 3);
  t.deepEqual(
    readdirSync(join(home, 'local', 'sessions')).filter((name) => name.endsWith('.json')),
    [],
  );
  t.deepEqual(relay.complaints, []);
  t.true(readFileSync(join(home, 'local', 'keystore.json'), 'utf8').includes('"version": 1'));
});

/** What a wallet refuses with, and what is said then. */
const refusals: readonly (readonly [string, Parameters<World['phone']['do']>[1], string, number])[] = [
  ['declines', { do: 'decline' }, 'wallet_declined', 10],
  ['has an error', { do: 'error', code: -32_000, message: 'no coins' }, 'wallet_failed', 6],
  ['answers with an empty error', { do: 'emptyError' }, 'wallet_failed', 6],
  ['answers nonsense', { do: 'answer', result: { nothing: true } }, 'wallet_answer_differs', 6],
  ['ends the session', { do: 'leave' }, 'wallet_session_ended', 5],
];

test('wallet send › given a phone that refuses › each refusal has its own words, and nothing is sent', async (t) => {
  const world = await begin(t);
  for (const [what, behaviour, code, exit] of refusals) {
    await world.phone.do('plan', behaviour as never);
    const refused = await world.treasury(...SEND);
    t.is(refused.json()['code'], code, what + refused.stdout);
    t.is(refused.exit, exit, what);
  }
  t.is(await balance(world), '100000000');
});

test('wallet send › given a phone that lies › no lie passes, and each says what differs', async (t) => {
  await tellLies(t, await begin(t), TOLD);
});

test('wallet sign-message › given a phone that lies › no lie passes', async (t) => {
  const { phone, treasury } = await begin(t);
  for (const lie of MESSAGE_LIES) {
    await phone.do('plan', { do: 'accept', lie });
    const refused = await treasury('wallet', 'sign-message', 'hello', '--wallet', 'phone', '--json');
    t.true(
      ['wallet_answer_differs', 'wallet_account_mismatch'].includes(String(refused.json()['code'])),
      lie,
    );
  }
});

test('wallet send › given nobody who taps › it is silent, and the request is taken back from the phone', async (t) => {
  const world = await begin(t);
  const { phone, treasury } = world;
  await phone.do('plan', { do: 'silence' });
  const silent = await treasury(...SEND, '--wait', '1');
  t.is(silent.json()['code'], 'wallet_silent', silent.stdout);
  t.is(silent.exit, 8);
  t.regex(String(silent.json()['error']), /taken back from the phone/);
  await phone.sees('cancelled');
});

test('wallet send › given a wallet that cannot take back › the next run of the same command takes the late yes', async (t) => {
  const world = await begin(t, { cancels: false });
  const { phone, treasury } = world;
  await phone.do('plan', { do: 'silence' });
  const silent = await treasury(...SEND, '--wait', '1');
  t.is(silent.json()['code'], 'wallet_silent', silent.stdout);
  t.is(await phone.do('tap', { do: 'accept' }), 1);
  const requests = () =>
    phone.events.filter(({ kind, method }) => kind === 'request' && method === 'bch_signTransaction').length;
  t.is(requests(), 1);
  const sent = await treasury(...SEND);
  t.is(sent.exit, 0, sent.stdout + sent.stderr);
  t.regex(sent.stderr, /has agreed to it meanwhile/);
  t.is(requests(), 1);
});

test('wallet send › given a request that still waits on the phone › the next run waits for the same one', async (t) => {
  const world = await begin(t, { cancels: false });
  const { phone, treasury, start } = world;
  await phone.do('plan', { do: 'silence' });
  await treasury(...SEND, '--wait', '1');
  const running = start(SEND);
  await running.says(/was asked to sign this transaction already/);
  await phone.do('tap', { do: 'accept' });
  const sent = await running.done;
  t.is(sent.exit, 0, sent.stdout + sent.stderr);
  t.is(
    phone.events.filter(({ kind, method }) => kind === 'request' && method === 'bch_signTransaction').length,
    1,
  );
});

test('wallet send › given Ctrl-C › the request is taken back, and the exit code says so', async (t) => {
  const { phone, start } = await begin(t);
  await phone.do('plan', { do: 'silence' });
  const running = start(SEND);
  running.interruptAt(/sign this transaction: look at the phone/);
  t.is((await running.done).exit, 130);
  await phone.sees('cancelled');
});

test('wallet send › given a phone that is off › it is offline, and not silent', async (t) => {
  const world = await begin(t);
  await world.phone.do('leave');
  const off = await world.treasury(...SEND, '--wait', '1');
  t.is(off.json()['code'], 'wallet_offline', off.stdout);
  t.is(off.exit, 7);
});

test('wallet send › given another account in the app › both are named, and nothing is asked', async (t) => {
  const world = await begin(t);
  const { address } = await world.phone.do('account');
  await world.phone.do('switchAccount', 1, { update: true });
  const other = await world.phone.do('account');
  const refused = await world.treasury(...SEND);
  t.like(refused.json(), { code: 'wallet_account_mismatch', expected: address, found: other.address });
  await world.phone.do('switchAccount', 0, { event: true, update: true });
  t.is((await world.treasury(...SEND)).exit, 0);
  await world.phone.do('switchAccount', 1, { event: true });
  t.is((await world.treasury(...SEND)).json()['code'], 'wallet_account_mismatch');
});

test('wallet send › given a relay that is away, or that does not know the project › each says so', async (t) => {
  const world = await begin(t);
  const { relay, treasury, start } = world;
  relay.faults.refuse = 'status';
  t.like((await treasury(...SEND)).json(), { code: 'project_id_refused' });
  relay.faults.refuse = 'close';
  t.like((await treasury(...SEND)).json(), { code: 'project_id_refused' });
  relay.faults.refuse = null;
  const missing = await start(['wallet', 'connect', '--name', 'other', '--json'], {
    TREASURY_WALLETCONNECT_PROJECT_ID: '',
  }).done;
  t.is(missing.json()['code'], 'project_id_missing');
  t.is(missing.exit, 2);
  const away = await start(['wallet', 'connect', '--name', 'other', '--json'], {
    TREASURY_WALLETCONNECT_RELAY_URL: 'ws://127.0.0.1:9',
  }).done;
  t.is(away.json()['code'], 'relay_unavailable');
  t.is(away.exit, 7);
});

test('wallet send › given a relay that repeats, echoes and is slow › it is sent once', async (t) => {
  const world = await begin(t);
  Object.assign(world.relay.faults, { twice: true, echo: true, delay: 50 });
  await world.phone.do('plan', { do: 'accept', echo: true, twice: true });
  const sent = await world.treasury(...SEND);
  t.is(sent.exit, 0, sent.stdout + sent.stderr);
  Object.assign(world.relay.faults, { deliverOnSubscribe: false, page: 1 });
  await world.phone.do('plan', { do: 'accept', wrongId: true });
  const again = await world.treasury(...SEND);
  t.is(again.exit, 0, again.stdout + again.stderr);
  t.deepEqual(world.relay.complaints, []);
});

test('wallet connect › given a phone that will not › each refusal has its own words', async (t) => {
  const { phone, connect, treasury, start } = await openWorld(t, { name: 'Cashbox' });
  const cases = [
    [{ do: 'decline' }, 'wallet_declined'],
    [{ do: 'error', code: 5100, message: 'Unsupported chains' }, 'wallet_network_mismatch'],
    [{ do: 'error', code: 5101, message: 'Unsupported methods' }, 'wallet_failed'],
    [{ do: 'accept', chain: 'bitcoincash' }, 'wallet_network_mismatch'],
    [{ do: 'accept', methods: ['bch_getAddresses'] }, 'wallet_unsupported'],
    [{ do: 'accept', otherController: true }, 'wallet_failed'],
  ] as const;
  for (const [meeting, code] of cases) {
    await phone.do('meet', meeting);
    const refused = await connect();
    t.is(refused.json()['code'], code, JSON.stringify(meeting) + refused.stdout);
  }
  const unpaired = await start(['wallet', 'connect', '--json', '--wait', '1']).done;
  t.is(unpaired.json()['code'], 'wallet_not_paired');
  t.is(unpaired.exit, 8);
  await phone.do('plan', { do: 'accept', lie: 'foreignKey' });
  t.is((await connect()).json()['code'], 'wallet_proof_failed');
  t.is((await treasury('wallet', 'show', 'phone')).exit, 3);
  await phone.do('meet', { do: 'accept', settleAgain: true });
  t.is((await connect()).exit, 0);
});

test('wallet connect › given the same app again › it is the same wallet; another key is refused', async (t) => {
  const { phone, connect, treasury } = await begin(t);
  await phone.do('endSession');
  const ended = await treasury(...SEND);
  t.is(ended.json()['code'], 'wallet_session_ended', ended.stdout);
  t.is((await connect()).exit, 0);
  t.is((await treasury(...SEND)).exit, 0);
  await phone.do('switchAccount', 1);
  const other = await connect();
  t.is(other.json()['code'], 'wallet_account_mismatch', other.stdout);
});

test('wallet send › given another command that asks the phone › it says which, and that it may be tried again', async (t) => {
  const { home, treasury } = await begin(t);
  const lock = join(home, 'local', 'sessions', 'phone.lock');
  writeFileSync(lock, JSON.stringify({ pid: process.ppid, startTicks: null, bootId: null }));
  const busy = await treasury(...SEND);
  t.like(busy.json(), { code: 'wallet_busy', pid: process.ppid });
  t.is(busy.exit, 8);
});

test('payments fund › given no coin that can begin a covenant › the phone is asked twice, and told which is which', async (t) => {
  const { phone, treasury } = await begin(t);
  // Its only coin is the change of a payment: no output 0.
  t.is((await treasury(...SEND)).exit, 0);
  const terms = [
    '--recipient',
    'main',
    '--amount-per-period',
    '0.01',
    '--interval',
    'monthly',
    '--wallet',
    'phone',
  ];
  t.is((await treasury('payments', 'create', ...terms)).exit, 0);
  const funded = await treasury('payments', 'fund', 'PAY-0001', '--wallet', 'phone', '--yes', '--json');
  t.is(funded.exit, 0, funded.stdout + funded.stderr);
  t.regex(
    funded.stderr,
    /First of two, the preparation: .* look at the phone[\s\S]*Second of two, the transaction itself: .* look at the phone/,
  );
  const prompts = phone.events.flatMap(({ kind, method, userPrompt }) =>
    kind === 'request' && method === 'bch_signTransaction' ? [userPrompt] : [],
  );
  t.log(prompts.join(' | '));
  t.is(prompts.length, 3);
});

test('wallet send › given a relay that goes away while the phone is waited for, and comes back › the answer is taken', async (t) => {
  const { phone, relay, start } = await begin(t);
  await phone.do('plan', { do: 'silence' });
  // The proof of its address was the first.
  await phone.sees('request');
  const running = start(SEND);
  await phone.sees('request');
  await running.says(/look at the phone/);
  await relay.leave();
  await relay.come();
  await phone.do('leave');
  await phone.do('come');
  await phone.do('tap', { do: 'accept' });
  const sent = await running.done;
  t.is(sent.exit, 0, sent.stdout + sent.stderr);
});

test('wallet send › given a session whose time is over › it says so, and nothing is asked', async (t) => {
  const { phone, connect, treasury } = await openWorld(t);
  await phone.do('meet', { do: 'accept', seconds: 0 });
  const connected = await connect();
  t.is(connected.json()['code'], 'wallet_session_ended', connected.stdout);
  t.is((await treasury('wallet', 'show', 'phone')).exit, 3);
});

test('wallet connect › given an app that names the form of its address that takes tokens › it is the same wallet', async (t) => {
  const { phone, connect, treasury } = await openWorld(t);
  const { address } = await phone.do('account');
  const { tokenText } = parseAddress(address);
  await phone.do('meet', { do: 'accept', accounts: [`bch:${tokenText}`] });
  const connected = await connect();
  t.is(connected.exit, 0, connected.stdout + connected.stderr);
  t.like(connected.json(), { wallet: { address } });
  t.is((await treasury('wallet', 'sign-message', 'hello', '--wallet', 'phone')).exit, 0);
});
