import test from 'ava';
import fc from 'fast-check';
import { TreasuryError } from '../../../src/errors.js';
import { checkPayoutDust } from '../../../src/covenant/checks.js';
import {
  CAMPAIGN_MOVES,
  CAMPAIGN_STATUSES,
  type CampaignRecord,
  type CampaignStatus,
} from '../../../src/products/rewards/campaign.js';
import { campaigns } from '../../../src/products/rewards/product.js';
import { checkDistribution, remainingPool } from '../../../src/products/rewards/rules.js';
import { campaignOf, START, tokenCampaignOf } from './fixed-campaign.js';

fc.configureGlobal({ seed: 20_260_601 });

const active = campaignOf({ status: 'ACTIVE' });
const activeToken = tokenCampaignOf({ status: 'ACTIVE' });

/** The code that a check refuses with, or null. */
const codeOf = (check: () => void): string | null => {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof TreasuryError) return String(error.code);
    throw error;
  }
};

const distribute = (changes: Partial<CampaignRecord>, amount: bigint, now = START): string | null =>
  codeOf(() => {
    const campaign = { ...active, ...changes };
    campaigns.checkStatus(campaign, 'distribute');
    checkDistribution(campaign, amount, now);
  });

type CampaignMove = keyof typeof CAMPAIGN_MOVES;

const moves: Readonly<Record<CampaignMove, readonly CampaignStatus[]>> = {
  fund: ['PENDING'],
  distribute: ['ACTIVE'],
  pause: ['ACTIVE'],
  cancel: ['ACTIVE', 'PAUSED'],
  remove: ['PENDING', 'CANCELLED'],
};

test('moves › they are those of the README', (t) => {
  for (const [move, { by, from }] of Object.entries(CAMPAIGN_MOVES)) {
    t.is(by, 'creator');
    t.deepEqual([...from], [...moves[move as CampaignMove]]);
  }
  t.deepEqual(Object.keys(CAMPAIGN_MOVES), Object.keys(moves));
});

for (const [move, allowed] of Object.entries(moves) as [CampaignMove, readonly CampaignStatus[]][]) {
  for (const status of CAMPAIGN_STATUSES) {
    const isAllowed = allowed.includes(status);
    test(`status › given ${status} › ${move} is ${isAllowed ? 'allowed' : 'wrong_state'}`, (t) => {
      const check = () => {
        campaigns.checkStatus({ ...active, status }, move);
      };
      t.is(codeOf(check), isAllowed ? null : 'wrong_state');
    });
  }
}

test('status › given a status that is not allowed › the refusal tells it and what is', (t) => {
  const error = t.throws(
    () => {
      campaigns.checkStatus({ ...active, status: 'PENDING' }, 'cancel');
    },
    { instanceOf: TreasuryError },
  );
  t.deepEqual(error.details, { label: '#REWARD-0001', status: 'PENDING', allowed: ['ACTIVE', 'PAUSED'] });
});

test('creator › given somebody else › it is not_creator', (t) => {
  t.is(
    codeOf(() => {
      campaigns.checkRole({ ...active, creator: 'bchtest:a' }, 'creator', 'bchtest:b');
    }),
    'not_creator',
  );
  t.notThrows(() => {
    campaigns.checkRole({ ...active, creator: 'bchtest:a' }, 'creator', 'bchtest:a');
  });
});

const table: readonly (readonly [
  name: string,
  changes: Partial<CampaignRecord>,
  amount: bigint,
  now: number,
  code: string | null,
])[] = [
  ['the maximum', {}, 1_000_000n, START, null],
  ['one above the maximum', {}, 1_000_001n, START, 'amount_exceeds_max_reward'],
  ['exactly what is left', { distributed_total: 2_500_000n }, 500_000n, START, null],
  ['one more than is left', { distributed_total: 2_500_000n }, 500_001n, START, 'pool_exhausted'],
  ['anything of an empty pool', { distributed_total: 3_000_000n }, 1_000n, START, 'pool_exhausted'],
  ['546 satoshis', {}, 546n, START, null],
  ['545 satoshis', {}, 545n, START, 'amount_below_dust'],
  ['the second of the start', {}, 1_000n, START, null],
  ['the second before the start', {}, 1_000n, START - 1, 'campaign_not_started'],
  ['the second of the end', { end_date: START + 60 }, 1_000n, START + 60, null],
  ['the second after the end', { end_date: START + 60 }, 1_000n, START + 61, 'campaign_ended'],
  ['no end', { end_date: null }, 1_000n, 4_000_000_000, null],
  ['a paused campaign', { status: 'PAUSED' }, 1_000n, START, 'wrong_state'],
  ['a cancelled campaign', { status: 'CANCELLED' }, 1_000n, START, 'wrong_state'],
  ['a pending campaign', { status: 'PENDING' }, 1_000n, START, 'wrong_state'],
];

for (const [name, changes, amount, now, code] of table) {
  test(`distribution › given ${name} › it is ${code ?? 'allowed'}`, (t) => {
    t.is(distribute(changes, amount, now), code);
  });
}

test('distribution › given one unit of a token › it is allowed, since tokens have no dust', (t) => {
  t.notThrows(() => {
    checkDistribution(activeToken, 1n, START);
  });
});

test('distribution › given everything wrong at once › the refusals come in the order of the specification', (t) => {
  // Each step puts one thing right: status, cap, pool, then the dates. Dust needs an amount of its own below.
  const wrong = {
    status: 'PAUSED',
    distributed_total: 3_000_000n,
    start_date: START + 10,
    end_date: START - 10,
  } as const;
  const amount = 1_000_001n;
  t.deepEqual(
    [
      distribute(wrong, amount),
      distribute({ ...wrong, status: 'ACTIVE' }, amount),
      distribute({ ...wrong, status: 'ACTIVE' }, 545n),
      distribute({ ...wrong, status: 'ACTIVE', distributed_total: 0n }, 545n),
      distribute({ ...wrong, status: 'ACTIVE', distributed_total: 0n }, 546n),
      distribute({ ...wrong, status: 'ACTIVE', distributed_total: 0n, start_date: START }, 546n),
      distribute(
        { ...wrong, status: 'ACTIVE', distributed_total: 0n, start_date: START, end_date: null },
        546n,
      ),
    ],
    [
      'wrong_state',
      'amount_exceeds_max_reward',
      'pool_exhausted',
      'amount_below_dust',
      'campaign_not_started',
      'campaign_ended',
      null,
    ],
  );
});

const details: readonly (readonly [
  name: string,
  campaign: CampaignRecord,
  amount: bigint,
  now: number,
  details: object,
])[] = [
  [
    'too much at once, in BCH',
    active,
    1_500_000n,
    START,
    { amount: '0.015', asset: 'BCH', maxRewardAmount: '0.01' },
  ],
  [
    'too much at once, in a token',
    activeToken,
    1_050n,
    START,
    { amount: '10.5', asset: 'tokens', maxRewardAmount: '10' },
  ],
  [
    'more than is left',
    { ...active, distributed_total: 2_999_000n },
    10_000n,
    START,
    { amount: '0.0001', asset: 'BCH', remaining: '0.00001' },
  ],
  ['dust', active, 545n, START, { field: 'amount', amount: '0.00000545', minimum: '0.00000546' }],
  [
    'a start to come',
    active,
    1_000n,
    START - 1,
    { label: '#REWARD-0001', startDate: START, chainTime: START - 1 },
  ],
  [
    'an end that has passed',
    { ...active, end_date: START },
    1_000n,
    START + 1,
    { label: '#REWARD-0001', endDate: START, chainTime: START + 1 },
  ],
];

for (const [name, campaign, amount, now, expected] of details) {
  test(`distribution › given ${name} › the refusal has the figures in display units`, (t) => {
    const error = t.throws(
      () => {
        checkDistribution(campaign, amount, now);
      },
      { instanceOf: TreasuryError },
    );
    t.deepEqual(error.details, expected as never);
  });
}

test('payout dust › given a token › any amount will do', (t) => {
  t.notThrows(() => {
    checkPayoutDust('FUNGIBLE_TOKEN', 1n, 'amount');
  });
});

test('payout dust › given BCH below dust › the field is named', (t) => {
  const error = t.throws(
    () => {
      checkPayoutDust('BCH', 1n, 'maxRewardAmount');
    },
    { instanceOf: TreasuryError },
  );
  t.is(error.details['field'], 'maxRewardAmount');
});

test('distribution › property › whatever is allowed keeps the pool at or above nothing', (t) => {
  const amounts = fc.bigInt({ min: 1n, max: 4_000_000n });
  fc.assert(
    fc.property(amounts, fc.bigInt({ min: 0n, max: 3_000_000n }), (amount, distributed) => {
      const campaign = { ...active, distributed_total: distributed };
      if (
        codeOf(() => {
          checkDistribution(campaign, amount, START);
        }) !== null
      )
        return;
      t.true(amount <= campaign.max_reward_amount);
      t.true(remainingPool({ ...campaign, distributed_total: distributed + amount }) >= 0n);
    }),
  );
});
