/** The raw input of an operation, completed: what is missing is asked for where there is somebody to ask. */
import { isInteractive } from './environment.js';
import { missingFields, type RawInput } from './gather-input.js';
import type { Order } from './guide/guide.js';
import { guideOf } from './guide/plan.js';
import type { Session } from './session.js';

/**
 * The input with what is missing. The questions are loaded where there are some.
 *
 * @throws declined, unauthenticated, and what the operation refuses its input with
 */
export const completeInput = async (session: Session, order: Order): Promise<RawInput> => {
  const { operation, fields, input, filled } = order;
  const needs = Object.values(guideOf(operation)?.questions ?? {}).some(({ isNeeded }) => isNeeded === true);
  const isWhole = !needs && missingFields(fields, input, filled).length === 0;
  if (isWhole || !isInteractive(session.call.environment)) return input;
  const { askMissing } = await import('./guide/guide.js');
  return askMissing(session, order);
};
