/** A wallet over WizardConnect at the terminal: connected, asked, refused, lied to, let go of. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { balance, HARMFUL, SEND, tellLies } from './tell-lies.js';
import { openWorld, type World } from './terminal.js';

const WIZARD = ['--protocol', 'wizardconnect', '--yes'];

/** A world whose phone is connected and has money. */
const begin = async (t: ExecutionContext, options: Parameters<typeof openWorld>[1] = {}): Promise<World> => {
  const world = await openWorld(t, { name: 'Cashbox', ...options });
  const connected = await world.connect(...WIZARD);
  t.is(connected.exit, 0, connected.stdout + connected.stderr);
  const { address } = await world.phone.do('account');
  await world.treasury('chain', 'faucet', address, '1');
  return world;
};

const requests = ({ phone }: World) =>
  phone.events.filter(({ kind, method }) => kind === 'request' && method === 'sign_transaction_request');

test('wallet connect › given a wallet over WizardConnect › it is a wallet that signs, and no messages', async (t) => {
  const world = await openWorld(t, { name: 'Cashbox' });
  const { phone, connect, treasury, nostr: relay, home } = world;
  const { address, publicKey } = await phone.do('account');
  const connected = await connect(...WIZARD);
  t.is(connected.exit, 0, connected.stderr + connected.stdout);
  t.like(connected.json(), {
    wallet: {
      name: 'phone',
      address,
      publicKey,
      origin: 'wizardconnect',
      app: 'Cashbox',
      sessionEndsAt: null,
    },
  });
  await treasury('chain', 'faucet', address, '1');
  const sent = await treasury(...SEND);
  t.is(sent.exit, 0, sent.stderr + sent.stdout);
  t.regex(sent.stderr, /Cashbox \(phone\) is asked to sign this transaction: look at the phone/);
  t.like(requests(world)[0], { inputPaths: [[0, 'receive', 0]], broadcast: false });
  t.regex((await treasury('wallet', 'list')).stdout, /phone .*Cashbox .*without an end/);
  t.regex((await treasury('wallet', 'show', 'phone')).stdout, /in Cashbox, over WizardConnect/);
  const file = join(home, 'local', 'sessions', 'phone.json');
  t.is(statSync(file).mode & 0o777, 0o600);
  for (const words of [
    ['wallet', 'sign-message', 'hello', '--wallet', 'phone', '--json'],
    ['auth', 'token', '--wallet', 'phone', '--json'],
  ]) {
    const refused = await treasury(...words);
    t.like(refused.json(), { code: 'wallet_unsupported' });
    t.regex(String(refused.json()['error']), /WizardConnect signs no messages.*WalletConnect/);
  }
  const gone = await treasury('wallet', 'disconnect', 'phone', '--json');
  t.is(gone.exit, 0, gone.stderr + gone.stdout);
  t.like(gone.json(), { untold: null });
  await phone.sees('session ended');
  const left = readdirSync(join(home, 'local', 'sessions')).filter((name) => name.endsWith('.json'));
  t.deepEqual(left, []);
  t.deepEqual(relay.complaints, []);
  t.deepEqual(
    relay.filters.filter((filter) => 'since' in filter),
    [],
  );
});

test('wallet connect › given nobody who agrees to hand over the keys › nothing is shown and nobody is asked', async (t) => {
  const { treasury, nostr } = await openWorld(t, { name: 'Cashbox' });
  const refused = await treasury('wallet', 'connect', '--protocol', 'wizardconnect', '--json');
  t.like(refused.json(), { code: 'missing_value', flag: '--yes' });
  t.false(/wiz:/.test(refused.stdout + refused.stderr));
  t.is(nostr.connections, 0);
});

test('wallet connect › given a phone that will not, or is not who has scanned › each has its own words', async (t) => {
  const { phone, connect, treasury } = await openWorld(t, { name: 'Cashbox' });
  const cases = [
    [{ do: 'silence' }, '1', 'wallet_not_paired'],
    [{ do: 'decline' }, '20', 'wallet_declined'],
    [{ do: 'accept', secretAs: 'wrong' }, '6', 'wallet_proof_failed'],
    [{ do: 'accept', otherPublicKey: true }, '6', 'wallet_proof_failed'],
    [{ do: 'accept', protocols: ['hdwalletv9'] }, '20', 'wallet_unsupported'],
  ] as const;
  for (const [meeting, seconds, code] of cases) {
    await phone.do('meet', meeting);
    const refused = await connect(...WIZARD, '--wait', seconds);
    t.is(refused.json()['code'], code, JSON.stringify(meeting) + refused.stdout);
  }
  t.like(await phone.sees('session ended'), { params: { reason: 'protocol_mismatch' } });
  t.is((await treasury('wallet', 'show', 'phone')).exit, 3);
  await phone.do('meet', { do: 'accept', secretAs: 'hex' });
  t.is((await connect(...WIZARD)).exit, 0);
});

/** What a wallet refuses with, and what is said then. */
const refusals: readonly (readonly [string, Parameters<World['phone']['do']>[1], string, number])[] = [
  ['declines', { do: 'decline' }, 'wallet_declined', 10],
  ['has an error', { do: 'error', message: 'no coins' }, 'wallet_failed', 6],
  ['answers with an empty error', { do: 'emptyError' }, 'wallet_failed', 6],
  ['answers nonsense', { do: 'answer', result: { nothing: true } }, 'wallet_answer_differs', 6],
  ['answers with a number', { do: 'answer', result: { signedTransaction: 7 } }, 'wallet_answer_differs', 6],
  ['ends the session', { do: 'leave' }, 'wallet_session_ended', 5],
];

test('wallet send › given a wallet that refuses › each refusal has its own words, and nothing is sent', async (t) => {
  const world = await begin(t);
  for (const [what, behaviour, code, exit] of refusals) {
    await world.phone.do('plan', behaviour as never);
    const refused = await world.treasury(...SEND);
    t.is(refused.json()['code'], code, what + refused.stdout);
    t.is(refused.exit, exit, what);
  }
  t.is(await balance(world), '100000000');
  const ended = await world.treasury(...SEND);
  t.is(ended.json()['code'], 'wallet_session_ended');
});

test('wallet send › given a wallet that lies › no lie passes, and each says what differs', async (t) => {
  await tellLies(t, await begin(t), HARMFUL);
});

test('wallet send › given nobody who taps, or Ctrl-C › the request is taken back', async (t) => {
  const { phone, treasury, start } = await begin(t);
  await phone.do('plan', { do: 'silence' }, { do: 'silence' });
  const silent = await treasury(...SEND, '--wait', '1');
  t.is(silent.json()['code'], 'wallet_silent', silent.stdout);
  t.is(silent.exit, 8);
  t.regex(String(silent.json()['error']), /taken back from the phone/);
  await phone.sees('cancelled');
  t.is(await phone.do('tap', { do: 'accept' }), 0);
  const running = start(SEND);
  running.interruptAt(/look at the phone/);
  await phone.sees('request');
  t.is((await running.done).exit, 130);
  await phone.sees('cancelled');
  const sent = await treasury(...SEND);
  t.is(sent.exit, 0, sent.stdout);
});

test('wallet send › given a phone that is off › it is offline; and it is asked when it comes', async (t) => {
  const world = await begin(t);
  const { phone, treasury, start } = world;
  await phone.do('leave');
  const off = await treasury(...SEND, '--wait', '1');
  t.is(off.json()['code'], 'wallet_offline', off.stdout);
  t.is(off.exit, 7);
  const running = start(SEND);
  await running.says(/Open Cashbox on the phone/);
  await phone.do('come');
  const sent = await running.done;
  t.is(sent.exit, 0, sent.stdout + sent.stderr);
  await phone.do('leave');
  const gone = await treasury('wallet', 'disconnect', 'phone', '--json');
  t.is(gone.exit, 0);
  t.regex(String(gone.json()['untold']), /not open on the phone/);
});

test('wallet send › given a phone that comes back while it is asked › it is asked again under the same number', async (t) => {
  const world = await begin(t);
  const { phone, start } = world;
  await phone.do('plan', { do: 'silence' });
  const running = start(SEND);
  const { sequence } = await phone.sees('request');
  await phone.do('leave');
  await phone.do('come');
  t.like(await phone.sees('again'), { sequence });
  await phone.do('tap', { do: 'accept' });
  const sent = await running.done;
  t.is(sent.exit, 0, sent.stdout + sent.stderr);
  t.is(requests(world).length, 1);
});

test('wallet send › given strangers, forgers and what is old meanwhile › the wallet alone is heard', async (t) => {
  const { phone, start, home } = await begin(t);
  await phone.do('plan', { do: 'silence' });
  const running = start(SEND);
  const { sequence } = await phone.sees('request');
  const answer = { action: 'sign_transaction_response', sequence, signedTransaction: '00' };
  const over = { action: 'disconnect', reason: 'user_disconnect' };
  for (const manner of [
    { as: 'stranger' },
    { forged: true },
    { badSealSignature: true },
    { sealKind: 14 },
    { rumorKind: 1 },
  ] as const)
    for (const body of [answer, over]) await phone.do('say', body, manner);
  const old = Math.floor(Date.now() / 1_000) - 600;
  for (const body of [answer, over]) await phone.do('say', { ...body, time: old });
  await phone.do('say', { ...answer, sequence: Number(sequence) + 2 });
  await phone.do('tap', { do: 'accept' });
  const sent = await running.done;
  t.is(sent.exit, 0, sent.stdout + sent.stderr);
  t.false(
    readFileSync(join(home, 'local', 'sessions', 'phone.json'), 'utf8').includes('"signedTransaction"'),
  );
});

test('wallet send › given a yes that came while nobody waited › the same command takes it, whatever ran between', async (t) => {
  const world = await begin(t);
  const { phone, nostr: relay, treasury, start } = world;
  await phone.do('plan', { do: 'silence' });
  const running = start([...SEND, '--wait', '3']);
  await phone.sees('request');
  await relay.leave();
  const cut = await running.done;
  t.is(cut.json()['code'], 'relay_unavailable', cut.stdout);
  await relay.come();
  Object.assign(relay.faults, { shuffle: true });
  t.is(await phone.do('tap', { do: 'accept' }), 1);
  await phone.do('plan', { do: 'decline' });
  const other = await treasury(...SEND.map((word) => (word === '0.1' ? '0.2' : word)));
  t.is(other.json()['code'], 'wallet_declined', other.stdout);
  const sent = await treasury(...SEND);
  t.is(sent.exit, 0, sent.stdout + sent.stderr);
  t.regex(sent.stderr, /has agreed to it meanwhile/);
  t.is(requests(world).length, 2);
});

test('wallet send › given that the app ends the session while nobody waits › the next run says so at once', async (t) => {
  const { phone, treasury, connect } = await begin(t);
  await phone.do('endSession', 6000, 'enough');
  const ended = await treasury(...SEND);
  t.is(ended.json()['code'], 'wallet_session_ended', ended.stdout);
  t.regex(String(ended.json()['error']), /Cashbox has ended it: enough/);
  t.is((await connect(...WIZARD)).exit, 0);
  t.is((await treasury(...SEND)).exit, 0);
});

test('wallet send › given a relay that is away, refuses, repeats, is slow or silent › it is sent once, or said why not', async (t) => {
  const world = await begin(t);
  const { nostr: relay, treasury, start } = world;
  relay.faults.reject = true;
  t.like((await treasury(...SEND)).json(), { code: 'relay_unavailable' });
  relay.faults.reject = false;
  relay.faults.refuse = true;
  const refused = await treasury(...SEND);
  t.like(refused.json(), { code: 'relay_unavailable' });
  t.is(refused.exit, 7);
  relay.faults.refuse = false;
  Object.assign(relay.faults, { twice: true, delay: 50, shuffle: true });
  await world.phone.do('plan', { do: 'accept', twice: true, echo: true, wrongId: true });
  const sent = await treasury(...SEND);
  t.is(sent.exit, 0, sent.stdout + sent.stderr);
  t.deepEqual(relay.complaints, []);
  const bad = await start(['wallet', 'connect', ...WIZARD, '--json'], {
    TREASURY_WIZARDCONNECT_RELAY_URL: 'wss://relay.example.org/path',
  }).done;
  t.is(bad.json()['code'], 'invalid_setting', bad.stdout);
  t.regex(bad.stdout, /without a path/);
});
