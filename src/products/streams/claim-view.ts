/** What a recipient can claim, for people. */
import { showNumber } from '../../bch/amount.js';
import type { View } from '../../operation/define.js';
import { showDate } from '../../bch/show-date.js';

const nextOfClaim = (claimable: number, id: string, isOffered: boolean): View => {
  if (claimable === 0) return [];
  if (isOffered) return [{ kind: 'next', command: `streams claim ${id}`, why: 'to claim it' }];
  const text = 'No claim can be built now: it is too little, or the recipient has no coins for the fee.';
  return [{ kind: 'text', text }];
};

/** How `streams claim-info` reads. */
export const viewClaimInfo = ({
  claimInfo,
  wcTransaction,
}: {
  readonly claimInfo: {
    readonly streamId: string;
    readonly contractAddress: string;
    readonly recipient: string;
    readonly claimableAmount: number;
    readonly totalReleased: number;
    readonly chainTime: number;
    readonly nextUnlock: number | null;
  };
  readonly wcTransaction: unknown;
}): View => [
  {
    kind: 'facts',
    rows: [
      ['Claimable', showNumber(claimInfo.claimableAmount)],
      ['Claimed', showNumber(claimInfo.totalReleased)],
      ['Next unlock', showDate(claimInfo.nextUnlock, 'none')],
      ['Chain time', showDate(claimInfo.chainTime)],
      ['Recipient', claimInfo.recipient],
      ['Contract', claimInfo.contractAddress],
      ['Stream', claimInfo.streamId],
    ],
  },
  ...nextOfClaim(claimInfo.claimableAmount, claimInfo.streamId, wcTransaction !== null),
];
