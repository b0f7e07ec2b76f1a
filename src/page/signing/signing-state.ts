/** The step that is being taken, if one is: the page takes one at a time. */
import { cell } from '../state.js';
import type { Purpose, Step } from './step.js';

/** A step with what becomes of it. */
export type Taken = {
  readonly step: Step;
  /** What the phone was asked before the page was left; null: it begins now. */
  readonly purpose: Purpose | null;
  /** Called once it is done: what is shown of it is old then. */
  readonly onDone: () => void;
};

/** Null: none. */
export const taken = cell<Taken | null>(null);

/** Takes a step: its dialog opens. */
export const takeStep = (step: Step, onDone: () => void): void => {
  taken.set({ step, purpose: null, onDone });
};

/** Goes on with a step that the phone was asked before the page was left. */
export const takeUp = (purpose: Purpose): void => {
  taken.set({ step: purpose.step, purpose, onDone: () => undefined });
};
