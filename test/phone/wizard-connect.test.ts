/** A wallet on a phone at the terminal, over WizardConnect. */
import test, { type ExecutionContext } from 'ava';
import { atLength } from '../at-length.js';
import { HARMLESS, LIES } from './lies.js';
import { openWorld, type World } from './terminal.js';

const SEND = ['wallet', 'send', '--to', 'main', '--amount', '0.1', '--wallet', 'phone', '--yes', '--json'];
const WIZARD = ['--protocol', 'wizardconnect', '--yes'];

const begin = async (t: ExecutionContext, options: Parameters<typeof openWorld>[1] = {}): Promise<World> => {
  const world = await openWorld(t, { name: 'Wand', ...options });
  const connected = await world.connect(...WIZARD);
  t.is(connected.exit, 0, connected.stdout + connected.stderr);
  const { address } = await world.phone.do('account');
  await world.treasury('chain', 'faucet', address, '1');
  return world;
};

const requestsOf = ({ phone }: World): number =>
  phone.events.filter(({ kind, method }) => kind === 'request' && method === 'sign_transaction_request')
    .length;

test('wallet connect › given WizardConnect › what is handed over for good is agreed to first; then it is a wallet', async (t) => {
  const { phone, treasury, connect, nostr } = await openWorld(t, { name: 'Wand' });
  const asked = await treasury('wallet', 'connect', '--protocol', 'wizardconnect', '--json');
  t.like(asked.json(), { code: 'missing_value', flag: '--yes' });
  const { address, publicKey } = await phone.do('account');
  const connected = await connect(...WIZARD);
  t.is(connected.exit, 0, connected.stdout + connected.stderr);
  t.like(connected.json(), {
    wallet: { name: 'phone', address, publicKey, origin: 'wizardconnect', app: 'Wand', sessionEndsAt: null },
  });
  await treasury('chain', 'faucet', address, '1');
  const sent = await treasury(...SEND);
  t.is(sent.exit, 0, sent.stdout + sent.stderr);
  const unsigned = await treasury('wallet', 'sign-message', 'hello', '--wallet', 'phone', '--json');
  t.is(unsigned.json()['code'], 'wallet_unsupported');
  t.regex((await treasury('wallet', 'show', 'phone')).stdout, /in Wand, over WizardConnect/);
  t.is((await treasury('wallet', 'disconnect', 'phone')).exit, 0);
  await phone.sees('session ended');
  t.deepEqual(nostr.complaints, []);
});

test('wallet connect › given a wallet that will not, or is none › each says so', async (t) => {
  const { phone, connect } = await openWorld(t);
  const cases = [
    [{ do: 'decline' }, 'wallet_declined'],
    [{ do: 'accept', secretAs: 'wrong' }, 'wallet_not_paired'],
    [{ do: 'accept', otherPublicKey: true }, 'wallet_not_paired'],
    [{ do: 'accept', protocols: ['hdwalletv9'] }, 'wallet_unsupported'],
    [{ do: 'silence' }, 'wallet_not_paired'],
  ] as const;
  for (const [meeting, code] of cases) {
    await phone.do('meet', meeting);
    const isSilent = code === 'wallet_not_paired';
    const refused = await connect(...WIZARD, ...(isSilent ? ['--wait', '1'] : []));
    t.is(refused.json()['code'], code, JSON.stringify(meeting) + refused.stdout);
  }
  await phone.do('meet', { do: 'accept', secretAs: 'hex' });
  t.is((await connect(...WIZARD)).exit, 0);
});

test('wallet send › given a wallet that refuses, is silent or away › each has its own words', async (t) => {
  const world = await begin(t);
  const { phone, treasury } = world;
  await phone.do('plan', { do: 'decline' });
  t.is((await treasury(...SEND)).json()['code'], 'wallet_declined');
  await phone.do('plan', { do: 'error', message: 'no coins' });
  t.like((await treasury(...SEND)).json(), { code: 'wallet_failed', reason: 'no coins' });
  await phone.do('plan', { do: 'emptyError' });
  t.is((await treasury(...SEND)).json()['code'], 'wallet_failed');
  await phone.do('plan', { do: 'silence' });
  const silent = await treasury(...SEND, '--wait', '1');
  t.is(silent.json()['code'], 'wallet_silent', silent.stdout);
  await phone.sees('cancelled');
  await phone.do('leave');
  const off = await treasury(...SEND, '--wait', '1');
  t.is(off.json()['code'], 'wallet_offline', off.stdout);
  await phone.do('come');
  const sent = await treasury(...SEND);
  t.is(sent.exit, 0, sent.stdout + sent.stderr);
});

test('wallet send › given a wallet that lies › no lie passes', async (t) => {
  const world = await begin(t);
  const lies = LIES.filter((one) => !HARMLESS.some((harmless) => harmless === one));
  for (const lie of lies.filter((_, index) => index % atLength(1, 6) === 0)) {
    await world.phone.do('plan', { do: 'accept', lie });
    const refused = await world.treasury(...SEND);
    t.true(
      ['wallet_answer_differs', 'wallet_account_mismatch', 'wallet_failed'].includes(
        String(refused.json()['code']),
      ),
      lie + refused.stdout,
    );
  }
});

test('wallet send › given a wallet that goes and comes back › the request is sent again, under the same number', async (t) => {
  const world = await begin(t);
  const { phone, start } = world;
  await phone.do('plan', { do: 'silence' });
  const running = start(SEND);
  await phone.sees('request');
  await phone.do('leave');
  await phone.do('come');
  await phone.sees('again');
  await phone.do('tap', { do: 'accept' });
  const sent = await running.done;
  t.is(sent.exit, 0, sent.stdout + sent.stderr);
  t.is(requestsOf(world), 1);
});

test('wallet send › given strangers, forgeries and old messages › none of them counts', async (t) => {
  const world = await begin(t);
  const { phone, start, nostr } = world;
  Object.assign(nostr.faults, { twice: true, shuffle: true });
  await phone.do('plan', { do: 'silence' });
  const running = start(SEND);
  const { sequence } = await phone.sees('request');
  const lie = { action: 'sign_transaction_response', sequence, signedTransaction: '00', error: 'no' };
  await phone.do('say', lie, { as: 'stranger' });
  await phone.do('say', lie, { forged: true });
  await phone.do('say', { ...lie, time: 1_000_000 });
  await phone.do('say', { action: 'disconnect', reason: 'user_disconnect' }, { as: 'stranger' });
  await phone.do('tap', { do: 'accept' });
  const sent = await running.done;
  t.is(sent.exit, 0, sent.stdout + sent.stderr);
});

test('wallet send › given a session that the wallet ended › it says so, and connecting again goes on', async (t) => {
  const { phone, treasury, connect } = await begin(t);
  await phone.do('plan', { do: 'leave' });
  t.is((await treasury(...SEND)).json()['code'], 'wallet_session_ended');
  t.is((await treasury(...SEND)).json()['code'], 'wallet_session_ended');
  t.is((await connect(...WIZARD)).exit, 0);
  t.is((await treasury(...SEND)).exit, 0);
});

test('wallet send › given a relay that is away › it says so', async (t) => {
  const { treasury, nostr } = await begin(t);
  nostr.faults.refuse = true;
  const away = await treasury(...SEND);
  t.is(away.json()['code'], 'relay_unavailable');
  t.is(away.exit, 7);
});
