/** The command line with the reference SDK as the wallet on the other side. */
import assert from 'node:assert/strict';
import { startSdkWallet } from './sdk.js';
import { openWorld } from './terminal.js';

const SEND = ['wallet', 'send', '--to', 'main', '--amount', '0.1', '--wallet', 'phone', '--yes', '--json'];

/** Connects, signs both kinds, is refused and disconnected. @throws AssertionError */
export const playTreasury = async (folder: string, say: (what: string) => void): Promise<void> => {
  const ends: (() => unknown)[] = [];
  const teardown = (end: () => unknown): void => {
    ends.push(end);
  };
  try {
    const start = (options: Parameters<typeof startSdkWallet>[1]) => startSdkWallet(folder, options);
    const { phone, connect, treasury, relay } = await openWorld({ teardown }, { start });
    const { address } = await phone.do('account');
    const connected = await connect();
    assert.equal(connected.exit, 0, connected.stdout + connected.stderr);
    assert.equal((connected.json()['wallet'] as Record<string, unknown>)['address'], address);
    say('treasury: connected, and its address proven');
    await treasury('chain', 'faucet', address, '1');
    const sent = await treasury(...SEND);
    assert.equal(sent.exit, 0, sent.stdout + sent.stderr);
    const terms = ['--recipient', 'main', '--amount-per-period', '0.01', '--interval', 'monthly'];
    await treasury('payments', 'create', ...terms, '--wallet', 'phone');
    const funded = await treasury('payments', 'fund', 'PAY-0001', '--wallet', 'phone', '--yes', '--json');
    assert.equal(funded.exit, 0, funded.stdout + funded.stderr);
    const paused = await treasury('payments', 'pause', 'PAY-0001', '--wallet', 'phone', '--yes', '--json');
    assert.equal(paused.exit, 0, paused.stdout + paused.stderr);
    const signed = await treasury('wallet', 'sign-message', 'hello', '--wallet', 'phone', '--json');
    assert.equal(signed.exit, 0, signed.stdout + signed.stderr);
    say('treasury: a payment, a preparation, a funding, a pause and a message are signed');
    await phone.do('plan', { do: 'decline' });
    assert.equal((await treasury(...SEND)).json()['code'], 'wallet_declined');
    await phone.do('plan', { do: 'accept', lie: 'outputValue' });
    assert.equal((await treasury(...SEND)).json()['code'], 'wallet_answer_differs');
    const gone = await treasury('wallet', 'disconnect', 'phone', '--json');
    assert.deepEqual([gone.exit, gone.json()['untold']], [0, null]);
    await phone.sees('session ended');
    // The SDK writes the relay's ids as texts that end with an n.
    assert.deepEqual(
      relay.complaints.filter((one) => !one.includes('in another form')),
      [],
    );
    say('treasury: a no and a lie are told apart; it is disconnected');
  } finally {
    for (const end of ends) await end();
  }
};
