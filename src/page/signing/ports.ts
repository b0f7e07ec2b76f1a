/** What a step needs, as the browser has it. */
import { post } from '../api.js';
import { noteSession, openWallet } from '../phone.js';
import { wallet, who } from '../who.js';
import type { Purpose, Stage, StepPorts } from './step.js';

/** Does something with the wallet; whatever becomes of it, its session may be another afterwards. */
const noting = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } finally {
    noteSession();
  }
};

/** What is under way on the phone; null: nothing. */
export const pendingPurpose = (): Purpose | null =>
  (wallet.get()?.pending()?.purpose ?? null) as Purpose | null;

/** @param show called with each stage */
export const portsOf = (show: (stage: Stage) => void): StepPorts => ({
  post,
  login: async (tell) => {
    const open = wallet.get();
    if (who.get().session !== null && open?.needsLogin() === true) await noting(open.login(tell));
  },
  sign: async (transaction, purpose, tell) => {
    const open = await openWallet();
    return noting(open.sign(transaction, { tell, purpose }));
  },
  resumeOf: (purpose) => {
    const open = wallet.get();
    if (open === null || JSON.stringify(pendingPurpose()) !== JSON.stringify(purpose)) return null;
    return (tell) => noting(open.resume(tell));
  },
  forget: () => {
    wallet.get()?.forget();
    noteSession();
  },
  sleep: (milliseconds) =>
    new Promise((resolve) => {
      setTimeout(resolve, milliseconds);
    }),
  show,
});
