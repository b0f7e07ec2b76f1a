/** A look that workers take again and again: one at a time, and a fault that stays the same is said once. */
import type { Log } from '../operation/context.js';

type Looking = {
  readonly once: () => Promise<void>;
  readonly log: Log;
  /** How a fault is told. */
  readonly message: string;
  /** True for a fault that is waited for without a word. */
  readonly isExpected?: (error: unknown) => boolean;
};

/** Looks, or joins the look that is under way. */
export type Look = {
  readonly look: () => Promise<void>;
  /** Resolves when none is under way. */
  readonly idle: () => Promise<void>;
};

/** Makes a look of `once`, which never rejects: what failed is tried with the next. */
export const createLooking = ({ once, log, message, isExpected = () => false }: Looking): Look => {
  let looking: Promise<void> | null = null;
  let lastSaid = '';
  const look = async (): Promise<void> => {
    try {
      await once();
      lastSaid = '';
    } catch (error) {
      const said = String(error);
      if (!isExpected(error) && said !== lastSaid) log.error({ err: error }, message);
      lastSaid = said;
    }
  };
  return {
    look: () =>
      (looking ??= look().finally(() => {
        looking = null;
      })),
    idle: async () => {
      await looking;
    },
  };
};
