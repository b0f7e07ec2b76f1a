/** Whole steps that were signed and not confirmed, and how each goes on. */
import { pendingStepCollection, type PendingStep } from '../../record/pending-steps.js';
import type { Check, Subject, Scope } from './check.js';
import { ok, shellWord, spanText, warning, type Finding } from './finding.js';

type KnownAction = Scope['actions'][number];

const EVERY = Number.MAX_SAFE_INTEGER;

const pathFields = ({ http }: KnownAction['build']): readonly string[] =>
  [...(http?.path ?? '').matchAll(/:(\w+)/g)].map((match) => match[1] ?? '');

/** The command of a step, with what names its record: `rewards fund <id>`. */
const commandOf = ({ operation, confirm_input: input }: PendingStep, { actions }: Scope): string => {
  const action = actions.find(({ build }) => build.id === operation);
  if (action === undefined) return operation.replaceAll('.', ' ');
  const named = pathFields(action.build).flatMap((name) => {
    const value = input[name];
    return typeof value === 'string' ? [shellWord(value)] : [];
  });
  return [action.noun, action.verb, ...named].join(' ');
};

/** Whether the chain has the transaction; null when it cannot say. */
const isOnChain = async (txid: string, { context, chainFailure }: Subject): Promise<boolean | null> => {
  if (chainFailure !== null) return null;
  const found = await context.chain.transaction(txid).catch(() => undefined);
  return found === undefined ? null : found !== null;
};

const stepFinding = async (step: PendingStep, subject: Subject): Promise<Finding> => {
  const { context, scope } = subject;
  const command = commandOf(step, scope);
  const isSent = await isOnChain(step.txid, subject);
  const place = isSent === null ? 'may be on chain' : isSent ? 'is on chain' : 'is not on chain';
  const age = spanText(context.clock.wall() - step.created_at);
  return warning(
    `\`${command}\` of ${step.caller} stopped ${age} ago: ${step.txid} is signed and ${place}, and not confirmed`,
    `run \`treasury ${command}\` again with what it was given: it goes on with that transaction and pays nothing ` +
      'twice (`--start-over` forgets it)',
  );
};

export const steps: Check = {
  name: 'steps',
  needs: ['folder', 'store'],
  look: async (subject) => {
    const { items } = await subject.context.store.find(pendingStepCollection, { limit: EVERY });
    if (items.length === 0) return [ok('no whole step is unfinished')];
    return Promise.all(items.map((step) => stepFinding(step, subject)));
  },
};
