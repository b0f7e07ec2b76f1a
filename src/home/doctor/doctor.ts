/** `treasury doctor`: what this home stands on, what is wrong with it, and what to do. Its checks run side by side. */
import { z } from 'zod';
import { NETWORKS } from '../../bch/network.js';
import type { Context } from '../../operation/context.js';
import { column } from '../../operation/columns.js';
import { CHAIN_ERRORS, defineOperation, type Tone, type View } from '../../operation/define.js';
import type { Surroundings } from '../../operation/ports/surroundings.js';
import {
  countText,
  ok,
  problemOf,
  STATES,
  warning,
  type Check,
  type Finding,
  type Need,
  type Scope,
  type State,
  type Subject,
} from './check.js';
import { home, knownSettings, permissions } from './home.js';
import { keys, pins } from './keys.js';
import { records } from './records.js';
import { restoreHome } from './restore.js';
import { embeddedChain, servers } from './servers.js';
import { events, log, steps, store } from './store.js';
import { databaseClock, machineClock, timeWitness, tipAge } from './time.js';

/** A finding under the name of its check. */
export type NamedFinding = Finding & { readonly check: string };

/** What the doctor found. */
export type Examination = {
  readonly findings: readonly NamedFinding[];
  /** False when there are servers to be asked, and none lets the chain be read or has a node that answers. */
  readonly isChainReached: boolean;
};

const AGAIN = 'mend that first, then run `treasury doctor` again';

/** Why each need is not met. */
const UNMET: Readonly<Record<Need, string>> = {
  folder: 'this home is not set up',
  store: 'the store cannot be opened',
  chain: 'the chain cannot be reached',
};

/** The checks in the order in which they are shown. */
const checksFor = (network: Context['network']): readonly Check[] => [
  home,
  permissions,
  store,
  keys,
  pins,
  NETWORKS[network].servedBy === 'embedded' ? embeddedChain : servers,
  tipAge,
  machineClock,
  databaseClock,
  timeWitness,
  records,
  steps,
  events,
  log,
  knownSettings,
];

const isMet = (need: Need, { surroundings, chainFailure }: Subject): boolean => {
  if (need === 'folder') return surroundings.home.isFolderThere;
  return need === 'store' ? surroundings.failures.store === null : chainFailure === null;
};

const perform = async (check: Check, subject: Subject, isQuick: boolean): Promise<readonly Finding[]> => {
  const unmet = check.needs.find((need) => !isMet(need, subject));
  // The keys are looked at in two checks: of them, one says that there is nothing to look at.
  if (unmet !== undefined)
    return check === pins ? [] : [warning(`not looked at, since ${UNMET[unmet]}`, AGAIN)];
  if (isQuick && check.isSlow === true) return [ok('not looked at, to be quick')];
  try {
    return await check.look(subject);
  } catch (error) {
    return [problemOf(error)];
  }
};

/** What the chain throws; null when it answers. */
const chainFailureOf = async ({ chain }: Context, { failures }: Surroundings): Promise<unknown> => {
  if (failures.chain !== null) return failures.chain;
  try {
    await chain.tip();
    return null;
  } catch (error) {
    return error;
  }
};

/** True when the node behind the servers answers too: without it nothing can be sent. */
const isNodeAnswering = ({ chain }: Context): Promise<boolean> =>
  chain.askNode().then(
    () => true,
    () => false,
  );

/** Looks at everything. Never throws: a check that does is a problem of its own. */
export const examine = async (
  context: Context,
  surroundings: Surroundings,
  scope: Scope,
  isQuick: boolean,
): Promise<Examination> => {
  const chainFailure = await chainFailureOf(context, surroundings);
  const isReached = chainFailure === null && (await isNodeAnswering(context));
  const subject: Subject = { context, surroundings, scope, chainFailure };
  const found = await Promise.all(
    checksFor(context.network).map(async (check) =>
      (await perform(check, subject, isQuick)).map((finding) => ({ check: check.name, ...finding })),
    ),
  );
  return {
    findings: found.flat(),
    isChainReached: isReached || NETWORKS[context.network].servedBy === 'embedded',
  };
};

const Examined = z.object({
  check: z.string(),
  state: z.enum(STATES),
  detail: z.string(),
  advice: z.string().nullable().describe('What to do; null when nothing is wrong'),
});

const Report = z.object({
  success: z.boolean().describe('False when something is a problem'),
  code: z.literal('chain_unavailable').optional().describe('Present when the chain cannot be reached'),
  checks: z.array(Examined),
  summary: z.object({ ok: z.number(), warnings: z.number(), problems: z.number(), text: z.string() }),
});
type Report = z.input<typeof Report>;

const summaryOf = (findings: readonly NamedFinding[], isChainReached: boolean): Report['summary'] => {
  const count = (state: State): number => findings.filter((finding) => finding.state === state).length;
  const [problems, warnings] = [count('problem'), count('warning')];
  const sums = `${countText(problems, 'problem')}, ${countText(warnings, 'warning')}`;
  const text = problems + warnings === 0 ? 'Everything is well.' : `${sums}.`;
  return {
    ok: count('ok'),
    warnings,
    problems,
    text: isChainReached ? text : `The chain cannot be reached. ${text}`,
  };
};

/** Stands before a state, so that it is told apart without colours too. */
const SIGNS: Readonly<Record<State, string>> = { ok: '+ ok', warning: '! warning', problem: 'x problem' };
const TONES: Readonly<Record<string, Tone>> = {
  [SIGNS.ok]: 'green',
  [SIGNS.warning]: 'yellow',
  [SIGNS.problem]: 'red',
};

const viewReport = ({ checks, summary }: Report): View => [
  {
    kind: 'table',
    head: [column.key('Check'), column.state('State', 0), column.prose('What was found', 0)],
    tones: TONES,
    rows: checks.flatMap(({ check, state, detail, advice }, index) => [
      [checks[index - 1]?.check === check ? '' : check, SIGNS[state], detail],
      // What is said of several in a row is said once.
      ...(advice === null || advice === checks[index + 1]?.advice ? [] : [['', '', `-> ${advice}`]]),
    ]),
  },
  { kind: 'text', text: summary.text },
];

/** The doctor for a scope. */
export const defineDoctor = (scope: Scope) =>
  defineOperation({
    id: 'doctor',
    summary: 'Look at this home and what it stands on, and say what is wrong and what to do',
    description:
      'Nothing is made and nothing is asked for, unless --restore is given and something of the store is damaged. Exit code 0 when nothing is a problem, 7 when the chain cannot be ' +
      'reached, else 5.',
    cli: { example: 'doctor --quick', inspectOnly: true },
    auth: 'none',
    input: z.object({
      quick: z
        .boolean()
        .default(false)
        .describe('Do not compare every record with the chain, which takes longest'),
      restore: z
        .boolean()
        .default(false)
        .describe(
          'Make a damaged store again: of the snapshot before and the journal since it, and of the chain. The damaged files are kept',
        ),
    }),
    output: Report,
    errors: ['invalid_setting', ...CHAIN_ERRORS],
    run: async ({ quick, restore }, context) => {
      const { surroundings } = context;
      if (surroundings === undefined) throw new Error('the doctor needs a home that was opened as it is');
      const restored = restore ? await restoreHome(context, surroundings, scope) : null;
      const examined = await examine(
        restored?.context ?? context,
        restored?.surroundings ?? surroundings,
        scope,
        quick,
        // eslint-disable-next-line @typescript-eslint/no-misused-promises -- `finally` waits for what it is given
      ).finally(restored?.close);
      const { isChainReached } = examined;
      const done = restored?.findings ?? [ok('nothing of the store is damaged: nothing was done')];
      const findings = [
        ...(restore ? done.map((finding) => ({ check: 'restore', ...finding })) : []),
        ...examined.findings,
      ];
      const summary = summaryOf(findings, isChainReached);
      return {
        success: isChainReached && summary.problems === 0,
        ...(isChainReached ? {} : { code: 'chain_unavailable' as const }),
        checks: findings.map(({ check, state, detail, advice }) => ({ check, state, detail, advice })),
        summary,
      };
    },
    view: viewReport,
  });
