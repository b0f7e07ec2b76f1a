/** Which command goes on with a whole step that is under way. */
import type { Action } from '../operation/define.js';
import type { PendingStep } from '../record/pending-steps.js';

/** An action and the noun of its command. */
export type KnownAction = Action & { readonly noun: string };

const pathFields = ({ http }: Action['build']): readonly string[] =>
  [...(http?.path ?? '').matchAll(/:(\w+)/g)].map((match) => match[1] ?? '');

/** The command of a step, with what names its record: `rewards fund <id>`. `quote` makes one word of a value. */
export const commandOf = (
  { operation, confirm_input: input }: PendingStep,
  actions: readonly KnownAction[],
  quote: (word: string) => string,
): string => {
  const action = actions.find(({ build }) => build.id === operation);
  if (action === undefined) return operation.replaceAll('.', ' ');
  const named = pathFields(action.build).flatMap((name) => {
    const value = input[name];
    return typeof value === 'string' ? [quote(value)] : [];
  });
  return [action.noun, action.verb, ...named].join(' ');
};
