/** Asking before something is signed or ended. */
import { NETWORKS } from '../bch/network.js';
import { TreasuryError } from '../errors.js';
import { normaliseLabel } from '../record/labels.js';
import type { Session } from './session.js';
import { isInteractive } from './environment.js';

/** What is to be agreed to. */
export type Intent = {
  /** The question, without a question mark of its own when something is ended. */
  readonly question: string;
  /** The record's label, when this ends it for good. */
  readonly endingLabel: string | null;
  /** The value of `--confirm`. */
  readonly confirmed: string | undefined;
  /** Which of several transactions it is, where somebody is asked on a phone: `First of two, the preparation`. */
  readonly turn?: string;
};

const isSame = (label: string, given: string): boolean => normaliseLabel(label) === normaliseLabel(given);

const askForLabel = async (
  { call, context }: Session,
  label: string,
  given: string | undefined,
): Promise<void> => {
  if (given !== undefined) {
    if (isSame(label, given)) return;
    const message = `"${given}" is not the label of what this ends: expected "${label}"`;
    throw new TreasuryError('invalid_input', { summary: message, issues: [{ path: 'confirm', message }] });
  }
  // Where money is real, a script has to name what it ends.
  if (call.globals.yes === true && !NETWORKS[context.network].isMainnet) return;
  if (!isInteractive(call.environment)) {
    throw new TreasuryError('missing_value', { flag: `--confirm "${label}"` });
  }
  const answer = await call.environment.prompts.text({
    message: `This ends ${label} for good. Type its label to go on:`,
  });
  if (!isSame(label, answer)) throw new TreasuryError('declined');
};

/**
 * Returns when the operator agrees.
 *
 * @throws declined, missing_value (nobody to ask), invalid_input (`--confirm` names something else)
 */
export const askConsent = async (session: Session, intent: Intent): Promise<void> => {
  const { call, context } = session;
  if (intent.endingLabel !== null) {
    await askForLabel(session, intent.endingLabel, intent.confirmed);
    return;
  }
  if (call.globals.yes === true) return;
  if (!isInteractive(call.environment)) throw new TreasuryError('missing_value', { flag: '--yes' });
  const { isMainnet } = NETWORKS[context.network];
  const isAgreed = await call.environment.prompts.confirm({ message: intent.question, fallback: !isMainnet });
  if (!isAgreed) throw new TreasuryError('declined');
};
