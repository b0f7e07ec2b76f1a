/** Takes a step: build, show, sign on the phone, deliver, confirm; a preparation before it where one is needed. No browser in here. */
import { failureOf, type PageFailure } from '../failure.js';
import type { Reply } from '../replies.js';
import type { SignedAnswer, WalletTransaction } from '../wallet/port.js';
import type { Go, Purpose, Request, Step, StepPorts, Turn } from './step.js';

/** How long to wait before each further look for a coin that a preparation has just made, milliseconds. */
const PREPARATION_DELAYS = [0, 500, 1_000, 2_000, 4_000, 5_000];
/** And for a transaction that was just broadcast. About a minute in all. */
const CONFIRM_DELAYS = [500, 1_000, 2_000, 4_000, ...Array<number>(11).fill(5_000)];

const BROADCAST = { path: '/api/transactions/broadcast', field: 'transaction' };

/** The transaction that has to come first; null: none has. */
const preparationOf = (reply: Reply): WalletTransaction | null =>
  reply['requiresPreparation'] === true ? (reply['preparationTransaction'] as WalletTransaction) : null;

const transactionOf = (reply: Reply): WalletTransaction | null =>
  (reply['wcTransaction'] ?? null) as WalletTransaction | null;

/** What is under way: the step, which prompt it is, and what was sent already. */
type Way = Purpose & { readonly sent: string | null };

type Guard = {
  /** What takes it up again where it fails. */
  readonly again: (failure: PageFailure) => Go;
  readonly sent: string | null;
};

/** Does it, and shows what fails. */
const guarded = async (
  { again, sent }: Guard,
  { show }: StepPorts,
  work: () => Promise<void>,
): Promise<void> => {
  try {
    await work();
  } catch (error) {
    const failure = failureOf(error);
    show({ kind: 'failed', failure, again: again(failure), sent });
  }
};

/** Asks for the confirmation until the chain knows the transaction, or the delays are used up. */
const confirmed = async ({ path, body }: Request, ports: StepPorts): Promise<Reply> => {
  for (const delay of CONFIRM_DELAYS) {
    try {
      return await ports.post(path, body);
    } catch (error) {
      if (failureOf(error).code !== 'tx_not_indexed') throw error;
    }
    await ports.sleep(delay);
  }
  return ports.post(path, body);
};

/** What is kept of it on this device is let go of once it is known, or never will be: a page that is left before goes on from there. */
const confirm = (step: Step, txid: string, ports: StepPorts): Promise<void> => {
  const again = ({ retryable }: PageFailure): Go => {
    if (!retryable) ports.forget();
    return () => confirm(step, txid, ports);
  };
  return guarded({ again, sent: txid }, ports, async () => {
    ports.show({ kind: 'confirming', txid });
    const { confirm: path, confirmWith } = step;
    const reply =
      path === null
        ? { success: true }
        : await confirmed({ path, body: { ...confirmWith, txHash: txid } }, ports);
    ports.forget();
    ports.show({ kind: 'done', txid, reply });
  });
};

/** Builds anew until the coin that the preparation made is seen. */
const afterPreparation = (step: Step, sent: string, ports: StepPorts): Promise<void> => {
  const again = () => () => afterPreparation(step, sent, ports);
  return guarded({ again, sent: sent }, ports, async () => {
    ports.show({ kind: 'confirming', txid: sent });
    let reply: Reply | null = null;
    for (const delay of PREPARATION_DELAYS) {
      await ports.sleep(delay);
      reply = await ports.post(step.build.path, step.build.body);
      if (preparationOf(reply) === null) break;
    }
    if (reply !== null) review(reply, { step, turn: 'after-preparation', sent }, ports);
  });
};

/** What was signed will not be taken: it is let go of. */
const beginAnew = (step: Step, ports: StepPorts): Promise<void> => {
  ports.forget();
  return beginStep(step, ports);
};

/** Hands on what was signed. A second time it is the same transaction, so that nothing is paid twice. */
const deliver = (way: Way, signed: SignedAnswer, ports: StepPorts): Promise<void> => {
  const { step, turn, sent } = way;
  // What will never be taken is built anew.
  const again =
    ({ retryable }: PageFailure): Go =>
    () =>
      retryable ? deliver(way, signed, ports) : beginAnew(step, ports);
  return guarded({ again, sent }, ports, async () => {
    ports.show({ kind: 'sending' });
    const isPreparation = turn === 'preparation';
    const { path, field } = isPreparation ? BROADCAST : (step.deliver ?? BROADCAST);
    const reply = await ports.post(path, { [field]: signed.transaction });
    if (isPreparation) {
      ports.forget();
      await afterPreparation(step, signed.txid, ports);
    } else if (step.confirm === null && step.deliver !== undefined) {
      ports.forget();
      ports.show({ kind: 'done', txid: null, reply });
    } else await confirm(step, signed.txid, ports);
  });
};

/** A question to the phone. */
type Question = {
  readonly ask: (tell: (text: string) => void) => Promise<SignedAnswer>;
  readonly digest: string | null;
  /** Where whoever ends the waiting comes back to. */
  readonly back: Go;
};

/** Waits for the phone. */
const sign = (way: Way, question: Question, ports: StepPorts): Promise<void> => {
  const { turn, sent } = way;
  const { ask, digest, back } = question;
  const tell = (text: string): void => {
    ports.show({ kind: 'waiting', turn, text, digest });
  };
  // What the phone was asked may still stand there: an answer to it is waited for before anything else is asked.
  const again = () => () => {
    const resume = ports.resumeOf({ step: way.step, turn });
    return resume === null ? back() : sign(way, { ...question, ask: resume }, ports);
  };
  return guarded({ again, sent }, ports, async () => {
    tell('');
    let signed: SignedAnswer | null = null;
    try {
      signed = await ask(tell);
    } catch (error) {
      if (failureOf(error).code !== 'interrupted') throw error;
    }
    await (signed === null ? back() : deliver(way, signed, ports));
  });
};

/** Shows what is to be signed. */
const review = (reply: Reply, way: Way, ports: StepPorts): void => {
  const preparation = preparationOf(reply);
  const transaction = preparation ?? transactionOf(reply);
  const { view = [] } = reply;
  if (transaction === null) {
    ports.show({ kind: 'nothing', view });
    return;
  }
  const turn: Turn = preparation === null ? way.turn : 'preparation';
  const digest = transaction.digest ?? null;
  const question: Question = {
    ask: (tell) => ports.sign(transaction, { step: way.step, turn }, tell),
    digest,
    back: () => {
      review(reply, way, ports);
      return Promise.resolve();
    },
  };
  const agree = () => sign({ ...way, turn }, question, ports);
  ports.show({ kind: 'review', turn, view, digest, agree });
};

/** Builds a step and shows it. Nothing is signed before whoever reads has agreed. */
export const beginStep = (step: Step, ports: StepPorts): Promise<void> => {
  const back = () => beginStep(step, ports);
  return guarded({ again: () => back, sent: null }, ports, async () => {
    ports.show({ kind: 'building' });
    await ports.login((text) => {
      ports.show({ kind: 'waiting', turn: null, text, digest: null });
    });
    ports.show({ kind: 'building' });
    review(await ports.post(step.build.path, step.build.body), { step, turn: null, sent: null }, ports);
  });
};

/** Goes on with a step whose request is on the phone already: the page was left meanwhile. */
export const resumeStep = (purpose: Purpose, ports: StepPorts): Promise<void> => {
  const { step, turn } = purpose;
  const resume = ports.resumeOf(purpose);
  if (resume === null) return beginStep(step, ports);
  const back = () => beginStep(step, ports);
  return sign({ step, turn, sent: null }, { ask: resume, digest: null, back }, ports);
};
