/** How a reward campaign is asked for. */
import type { Guide } from '../../operation/guide.js';
import { chooseVault } from '../vaults/index.js';

export const campaignGuide: Guide = {
  intro: 'A campaign pays many people out of one pool. It is created here, and funded by the next command.',
  order: [
    'title',
    'description',
    'rewardCategory',
    'tokenCategory',
    'totalPool',
    'maxRewardAmount',
    'startDate',
    'endDate',
    'vaultId',
    'refundAddress',
  ],
  questions: {
    title: { ask: 'What is it called?' },
    description: { ask: 'What is it for?' },
    rewardCategory: { ask: 'Of which kind?' },
    tokenCategory: { ask: 'What does it pay?' },
    totalPool: { ask: 'How much is in the pool?' },
    maxRewardAmount: { ask: 'How much does one recipient get at most?' },
    startDate: { ask: 'When does it start?', suggest: () => 'now' },
    endDate: { ask: 'When does it end?', enter: 'open-ended' },
    vaultId: {
      item: 'Vault',
      ask: 'Does it belong to a vault, which then gets the refund?',
      enter: 'no',
      choices: chooseVault,
    },
    refundAddress: {
      ask: 'Where does cancelling pay what remains?',
      enter: 'the vault where there is one, else you',
    },
  },
};
