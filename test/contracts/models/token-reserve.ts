/** TokenReserve(threadCategory, covenantLock): the tokens of one thread. It opens with that thread, at its covenant. */
import { bytesOf, categoryOf, inputAt, MUTABLE, type Model } from './vocabulary.js';

export const tokenReserve: Model = {
  /** Signed by nobody. Both keys are needed: in a batch many threads share one category. */
  spend: ({ terms, call, must }) => {
    const first = inputAt(call, 0);
    must(categoryOf(first) === bytesOf(terms, 'threadCategory') + MUTABLE, 'input 0 carries the thread');
    must(first.lock === bytesOf(terms, 'covenantLock'), 'input 0 is the covenant');
  },
};
