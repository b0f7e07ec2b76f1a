/** What a step is known by, and the one of an earlier run that is under way. */
import {
  findPendingStep,
  findPendingStepBySubject,
  stepKey,
  stepSubject,
  type PendingStep,
  type StepIdentity,
} from '../record/pending-steps.js';
import type { Step } from './build-step.js';
import { pathSegments } from './fields.js';

/** What makes two commands the same one. */
export const identityOf = ({ session, action, input }: Step): StepIdentity => ({
  network: session.context.network,
  operation: action.build.id,
  caller: session.operator.address?.text ?? '',
  input,
});

/** What the step is about. @throws the record's `_not_found` code */
export const subjectOf = async (step: Step): Promise<string> => {
  const { session, action, input } = step;
  const [field] = pathSegments(action.build);
  const name = field === undefined ? undefined : input[field];
  const record =
    field === undefined || action.record === undefined || typeof name !== 'string'
      ? null
      : { id: (await action.record(session.context.store, name)).id, field };
  return stepSubject(identityOf(step), record);
};

/** The same step of an earlier run, its record named so or otherwise; or null. @throws as {@link subjectOf} */
export const findUnderWay = async (step: Step): Promise<PendingStep | null> => {
  const { store } = step.session.context;
  return (
    (await findPendingStep(store, stepKey(identityOf(step)))) ??
    (await findPendingStepBySubject(store, await subjectOf(step)))
  );
};
