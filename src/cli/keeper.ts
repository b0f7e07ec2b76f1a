/** `treasury keeper`: its file of rules, its plan, and its work. What it does is in `src/keeper/`. */
import { parseSeconds } from '../bch/duration.js';
import { errorBody, EXIT, isTreasuryError, messageOf } from '../errors.js';
import { readRulesFile, rulesFileOf, rulesSchema, writeStarter } from '../keeper/file.js';
import { exitOfFault } from '../keeper/faults.js';
import { createKeeper, type Keeper } from '../keeper/keeper.js';
import { knowRule, mostFees } from '../keeper/known-rule.js';
import type { Outcome } from '../keeper/pass.js';
import { labelProblem, unknownLabels } from '../keeper/named-records.js';
import { tableOf } from '../keeper/reading.js';
import { ruleText, type Rules } from '../keeper/rules.js';
import { isRemote } from '../operation/ports/keys.js';
import { keeperFaultCollection } from '../record/keeper.js';
import type { Leases } from '../record/leases.js';
import type { Call } from './call.js';
import { isInteractive } from './environment.js';
import { amountText, bch, lineOf, planView, rulesView, shownOutcome } from './keeper-view.js';
import { worstExit } from './many-steps.js';
import { plainJson } from './plain-text.js';
import { withSession, type Session } from './session.js';
import { showView, writeDocument } from './show-reply.js';
import { requireWallet } from './sign-step.js';

export type KeeperFlags = {
  readonly rules?: string;
  readonly schema?: boolean;
  readonly every?: string;
  readonly again?: boolean;
};

const fileOf = ({ context }: Session, { rules }: KeeperFlags): string => rules ?? rulesFileOf(context);

/** Writes a file of rules to begin with. @throws invalid_file, unauthenticated */
export const initKeeper = (call: Call): Promise<number> =>
  withSession(call, (session) => {
    const file = writeStarter(session.context, requireWallet(session));
    const { output } = session.call;
    if (output.mode === 'text') output.data(file);
    else writeDocument(output, { file });
    output.talk('`treasury keeper plan` shows what comes of it; `treasury keeper rules` checks it.');
    return Promise.resolve(EXIT.done);
  });

/** Checks the names in every rule too: all that are wrong are said at once. */
const checkNames = async (rules: Rules, { context, call }: Session): Promise<readonly string[]> => {
  const problems: string[] = [];
  const keep = (error: unknown): void => {
    if (!isTreasuryError(error)) throw error;
    const { summary } = error.details;
    problems.push(typeof summary === 'string' ? summary : error.message);
  };
  await mostFees(rules, context).catch(keep);
  const table = tableOf(call.environment.nouns);
  for (const rule of rules.rules) {
    try {
      const unknown = await unknownLabels(await knowRule(rule, context), table, context);
      if (unknown.length > 0 && rule.off !== true)
        problems.push(`${ruleText(rule)}, ${labelProblem(unknown)}`);
    } catch (error) {
      keep(error);
    }
  }
  return problems;
};

/** Shows the rules as they are understood, or their schema. @throws invalid_file, which names each rule and field */
export const showRules = (call: Call, flags: KeeperFlags): Promise<number> => {
  if (flags.schema === true) {
    call.output.data(JSON.stringify(rulesSchema(), null, 2));
    return Promise.resolve(EXIT.done);
  }
  return withSession(call, async (session) => {
    const { output } = session.call;
    const rules = readRulesFile(fileOf(session, flags), session.context);
    if (output.mode === 'text') showView(output, rulesView(rules));
    else writeDocument(output, { ...rules });
    const problems = await checkNames(rules, session);
    for (const problem of problems) output.warn(`${output.paintTalk('red', 'Error:')} ${problem}`);
    return problems.length === 0 ? EXIT.done : EXIT.invalid;
  });
};

const showPlan = async (session: Session, keeper: Keeper): Promise<number> => {
  const { call, context } = session;
  const { output } = call;
  const { entries, feesPaid, mostFees: most } = await keeper.plan();
  const fees = entries
    .filter(({ verdict }) => verdict === 'due')
    .reduce((sum, { fee }) => sum + (fee ?? 0n), 0n);
  if (output.mode === 'text') {
    const facts = [
      ['Fees now', bch(fees)],
      ['Fees of 24 hours', `${bch(feesPaid)} paid, at most ${bch(most)}`],
    ] as const;
    showView(output, await planView(entries, facts, context.store));
  } else {
    const plan = await Promise.all(
      entries.map(async ({ error, amount, fee, ...entry }) => ({
        ...entry,
        amount: (await amountText(amount, context.store)).shown,
        fee: fee === null ? null : Number(fee),
        ...(isTreasuryError(error) ? { code: error.code } : {}),
      })),
    );
    writeDocument(output, {
      plan,
      feesNow: Number(fees),
      feesPaid: Number(feesPaid),
      feesPerDay: Number(most),
    });
  }
  return worstExit(
    entries
      .filter(({ error, verdict }) => verdict === 'failed' && error !== null)
      .map(({ error }) => exitOfFault(error)),
  );
};

/** The keeper of a session's home. */
const keeperOf = (
  session: Session,
  flags: KeeperFlags,
  more: Partial<Parameters<typeof createKeeper>[0]> = {},
): Keeper =>
  createKeeper({
    base: session,
    nouns: session.call.environment.nouns,
    readRules: () => readRulesFile(fileOf(session, flags), session.context),
    ...more,
  });

/** Shows what a keeper would do. @throws invalid_file, invalid_input */
export const planKeeper = (call: Call, flags: KeeperFlags): Promise<number> =>
  withSession(call, (session) => showPlan(session, keeperOf(session, flags)));

/** Asks for the passphrases of the wallets that the rules name now, while there is somebody to ask. @throws wrong_passphrase */
const unlockWallets = async (session: Session, flags: KeeperFlags): Promise<void> => {
  if (!isInteractive(session.call.environment)) return;
  const { keys } = session.context;
  const { rules } = readRulesFile(fileOf(session, flags), session.context);
  const named = new Set(rules.filter(({ off }) => off !== true).map(({ wallet }) => wallet));
  for (const { name, encrypted, origin } of await keys.list())
    if (encrypted && named.has(name) && !isRemote(origin)) await keys.unlock(name);
};

const sayOutcome = (call: Call, outcome: Outcome): void => {
  const { output } = call;
  if (output.mode === 'text') output.data(lineOf(output, outcome));
  else if (output.mode === 'jsonl') output.data(plainJson(JSON.stringify(shownOutcome(outcome))));
};

/** What failed before and is left alone for a while: whoever has mended it need not wait. */
const tellWaiting = async ({ call, context }: Session, failed: number): Promise<void> => {
  const { total } = await context.store.find(keeperFaultCollection, { limit: 0 });
  const [waiting, they] = [total - failed, total - failed === 1 ? 'thing waits' : 'things wait'];
  if (waiting > 0)
    call.output.talk(
      `${waiting} ${they} after a fault: \`treasury keeper plan\` says why, \`treasury keeper once --again\` tries now.`,
    );
};

/** Does what is due, once. @returns the worst exit code. @throws keeper_busy, invalid_file, invalid_input */
export const keepOnce = (call: Call, flags: KeeperFlags): Promise<number> =>
  withSession(call, async (session) => {
    await unlockWallets(session, flags);
    const keeper = keeperOf(session, flags, {
      again: flags.again === true,
      onOutcome: (outcome) => {
        sayOutcome(session.call, outcome);
      },
    });
    const stopListening = call.environment.onInterrupt?.(() => void keeper.stop());
    const outcomes = await keeper.once().finally(() => stopListening?.());
    const { output } = session.call;
    const count = (result: Outcome['result']) => outcomes.filter((one) => one.result === result).length;
    const [done, left, failed] = [count('done'), count('left'), count('failed')];
    if (output.mode === 'json')
      output.data(
        plainJson(
          JSON.stringify(
            { success: failed === 0, results: outcomes.map(shownOutcome), done, left, failed },
            null,
            2,
          ),
        ),
      );
    output.talk(
      outcomes.length === 0
        ? 'There is nothing to do now: `treasury keeper plan` shows what is to come.'
        : `${done} done, ${left} left alone, ${failed} failed.`,
    );
    await tellWaiting(session, failed);
    return worstExit(outcomes.map(({ exit }) => exit));
  });

const sayTrouble = ({ output }: Call, error: unknown): void => {
  if (error === null) {
    output.talk('That is over: this one works now.');
    return;
  }
  if (output.mode !== 'text' && isTreasuryError(error)) output.data(JSON.stringify(errorBody(error)));
  const isBusy = isTreasuryError(error) && error.code === 'keeper_busy';
  output.warn(
    isBusy
      ? `${messageOf(error)} This one waits, and takes over when it has gone.`
      : `${output.paintTalk('red', 'Error:')} ${messageOf(error)}`,
  );
};

/** Does what is due until it is ended. @returns 0. @throws invalid_file when it is no good at the start */
export const keepOn = (call: Call, flags: KeeperFlags): Promise<number> => {
  const everyMs = flags.every === undefined ? null : parseSeconds(flags.every, 'every') * 1_000;
  return withSession(call, async (session) => {
    const { output } = session.call;
    const { rules } = readRulesFile(fileOf(session, flags), session.context);
    await unlockWallets(session, flags);
    const keeper = keeperOf(session, flags, {
      ...(everyMs === null ? {} : { everyMs }),
      onOutcome: (outcome) => {
        sayOutcome(session.call, outcome);
      },
      onTrouble: (error) => {
        sayTrouble(session.call, error);
      },
    });
    const active = rules.filter(({ off }) => off !== true).length;
    output.talk(
      `Keeping ${session.settings.network} by ${active} ${active === 1 ? 'rule' : 'rules'}. Ctrl-C ends it.`,
    );
    const stopListening = call.environment.onInterrupt?.(() => void keeper.stop());
    await keeper.run().finally(() => stopListening?.());
    return EXIT.done;
  });
};

/** The worker of a daemon, under its leases. */
export const keeperWorker = (session: Session, leases: Leases) => {
  const { log } = session.context;
  const keeper = keeperOf(
    session,
    {},
    {
      leases,
      onTrouble: (error) => {
        if (error === null) log.info({}, 'the keeper works again');
        else log.warn({ error: messageOf(error) }, 'the keeper cannot work');
      },
    },
  );
  return {
    name: 'keeper',
    start: () =>
      Promise.resolve().then(() => {
        readRulesFile(rulesFileOf(session.context), session.context);
        keeper.run().catch((error: unknown) => {
          log.error({ err: error }, 'the keeper has ended');
        });
      }),
    stop: keeper.stop,
  };
};
