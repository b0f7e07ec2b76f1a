/** How a proposal is asked for. */
import type { Guide } from '../../operation/guide.js';
import { chooseVault } from '../vaults/index.js';

export const proposalGuide: Guide = {
  intro: 'A proposal is voted on by the members of a vault; voting opens at once.',
  order: ['vaultId', 'title', 'description', 'votingDurationDays', 'tokenCategory', 'quorum'],
  questions: {
    vaultId: { item: 'Vault', ask: 'In which vault?', choices: chooseVault },
    title: { ask: 'What is proposed, in one line?' },
    description: { ask: 'And in full?' },
    tokenCategory: { ask: 'Which token votes?', enter: 'any token' },
    quorum: { ask: 'How much weight has to vote, for, against and abstain together?' },
    votingDurationDays: { ask: 'How many days is it open?', suggest: () => '7' },
  },
};
