/** Rules of the models that never decide alone, and why: something else that they stand beside always refuses as well. */
export const IMPLIED: Readonly<Record<string, string>> = {
  'budget-plan release: there is such a milestone': 'what is none has not elapsed',
  'budget-plan cancel: there is such a milestone': 'what is none has not elapsed',
  'budget-plan push: there is such a milestone': 'what is none has not elapsed',
  'stream claim: there is such a segment': 'in none nothing has vested, and a claim is above zero',
  'stream push: there is such a segment': 'in none nothing has vested, and a push is above zero',
  'stream push: the thread is input 0': 'what joins a push is a reserve, or locked by 25 bytes',
  'budget-plan push: the thread is input 0': 'what joins a push is a reserve, or locked by 25 bytes',
  'recurring-payment push: the thread is input 0': 'what joins a push is a reserve, or locked by 25 bytes',
  'recurring-payment refill: the thread keeps what is left': 'by how much it grows is read from it',
  'recurring-payment refill: reserve: its tokens': 'by how much it grows is read from it',
};
