/** Says that something is going on. `ora` is loaded with the first spinner, and only on a terminal. */

/** Shows a spinner; returns how to take it away. */
export type StartSpinner = (text: string) => Promise<() => void>;

/** A spinner on this process's stderr. */
export const startOra: StartSpinner = async (text) => {
  const { default: ora } = await import('ora');
  const spinner = ora({ text, stream: process.stderr }).start();
  return () => {
    spinner.stop();
  };
};

/** The spinner of a call, so that a prompt can take it away first. */
export type SpinnerSlot = { stop: (() => void) | null };

type Spinning = {
  readonly environment: {
    readonly stderr: { readonly isTTY?: boolean; readonly columns?: number };
    readonly startSpinner: StartSpinner;
  };
  readonly globals: { readonly quiet?: boolean };
  readonly spinner: SpinnerSlot;
};

/** Takes the spinner of a call away, if there is one. */
export const stopSpinner = ({ spinner }: Pick<Spinning, 'spinner'>): void => {
  spinner.stop?.();
  spinner.stop = null;
};

/** Works while a spinner on stderr says what is being done. Off a terminal it only works. */
export const withSpinner = async <Result>(
  call: Spinning,
  text: string,
  work: () => Promise<Result>,
): Promise<Result> => {
  const { stderr, startSpinner } = call.environment;
  // A terminal that says it has no columns has no room for a spinner, and `ora` never ends clearing one.
  const hasRoom = stderr.isTTY === true && stderr.columns !== 0;
  if (!hasRoom || call.globals.quiet === true) return work();
  call.spinner.stop = await startSpinner(text);
  try {
    return await work();
  } finally {
    stopSpinner(call);
  }
};
