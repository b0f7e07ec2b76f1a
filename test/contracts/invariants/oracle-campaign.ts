/** The table of a reward campaign as rows of the oracle. Source: the covenants' specification. */
import { REFUND, type CampaignTerms } from './campaign-model.js';
import {
  AUTHORITY,
  OWNER,
  ends,
  goesOn,
  onlyChanges,
  readFields,
  row,
  signedBy,
  standsStill,
  unsigned,
  type Rows,
} from './oracle-rows.js';

const readCampaign = (state: Uint8Array | null) => {
  const fields = readFields(state, [1, 8, 4]);
  if (fields === null) return null;
  const [status, distributed, count] = fields as [Uint8Array, Uint8Array, Uint8Array];
  return { status: unsigned(status), distributed: unsigned(distributed), count: unsigned(count) };
};

export const campaignRows =
  ({ total, maximum, start }: CampaignTerms): Rows =>
  (situation) => {
    const before = readCampaign(situation.before);
    if (before === null) throw new Error('the thread carried no state of a campaign');
    const after = readCampaign(situation.after);
    const amount = (after?.distributed ?? 0n) - before.distributed;
    const remaining = total - (after?.distributed ?? 0n);
    const creator = { creator: OWNER };
    const owed = total - before.distributed;
    // The reserve is one output, the reward another: to whom it goes is up to the two who sign.
    const hasReserve = situation.asset === 'tokens' && remaining > 0n;
    const reserveAt = hasReserve ? situation.payouts.indexOf(remaining) : -1;
    const rewards = situation.payouts.filter((_, index) => index !== reserveAt);
    return [
      row(
        'distribute',
        signedBy(situation, { ...creator, authority: AUTHORITY }),
        onlyChanges(before, after, ['distributed', 'count']),
        goesOn(situation, remaining),
        [
          ['I3', amount > 0n, 'nothing is paid'],
          ['I8', amount <= maximum, 'the reward is above the maximum'],
          ['I8', (after?.distributed ?? 0n) <= total, 'more is paid than the pool'],
          ['I1', after?.count === before.count + 1n, 'the count does not count'],
          ['I1', rewards.includes(amount), 'no output carries the reward'],
          ['I13', situation.isPaidFree(amount), 'something is glued to the reward'],
          ['I6', before.status === 0n, 'a paused campaign pays'],
          ['I3', situation.now >= start, 'the campaign has not started'],
        ],
      ),
      row(
        'pause',
        signedBy(situation, creator),
        onlyChanges(before, after, ['status']),
        standsStill(situation, remaining),
        [['I6', before.status === 0n && after?.status === 1n, 'the campaign was not active']],
      ),
      row('cancel', signedBy(situation, creator), ends(situation), [
        ['I1', owed === 0n || situation.gets(REFUND) >= owed, 'the refund is short'],
        ['I13', owed === 0n || situation.getsFree(REFUND) >= owed, 'something is glued to the refund'],
      ]),
    ];
  };
