import test from 'ava';
import type { Coin } from '../../src/bch/coins.js';
import { ticketCoins } from '../../src/covenant/ticket.js';

const coinOf = (number: number, satoshis: bigint): Coin => ({
  txid: number.toString(16).padStart(64, '0'),
  vout: 0,
  satoshis,
  lockingBytecode: '51',
  height: null,
});
const free = () => false;

test('ticket coins › given dust of strangers › the own tickets come first, the freshest before the used', (t) => {
  const [fresh, used, large] = [coinOf(1, 10_000n), coinOf(2, 9_700n), coinOf(3, 80_000n)];
  const dust = Array.from({ length: 900 }, (_, index) => coinOf(index + 4, 1_000n));
  t.deepEqual(ticketCoins([...dust, large, used, fresh], free).slice(0, 2), [fresh, used]);
  t.deepEqual(ticketCoins([...dust, large], free).at(-1), large, 'a large coin is there to be split');
});

test('ticket coins › given coins that are too small, leased or carry tokens › they are none', (t) => {
  const leased = coinOf(1, 10_000n);
  const token = { ...coinOf(2, 10_000n), token: { category: 'cc'.repeat(32), amount: 1n } };
  t.deepEqual(
    ticketCoins([coinOf(3, 999n), token, leased], (outpoint) => outpoint === `${leased.txid}:0`),
    [],
  );
});
