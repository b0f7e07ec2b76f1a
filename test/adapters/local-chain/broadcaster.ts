/**
 * A process of its own for the tests: pays itself from the faucet's coins and from one shared coin until it is told
 * to stop or is killed, and prints a line for every answer.
 *
 * Arguments: the folder, how many payments (0: without end), and a raw transaction that others broadcast too.
 */
import { openLocalChain } from '../../../src/adapters/local-chain/local-chain.js';
import { TreasuryError } from '../../../src/errors.js';
import { BOB } from './chain-fixture.js';

const [folder = '', count = '0', contested] = process.argv.slice(2);
const chain = await openLocalChain({ folder, now: () => 1_800_000_000 });

if (contested !== undefined) {
  try {
    console.log('won', await chain.broadcast(contested));
  } catch (error) {
    if (!(error instanceof TreasuryError)) throw error;
    console.log('lost', error.code);
  }
}
const last = count === '0' ? Infinity : Number(count);
for (let paid = 0; paid < last; paid += 1) {
  console.log('paid', await chain.faucet(BOB.lockingBytecode, 10_000n));
}
await chain.close();
