import test from 'ava';
import fc from 'fast-check';
import {
  campaignState,
  CHAIN_STATUS,
  initialState,
  readState,
  type CampaignState,
} from '../../../src/products/rewards/state.js';

fc.configureGlobal({ seed: 20_260_601 });

/** `status u8 | distributed u64 | count u32`, little-endian. Source: contracts/rewards/reward-campaign.cash. */
const vectors: readonly (readonly [name: string, hex: string, state: CampaignState])[] = [
  ['the state that funding mints', '00'.repeat(13), initialState],
  [
    'three rewards of 0.015 BCH in all',
    '0060e316000000000003000000',
    { status: CHAIN_STATUS.active, distributed: 1_500_000n, count: 3 },
  ],
  [
    'a paused campaign',
    '01080706050403020104030201',
    { status: CHAIN_STATUS.paused, distributed: 0x0102030405060708n, count: 0x01020304 },
  ],
  [
    'the largest figures',
    '00ffffffffffffff7fffffff7f',
    { status: 0, distributed: 2n ** 63n - 1n, count: 2 ** 31 - 1 },
  ],
];

for (const [name, hex, state] of vectors) {
  test(`campaign state › given ${name} › it is written as the vector`, (t) => {
    t.is(campaignState.encode(state), hex);
  });

  test(`campaign state › given ${name} › it is read from the vector`, (t) => {
    t.deepEqual(readState(hex), state);
  });
}

test('campaign state › it is 13 bytes, cut where the contract cuts it', (t) => {
  t.is(campaignState.size, 13);
  t.deepEqual(campaignState.offsets, {
    status: { offset: 0, size: 1 },
    distributed: { offset: 1, size: 8 },
    count: { offset: 9, size: 4 },
  });
});

for (const [name, hex] of [
  ['one byte less', '00'.repeat(12)],
  ['one byte more', '00'.repeat(14)],
  ['nothing', ''],
  ['a negative amount', `00${'00'.repeat(7)}80${'00'.repeat(4)}`],
] as const) {
  test(`campaign state › given ${name} › it is no state of a campaign`, (t) => {
    t.throws(() => readState(hex), { message: /is not a state of status, distributed, count/ });
  });
}

test('campaign state › property › what is written is read back', (t) => {
  const states = fc.record({
    status: fc.constantFrom(CHAIN_STATUS.active, CHAIN_STATUS.paused),
    distributed: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
    count: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
  });
  fc.assert(
    fc.property(states, (state) => {
      t.deepEqual(readState(campaignState.encode(state)), state);
    }),
  );
});
