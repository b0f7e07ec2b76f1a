/** Tokens that have voted and can be taken back. */
import { z } from 'zod';
import type { Item } from '../items.js';
import { read, Units } from '../reading.js';
import { isFor, type Source } from './asked.js';
import { Vaults } from './vaults.js';

const Proposal = z.object({ id: z.string(), label: z.string().nullable(), votingEndsAt: z.string() });
const Votes = z.object({
  votes: z.array(
    z.object({
      voter: z.string(),
      status: z.string(),
      tokenCategory: z.string().nullable(),
      weightOnChain: Units.nullable(),
    }),
  ),
});

/** After how long a vote that was taken back is looked at again, seconds. */
const LOOKED_AGAIN_SECONDS = 3_600;

export const unlocks: Source = async ({ rule, asker, now, ahead, over }) => {
  const { all } = read(Vaults, await asker.ask('vaults.list'));
  const items: Item[] = [];
  for (const { id: vaultId } of all) {
    const found = await asker.all('governance.list', { vaultId }, { name: 'proposals', schema: Proposal });
    for (const { id, label: own, votingEndsAt } of found) {
      const label = own ?? id;
      const ends = Math.floor(Date.parse(votingEndsAt) / 1_000);
      const key = `${id} ${asker.address}`;
      if (!isFor(rule, label) || (over.get(key) ?? 0) > now || (ends > now && !ahead)) continue;
      const { votes } = read(Votes, await asker.ask('governance.show', { proposalId: id }));
      const own_vote = votes.find(({ voter, status }) => voter === asker.address && status === 'LOCKED');
      if (own_vote === undefined) {
        // Nobody votes after the end. What was taken back may be locked again: the chain can withdraw a block.
        const hasVoted = votes.some(({ voter }) => voter === asker.address);
        if (ends <= now) over.set(key, hasVoted ? now + LOOKED_AGAIN_SECONDS : Infinity);
        continue;
      }
      items.push({
        task: rule.do,
        label,
        input: { proposalId: id, voterAddress: asker.address },
        amount: { category: own_vote.tokenCategory, units: own_vote.weightOnChain ?? 0n },
        at: ends > now ? ends : null,
      });
    }
  }
  return items;
};
