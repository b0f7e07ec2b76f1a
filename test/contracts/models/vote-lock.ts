/** VoteLock(voteId, voterHash, unlockTime): a voter's stake and ballot, until the vote has ended. */
import { signedBy, timeOf } from './covenant.js';
import { bytesOf, numberOf, type Model } from './vocabulary.js';

export const voteLock: Model = {
  /** Signed by the voter; what it pays is the voter's affair. Every coin at the address is unlocked so. */
  unlock: (law) => {
    const { terms, must } = law;
    signedBy(law, 'voter', bytesOf(terms, 'voterHash'));
    // The end is a time and no block's height, so that a height is always below it.
    must(timeOf(law) >= numberOf(terms, 'unlockTime'), 'the vote has ended');
  },
};
