import test from 'ava';
import type { ChainTransaction } from '../../src/bch/transaction.js';
import { confirmationsOf } from '../../src/offer/confirm.js';
import { withOneLook } from '../../src/operation/one-look.js';
import { fakeContext } from '../operation/fake-context.js';

const tipAt = (height: number) => ({ height, hash: '00'.repeat(32), time: 0, medianTimePast: 0 });

for (const blocks of [1, 2])
  test(`confirmations › given a transaction in the last of ${blocks} blocks that came since the look at the tip › it has one, not ${1 - blocks}`, async (t) => {
    const { chain } = fakeContext();
    let height = 7;
    const context = fakeContext({
      chain: {
        ...chain,
        tip: () => Promise.resolve(tipAt(height)),
        transaction: () => Promise.resolve({ height } as ChainTransaction),
      },
    });
    const looking = withOneLook(context);
    await looking.chain.tip();
    height += blocks;
    t.is(await confirmationsOf('11'.repeat(32), looking), 1);
  });
