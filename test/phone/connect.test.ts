/** A wallet on a phone at the terminal: connected, asked, refused, let go of. */
import test from 'ava';
import { openWorld } from './terminal.js';

test('wallet connect › given a phone that agrees › it is a wallet like the others', async (t) => {
  const { phone, connect, treasury, relay } = await openWorld(t, { cancels: true, name: 'Cashbox' });
  const { address, publicKey } = await phone.do('account');
  const connected = await connect();
  t.is(connected.exit, 0, connected.stderr + connected.stdout);
  t.like(connected.json(), {
    wallet: { name: 'phone', address, publicKey, origin: 'walletconnect', app: 'Cashbox' },
  });
  await treasury('chain', 'faucet', address, '1');
  const sent = await treasury(
    'wallet',
    'send',
    '--to',
    'main',
    '--amount',
    '0.1',
    '--wallet',
    'phone',
    '--yes',
    '--json',
  );
  t.is(sent.exit, 0, sent.stderr + sent.stdout);
  const signed = await treasury('wallet', 'sign-message', 'hello', '--wallet', 'phone', '--json');
  t.is(signed.exit, 0, signed.stderr + signed.stdout);
  const token = await treasury('auth', 'token', '--wallet', 'phone');
  t.is(token.exit, 0, token.stderr + token.stdout);
  t.log((await treasury('wallet', 'list')).stdout);
  t.log((await treasury('wallet', 'show', 'phone')).stdout);
  const gone = await treasury('wallet', 'disconnect', 'phone');
  t.is(gone.exit, 0, gone.stderr + gone.stdout);
  t.log(gone.stdout);
  t.deepEqual(relay.complaints, []);
});
