import test from 'ava';
import { alice, bob } from '../../fixtures/people.js';
import { encodeWif } from '../../src/bch/keys.js';
import { advance, faucet, operations, mine, reorg, reset, status } from '../../src/home/chain.js';
import { importWallet } from '../../src/home/wallets/secrets.js';
import { operationsOf } from '../../src/operation/define.js';
import { openTestHome } from '../home.js';

const validInput: Record<string, Record<string, unknown>> = {
  'chain.faucet': { address: alice.address('local').text, amount: 1 },
  'chain.advance': { duration: '30d' },
  'chain.reorg': { depth: 1 },
};

for (const operation of operationsOf(operations)) {
  test(`${operation.id} › given another network › it is local_only`, async (t) => {
    const home = await openTestHome(t, { network: 'chipnet' });
    const error = await home.refusal(t, 'local_only', operation, validInput[operation.id] ?? {});
    t.is(error.details['command'], `treasury ${operation.id.replace('.', ' ')}`);
  });
}

test('faucet › given an address › it has the coin, at index 0', async (t) => {
  const home = await openTestHome(t);
  const { lockingBytecode, text } = bob.address('local');
  const reply = await home.ask(faucet, { address: text, amount: '1.5' });
  t.like(reply, { address: text, amount: 1.5, amountOnChain: '150000000' });
  t.like(await home.chain.coins(lockingBytecode), [
    { txid: reply['txHash'], vout: 0, satoshis: 150_000_000n },
  ]);
});

test('faucet › given the name of a wallet › it is that wallet’s', async (t) => {
  const home = await openTestHome(t);
  await home.ask(importWallet, { name: 'alice', secret: encodeWif(alice.privateKey, 'local') });
  t.like(await home.ask(faucet, { address: 'alice', amount: 1 }), { address: alice.address('local').text });
});

test('faucet › given what is neither › it is invalid_address', async (t) => {
  const home = await openTestHome(t);
  await home.refusal(t, 'invalid_address', faucet, { address: 'nobody', amount: 1 });
});

test('faucet › given the address of another network › it is invalid_address', async (t) => {
  const home = await openTestHome(t);
  await home.refusal(t, 'invalid_address', faucet, { address: alice.address('mainnet').text, amount: 1 });
});

test('faucet › given an amount below dust › it is amount_below_dust', async (t) => {
  const home = await openTestHome(t);
  const input = { address: alice.address('local').text, amount: '0.00000001' };
  await home.refusal(t, 'amount_below_dust', faucet, input);
});

test('mine › given a number › the chain is that much higher', async (t) => {
  const home = await openTestHome(t);
  const { height } = await home.chain.tip();
  t.is((await home.ask(mine, { blocks: 3 }))['height'], height + 3);
  t.is((await home.ask(mine))['height'], height + 4);
});

test('advance › given a duration › the clock and median time past have moved by it', async (t) => {
  const home = await openTestHome(t);
  const before = await home.ask(status);
  const month = 30 * 86_400;
  await home.ask(advance, { duration: '30d' });
  const after = await home.ask(status);
  t.is(Number(after['now']) - Number(before['now']), month);
  t.true(Number(after['medianTimePast']) - Number(before['medianTimePast']) >= month - 60);
});

test('advance › given what is no duration › it is invalid_input by name', async (t) => {
  const home = await openTestHome(t);
  const error = await home.refusal(t, 'invalid_input', advance, { duration: '30' });
  t.like(error.details, { issues: [{ path: 'duration' }] });
});

test('reorg › given a depth › the chain is one higher and has another tip', async (t) => {
  const home = await openTestHome(t);
  await home.ask(mine, { blocks: 5 });
  const before = await home.chain.tip();
  const after = await home.ask(reorg, { depth: 2 });
  t.is(after['height'], before.height + 1);
  t.not(after['hash'], before.hash);
});

test('reset › given coins › there are none any more', async (t) => {
  const home = await openTestHome(t);
  const { lockingBytecode, text } = bob.address('local');
  await home.ask(faucet, { address: text, amount: 1 });
  await home.ask(reset);
  t.deepEqual(await home.chain.coins(lockingBytecode), []);
});
