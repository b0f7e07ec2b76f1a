import {
  bigIntToVmNumber,
  binToHex,
  encodeDataPush,
  encodeCashAddress,
  flattenBinArray,
  hash160,
  hash256,
  hexToBin,
} from '@bitauth/libauth';
import test from 'ava';
import { alice, authority, bob } from '../../../fixtures/people.js';
import { loadArtifact } from '../../../src/covenant/artifact.js';
import type { CampaignRecord } from '../../../src/products/rewards/campaign.js';
import { campaignContract, checkCampaignTerms } from '../../../src/products/rewards/contract.js';
import { campaignOf, START, TOKEN, tokenCampaignOf } from './fixed-campaign.js';

/** The address of a BCH campaign with fixed terms: it changes only when the contract or its parameters do. */
const GOLDEN_BCH = 'bchtest:pdrqlzlhusxadegxq598f5ldal2839zngnm2cfz4g2tzdq9yyeqjvuu8w32ur';
/** The same in a token. */
const GOLDEN_TOKEN = 'bchtest:pv3gwmxz728my9y854wuw6uparmfj6m7pn29xc4vfqkcntdcvk4qvdzu8lshq';

test('campaign contract › given fixed terms in BCH of the first version › it is at its known address', (t) => {
  t.is(campaignContract(campaignOf({ artifact_fingerprint: null }), 'local').address.text, GOLDEN_BCH);
});

test('campaign contract › given fixed terms in a token of the first version › it is at its known address', (t) => {
  t.is(campaignContract(tokenCampaignOf({ artifact_fingerprint: null }), 'local').address.text, GOLDEN_TOKEN);
});

/** The locking bytecode that the compiled script and these parameters give, put together by hand. */
const lockByHand = (parameters: readonly Uint8Array[]): string => {
  const body = loadArtifact('reward-campaign').debug?.bytecode ?? '';
  const redeem = flattenBinArray([...parameters.toReversed().map(encodeDataPush), hexToBin(body)]);
  return `aa20${binToHex(hash256(redeem))}87`;
};

const byHand: readonly (readonly [name: string, campaign: CampaignRecord, category: Uint8Array])[] = [
  ['BCH', campaignOf({ refund_address: bob.address('local').text }), new Uint8Array(32)],
  // The category stands in the byte order of scripts.
  [
    'a token',
    tokenCampaignOf({ token_category: `01${'cc'.repeat(31)}`, refund_address: bob.address('local').text }),
    hexToBin(`${'cc'.repeat(31)}01`),
  ],
];

for (const [name, campaign, category] of byHand) {
  test(`campaign contract › given ${name} › its parameters are bound in the order of the source`, (t) => {
    const expected = lockByHand([
      hexToBin(campaign.on_chain_campaign_id),
      hash160(alice.publicKey),
      hash160(authority.publicKey),
      hexToBin(bob.address('local').lockingBytecode),
      category,
      bigIntToVmNumber(campaign.total_pool),
      bigIntToVmNumber(campaign.max_reward_amount),
      bigIntToVmNumber(BigInt(START)),
    ]);
    t.is(campaignContract(campaign, 'local').lockingBytecode, expected);
  });
}

test('campaign contract › given its terms › the parameters are shown as hex and decimal text', (t) => {
  t.deepEqual(campaignContract(campaignOf(), 'local').constructorParams, [
    '07'.repeat(32),
    binToHex(hash160(alice.publicKey)),
    binToHex(hash160(authority.publicKey)),
    alice.address('local').lockingBytecode,
    '00'.repeat(32),
    '3000000',
    '1000000',
    String(START),
  ]);
});

const changes: readonly Partial<CampaignRecord>[] = [
  { on_chain_campaign_id: '08'.repeat(32) },
  { creator: bob.address('local').text },
  { authority_pubkey: binToHex(bob.publicKey) },
  { refund_address: bob.address('local').text },
  { token_category: TOKEN },
  { total_pool: 3_000_001n },
  { max_reward_amount: 1_000_001n },
  { start_date: START + 1 },
];

for (const change of changes) {
  test(`campaign contract › given another ${Object.keys(change).join('')} › it is at another address`, (t) => {
    t.not(
      campaignContract(campaignOf(change), 'local').address.text,
      campaignContract(campaignOf(), 'local').address.text,
    );
  });
}

for (const change of [{ end_date: START + 60 }, { title: 'Other' }, { distributed_total: 5n }]) {
  test(`campaign contract › given another ${Object.keys(change).join('')} › it is at the same address`, (t) => {
    t.is(
      campaignContract(campaignOf(change), 'local').address.text,
      campaignContract(campaignOf(), 'local').address.text,
    );
  });
}

test('campaign contract › given the z form of the creator › it is at the same address', (t) => {
  const terms = { ...campaignOf(), creator: alice.address('local').tokenText };
  t.is(campaignContract(terms, 'local').address.text, campaignContract(campaignOf(), 'local').address.text);
});

for (const [network, prefix] of [
  ['local', 'bchtest'],
  ['regtest', 'bchreg'],
  ['mainnet', 'bitcoincash'],
] as const) {
  test(`campaign contract › given ${network} › its address begins with ${prefix}`, (t) => {
    t.true(campaignContract(campaignOf(), network).address.text.startsWith(`${prefix}:p`));
  });
}

test('campaign contract › given a function that it does not have › unlocking throws', (t) => {
  t.throws(() => campaignContract(campaignOf(), 'local').unlock('resume'), { message: /no function resume/ });
});

const failedChecks = (changed: Partial<CampaignRecord>): readonly string[] =>
  checkCampaignTerms({ ...campaignOf(), ...changed })
    .filter(({ ok }) => !ok)
    .map(({ check }) => check);

const scriptAddress = encodeCashAddress({
  prefix: 'bchtest',
  type: 'p2sh',
  payload: hash160(alice.publicKey),
}).address;

const soundTerms: readonly (readonly [name: string, changed: Partial<CampaignRecord>])[] = [
  ['fixed terms in BCH', {}],
  ['fixed terms in a token', { token_category: TOKEN }],
  ['a maximum of the whole pool', { max_reward_amount: 3_000_000n }],
  ['the largest pool', { total_pool: 2n ** 63n - 1n }],
  ['the earliest start', { start_date: 500_000_000 }],
  ['the latest end', { end_date: 4_000_000_000 }],
  ['a script that gets the refund', { refund_address: scriptAddress }],
];

for (const [name, changed] of soundTerms) {
  test(`campaign terms › given ${name} › every check holds`, (t) => {
    t.deepEqual(failedChecks(changed), []);
  });
}

const unsoundTerms: readonly (readonly [name: string, changed: Partial<CampaignRecord>, check: string])[] = [
  ['a script as creator', { creator: scriptAddress }, 'creator'],
  ['the authority as creator', { creator: authority.address('local').text }, 'creator'],
  ['a pool above 2^63 - 1', { total_pool: 2n ** 63n }, 'totalPool'],
  ['a maximum of nothing', { max_reward_amount: 0n }, 'maxRewardAmount'],
  ['a maximum below nothing', { max_reward_amount: -1n }, 'maxRewardAmount'],
  ['a maximum above the pool', { max_reward_amount: 3_000_001n }, 'maxRewardAmount'],
  ['a category of zeros', { token_category: '00'.repeat(32) }, 'tokenCategory'],
  ['a start that locktimes take for a height', { start_date: 499_999_999 }, 'startDate'],
  ['a start in milliseconds', { start_date: 4_000_000_001 }, 'startDate'],
  ['an end that locktimes take for a height', { end_date: 499_999_999 }, 'endDate'],
  ['an end in milliseconds', { end_date: 4_000_000_001 }, 'endDate'],
];

for (const [name, changed, check] of unsoundTerms) {
  test(`campaign terms › given ${name} › ${check} fails, and nothing else`, (t) => {
    t.deepEqual(failedChecks(changed), [check]);
  });
}

test('campaign terms › given a pool of nothing › the pool fails, and with it the maximum', (t) => {
  t.deepEqual(failedChecks({ total_pool: 0n }), ['totalPool', 'maxRewardAmount']);
});
