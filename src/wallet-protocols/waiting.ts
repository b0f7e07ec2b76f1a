/** Waiting: for an answer, for somebody, for some time. */

type Timer = ReturnType<typeof setTimeout>;

/** Lets a program end in spite of a timer. Browsers have nothing of the kind. */
const letGo = (timer: unknown): void => {
  (timer as { readonly unref?: () => void }).unref?.();
};

/** Some time that no program is kept running for. */
export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    letGo(setTimeout(resolve, milliseconds));
  });

/** A question that was left. */
const interruption = (): Error => Object.assign(new Error('interrupted'), { name: 'AbortPromptError' });

/** True for what a call ends with that was left by whoever waited. */
export const isInterruption = (error: unknown): boolean =>
  error instanceof Error && error.name === 'AbortPromptError';

/** How somebody who waits says that they do not want to any longer. */
export type Patience = {
  /** Calls back then; returns how to stop listening. */
  readonly onInterrupt?: (listener: () => void) => () => void;
  /** Ends the waiting, too. */
  readonly signal?: AbortSignal;
};

/**
 * Waits for an answer, and ends when nobody waits any more or when the time is over.
 *
 * @returns null when the time is over
 * @throws an interruption, and what the answer rejects with
 */
export const waitFor = async <T>(
  answer: Promise<T>,
  seconds: number,
  { onInterrupt, signal }: Patience,
): Promise<{ readonly value: T } | null> => {
  let timer: Timer | undefined;
  let stopListening: (() => void) | undefined;
  let leave: (() => void) | undefined;
  const over = new Promise<null>((resolve, reject) => {
    timer = setTimeout(() => {
      resolve(null);
    }, seconds * 1_000);
    const stop = (): void => {
      reject(interruption());
    };
    leave = stop;
    stopListening = onInterrupt?.(stop);
    if (signal?.aborted === true) stop();
    signal?.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([answer.then((value) => ({ value })), over]);
  } finally {
    clearTimeout(timer);
    stopListening?.();
    if (leave !== undefined) signal?.removeEventListener('abort', leave);
  }
};
