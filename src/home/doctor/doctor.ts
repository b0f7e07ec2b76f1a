/** `treasury doctor`: what this home stands on, what is wrong with it, and what to do. */
import { z } from 'zod';
import { CHAIN_ERRORS, defineOperation, type Tone, type View } from '../../operation/define.js';
import type { Scope } from './check.js';
import { examine, type NamedFinding } from './examine.js';
import { countText, ok, STATES, type State } from './finding.js';
import { restoreHome } from './restore.js';

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
    head: ['Check', 'State', 'What was found'],
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
