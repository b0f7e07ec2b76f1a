/**
 * RewardCampaign(campaignId, creatorHash, authorityHash, refundLock, tokenCategory, totalPool, maxReward, startTime): a pool
 * that rewards are paid from. State: `status u8 | distributed u64 | count u32`.
 */
import {
  ACTIVE,
  ends,
  FLOOR,
  goesOn,
  holdsBch,
  holdsTokens,
  isInBch,
  keepsAll,
  keepsReserve,
  PAUSED,
  signedBy,
  threadOf,
  timeOf,
} from './covenant.js';
import {
  bytesOf,
  commitmentOf,
  field,
  integer,
  numberOf,
  pieces,
  unsigned,
  type Coin,
  type Hex,
  type Law,
  type Model,
} from './vocabulary.js';

type State = { readonly status: bigint; readonly distributed: bigint; readonly count: bigint };

const read = (thread: Coin): State => {
  const [status = '', distributed = '', count = ''] = pieces(commitmentOf(thread), [1, 8, 4]);
  return { status: unsigned(status), distributed: unsigned(distributed), count: unsigned(count) };
};
const write = ({ status, distributed, count }: State): Hex =>
  field(status, 1) + field(distributed, 8) + field(count, 4);

const creatorSigns = (law: Law): void => {
  signedBy(law, 'creator', bytesOf(law.terms, 'creatorHash'));
};

export const rewardCampaign: Model = {
  /** Signed by the creator and the authority, who choose to whom it goes. */
  distribute: (law) => {
    const { terms, call, must } = law;
    const state = read(threadOf(law));
    creatorSigns(law);
    signedBy(law, 'authority', bytesOf(terms, 'authorityHash'));
    must(state.status === ACTIVE, 'the campaign is active');
    must(timeOf(law) >= numberOf(terms, 'startTime'), 'the campaign has started');
    const amount = integer(call, 'amount');
    const distributed = state.distributed + amount;
    must(amount > 0n, 'the reward is above zero');
    must(amount <= numberOf(terms, 'maxReward'), 'the reward is within the maximum');
    must(distributed <= numberOf(terms, 'totalPool'), 'the pool has it');
    goesOn(law, write({ ...state, distributed, count: state.count + 1n }), amount);
    const at = keepsReserve(law, numberOf(terms, 'totalPool') - distributed);
    if (isInBch(law)) holdsBch(law, at, 'reward', { to: null, satoshis: amount, isExact: true });
    else holdsTokens(law, at, 'reward', { to: null, amount, satoshis: FLOOR });
  },

  /** Signed by the creator. For good: nothing resumes a campaign. */
  pause: (law) => {
    const state = read(threadOf(law));
    creatorSigns(law);
    law.must(state.status === ACTIVE, 'the campaign is active');
    keepsAll(law, write({ ...state, status: PAUSED }));
  },

  /** Signed by the creator, in any status: what remains goes where the terms say. */
  cancel: (law) => {
    const { terms } = law;
    const { distributed } = read(threadOf(law));
    creatorSigns(law);
    ends(law);
    const remaining = numberOf(terms, 'totalPool') - distributed;
    if (remaining <= 0n) return;
    const to = bytesOf(terms, 'refundLock');
    if (isInBch(law)) holdsBch(law, 0, 'refund', { to, satoshis: remaining, isExact: false });
    else holdsTokens(law, 0, 'refund', { to, amount: remaining, satoshis: FLOOR });
  },
};
