/** Rules of the models that never decide alone, and why. */
export const IMPLIED: Readonly<Record<string, string>> = {
  'budget-plan release: there is such a milestone': 'a milestone that is none has not elapsed',
};
