/** The recount: a proposal's locked votes counted from the chain alone, and compared with the records. */
import { z } from 'zod';
import type { StoreReader } from '../../operation/ports/store.js';
import { votingDecimals, type FollowedLock } from './follow-lock.js';
import { FAULTS } from './observe.js';
import type { ProposalRecord } from './proposal.js';
import { voteLocksOf } from './records.js';
import { partReply, sumsReply } from './reply.js';
import { tallyOf } from './rules.js';

/** A recount. */
export const RecountReply = z.object({
  ...sumsReply.reply.shape,
  breakdown: z.array(partReply.reply),
  stakes: z.object({ locked: z.number(), returned: z.number() }).describe('Votes by where their stake is'),
  ignored: z
    .array(z.object({ voter: z.string(), txHash: z.string(), reason: z.string() }))
    .describe('Transactions that pay a vote-lock address and are no vote'),
  agrees: z.boolean().describe('The locked votes of the records are the same'),
});

type Part = z.output<typeof partReply.reply>;

const isSame = (a: readonly Part[], b: readonly Part[]): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The recount of what was found at the vote-lock addresses of all known voters. */
export const recountVotes = async (
  proposal: ProposalRecord,
  followed: readonly FollowedLock[],
  store: StoreReader,
): Promise<z.output<typeof RecountReply>> => {
  // Build: the sums, from ballots and stakes.
  const seen = followed.map(({ count }) => count.lock).filter((lock) => lock !== null);
  const locks = await Promise.all(
    seen.map(async (lock) => ({
      ...lock,
      decimals: await votingDecimals(store, proposal, lock.token_category),
    })),
  );
  const { sums, parts } = tallyOf(proposal, locks, []);
  const breakdown = parts.map(partReply.show);

  // Check: the records say the same.
  const recorded = (await voteLocksOf(store, proposal.id)).map(({ lock }) => lock);
  const records = tallyOf(
    proposal,
    recorded.filter((lock) => lock !== null),
    [],
  );
  const returned = followed.filter(({ count }) => count.unlock !== null).length;
  return {
    ...sumsReply.show({ sums, decimals: proposal.decimals }),
    breakdown,
    stakes: { locked: seen.length - returned, returned },
    ignored: followed.flatMap(({ record, count }) =>
      count.ignored.map(({ txid, fault }) => ({ voter: record.voter, txHash: txid, reason: FAULTS[fault] })),
    ),
    agrees: isSame(breakdown, records.parts.map(partReply.show)),
  };
};
