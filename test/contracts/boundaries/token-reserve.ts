/** TokenReserve at its edges: a thread that ends, so that nothing but its own two checks asks where the reserve lies. */
import { campaignState } from '../../../src/products/rewards/state.js';
import { bind, type Bound } from '../harness/bound.js';
import type { Attack, Move } from '../harness/cases.js';
import {
  called,
  categoryOf,
  DUST,
  feeFrom,
  fungible,
  nft,
  NOW,
  owned,
  plain,
  reserveCoin,
  thief,
} from '../harness/coins.js';
import { authority, owner } from '../harness/parties.js';
import type { Input, Output, Spend } from '../harness/spend.js';

const POOL = 9_000n;
const covenant = (): Bound =>
  bind('reward-campaign', [
    new Uint8Array(32).fill(10),
    owner.hash,
    authority.hash,
    owner.lock,
    categoryOf('tokens'),
    POOL,
    POOL,
    BigInt(NOW - 1),
  ]);
const STATE = campaignState.encode({ status: 0, distributed: 0n, count: 0 });

const spendOf = (inputs: readonly Input[], outputs: readonly Output[]): Spend => ({
  inputs,
  outputs,
  locktime: NOW,
  chainTime: NOW + 1,
});
const cancelled = (coin: Output): Input =>
  called('thread', coin, covenant(), 'cancel', [owner.publicKey, { sign: owner }]);
const thread = (): Input => cancelled(nft(covenant().lock, STATE, DUST));
const forged = (): Input => owned('forged', thief, nft(thief.lock, STATE, DUST));
const refund = (): Output => fungible(owner.lock, POOL);
const move = (name: string, build: () => Spend): Move => ({ name, asset: 'tokens', kind: 'other', build });

export const reserveMoves: readonly Move[] = [
  move('spend › with a thread that ends', () =>
    spendOf([thread(), reserveCoin(covenant(), POOL), feeFrom(owner)], [refund()]),
  ),
  move('spend › behind the fee of a thread that ends', () =>
    spendOf([thread(), feeFrom(owner), reserveCoin(covenant(), POOL)], [refund()]),
  ),
];

const elsewhere = 'input 0 is locked by the covenant';

export const reserveAttacks: readonly Attack[] = [
  {
    attack: 'alone',
    name: "spend › with a thief's NFT of the category at input 0 and the covenant at output 0",
    build: () =>
      spendOf(
        [forged(), reserveCoin(covenant(), POOL), feeFrom(thief)],
        [plain(covenant().lock, DUST), fungible(thief.lock, POOL)],
      ),
    refusedBy: elsewhere,
    input: 1,
  },
  {
    attack: 'alone',
    name: "spend › with a thief's NFT of the category at input 0 and the covenant at input 1",
    build: () =>
      spendOf(
        [forged(), cancelled(plain(covenant().lock, DUST)), reserveCoin(covenant(), POOL), feeFrom(thief)],
        [fungible(thief.lock, POOL)],
      ),
    refusedBy: elsewhere,
    input: 2,
  },
];
