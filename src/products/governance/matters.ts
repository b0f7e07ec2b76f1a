/** What votes ask of whoever has this home. */
import { pagePath } from '../../page-paths.js';
import { shellLabel } from '../../record/labels.js';
import type { Matter, MattersOf } from '../../record/matter.js';
import { underEach } from '../../record/matter.js';
import type { StoreReader } from '../../operation/ports/store.js';
import { vaultCollection } from '../vaults/index.js';
import { proposalCollection, type ProposalRecord } from './proposal.js';
import { findSaidVote, findVoteLock } from './records.js';

/** The vaults of which somebody here is a member. */
const vaultsOf = async (store: StoreReader, mine: readonly string[]): Promise<ReadonlySet<string>> => {
  const roles = ['creator', 'signer', 'viewer'] as const;
  const found = await Promise.all(
    roles.map((role) =>
      underEach(mine, (value) => store.find(vaultCollection, { where: { [role]: value } })),
    ),
  );
  return new Set(found.flat().map(({ id }) => id));
};

const ofProposal = async (
  store: StoreReader,
  proposal: ProposalRecord,
  { mine, now, until }: Parameters<MattersOf>[1],
): Promise<readonly Matter[]> => {
  const { id, label, title, voting_ends_at: at } = proposal;
  const locks = (await Promise.all(mine.map((voter) => findVoteLock(store, id, voter)))).filter(
    (one) => one !== null,
  );
  const about = { label: title, amount: null, page: pagePath('vote', { id: shellLabel(label ?? id) }) };
  if (at <= now)
    return locks
      .filter(({ status }) => status === 'LOCKED')
      .map(({ voter: by }) => ({
        ...about,
        kind: 'claim' as const,
        what: 'the tokens that voted',
        at: null,
        command: `governance unlock ${id}`,
        by,
      }));
  const said = await Promise.all(mine.map((voter) => findSaidVote(store, id, voter)));
  const [by] = mine;
  if (by === undefined || at > until || locks.length > 0 || said.some((one) => one !== null)) return [];
  return [{ ...about, kind: 'due', what: 'voting ends', at, command: `governance show ${id}`, by }];
};

/** Votes that end soon and were not cast, and tokens that can be taken back. */
export const matters: MattersOf = async (store, asked) => {
  const vaults = await vaultsOf(store, asked.mine);
  const proposals = await underEach([...vaults], (vault) =>
    store.find(proposalCollection, { where: { vault } }),
  );
  return (await Promise.all(proposals.map((proposal) => ofProposal(store, proposal, asked)))).flat();
};
