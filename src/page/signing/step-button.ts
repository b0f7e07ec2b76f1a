/** The button of a step. */
import { html, type Drawn } from '../html.js';
import { takeStep } from './signing-state.js';
import type { Step } from './step.js';

type Asked = {
  readonly step: Step;
  /** Called once it is done. */
  readonly onDone: () => void;
  /** In the place of the step's own title. */
  readonly text?: string;
};

/** Opens the dialog in which the step is seen, signed and sent. */
export const StepButton = ({ step, onDone, text }: Asked): Drawn =>
  html`<button
    type="button"
    class="main"
    aria-haspopup="dialog"
    onClick=${() => {
      takeStep(step, onDone);
    }}
  >
    ${text ?? step.title}
  </button>`;
