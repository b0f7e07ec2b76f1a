/**
 * `keeper.json`: what a keeper may do. Read in two steps: what the file says, which is checked whole and by field, and what
 * its names stand for in this home, which may change while a keeper runs.
 */
import { z } from 'zod';
import { cut, invalidField, TreasuryError, type Issue } from '../errors.js';
import { nearestName } from '../nearest-name.js';
import { speakPlainly } from '../operation/issue-words.js';
import { isZone, readHours } from './hours.js';
import { flowOf, TASKS, taskNames, type Flow, type TaskName } from './tasks.js';
import { parseSeconds } from '../bch/duration.js';

speakPlainly();

const Words = z.string().trim().min(1).max(200);
/** One, or several. */
const Some = z.union([Words, z.array(Words).min(1).max(1_000)]);

const RuleFile = z.strictObject({
  name: z
    .string()
    .trim()
    .min(1)
    .max(60)
    .optional()
    .describe('What it is called in plans, logs and events; needed where two rules would be called the same'),
  note: z.string().max(1_000).optional().describe('Own words; nothing reads them'),
  off: z.boolean().optional().describe('True: the rule is kept, and not followed'),
  do: z.enum(taskNames).describe(taskNames.map((name) => `"${name}" ${TASKS[name].does}`).join('; ')),
  for: Some.default('all').describe(
    'Labels of the records (for "vaults spend broadcast": of the vaults), or "all": what the wallet gets, or of what pushes what it funds. What puts money in, ends or sends takes labels only',
  ),
  wallet: Words.describe('The wallet of this home that signs; no other does'),
  minimum: Some.optional().describe(
    'What is taken or pushed has to be worth at least, each with its unit: "0.001 BCH", "5 GEMS". In BCH it is what is left after the fee, default as much as the fee; tokens without a minimum here are not taken, and are pushed',
  ),
  feeAtMost: Words.default('5000 sats').describe('The fee of one transaction'),
  perDay: Some.optional().describe(
    'What the rule moves in any 24 hours at most, each with its unit. Needed by what puts in and sends: an asset that is not named is not moved then',
  ),
  between: Words.optional().describe(
    'The hours in which it acts, by the clock of `zone`: "08:00-20:00", or over midnight "22:00-06:00"',
  ),
  to: Some.optional().describe(
    'Needed by what ends and sends: who may be paid by it, as addresses, wallets or @contacts. Of what pushes: default the recipient of each record',
  ),
  before: Words.optional().describe('Needed by refills: how long before it runs out, such as "7d"'),
  periods: z.int().min(1).max(1_000).optional().describe('Needed by refills: how many are put in at a time'),
});
type RuleFile = z.output<typeof RuleFile>;

export const KeeperFile = z.strictObject({
  note: z.string().max(10_000).optional().describe('Own words; nothing reads them'),
  zone: Words.refine(isZone, 'is no time zone: expected a name such as Europe/Zurich')
    .optional()
    .describe('Time zone of the hours in `between`; default that of the machine'),
  feesPerDay: Words.default('50000 sats').describe('All fees of all rules in any 24 hours, at most'),
  rules: z.array(RuleFile).max(200),
});

/** One rule as the file has it, every field of the form that it must have; its names are not looked up yet. */
export type Rule = RuleFile & {
  /** Counted from 1. */
  readonly number: number;
  readonly name: string;
  readonly flow: Flow;
  readonly do: TaskName;
};

export type Rules = {
  readonly zone: string | null;
  readonly feesPerDay: string;
  readonly rules: readonly Rule[];
};

/** Where a rule stands, for whoever mends it: `rule 2 (wages)`. */
export const ruleText = ({ number, name }: Pick<Rule, 'number' | 'name'>): string =>
  number === 0 ? name : `rule ${number} (${name})`;

export const listOf = (some: string | readonly string[] | undefined): readonly string[] =>
  some === undefined ? [] : typeof some === 'string' ? [some] : some;

const nameOf = ({ name, do: task, wallet }: RuleFile): string => name ?? `${task} by ${wallet}`;

/** What a rule of a flow must say, and what it may not. */
const NEEDED: Readonly<Record<Flow, readonly (keyof RuleFile)[]>> = {
  takes: [],
  pushes: [],
  refills: ['perDay', 'before', 'periods'],
  ends: ['to'],
  sends: ['to', 'perDay'],
};
const TAKEN: Readonly<Record<Flow, readonly (keyof RuleFile)[]>> = {
  takes: ['minimum', 'perDay'],
  pushes: ['minimum', 'perDay', 'to'],
  refills: ['perDay', 'before', 'periods'],
  ends: ['to'],
  sends: ['to', 'perDay'],
};
const OWN_FIELDS = ['minimum', 'perDay', 'to', 'before', 'periods'] as const;

const duration = (text: string): string | null => {
  try {
    parseSeconds(text);
    return null;
  } catch {
    return `"${cut(text)}" is no length of time: expected one such as 7d or 36h`;
  }
};

const problemsOf = (rule: RuleFile): readonly Issue[] => {
  const flow = flowOf(rule.do);
  const issue = (path: string, message: string): Issue => ({ path, message });
  const isAll = listOf(rule.for).includes('all');
  const hours = rule.between === undefined ? null : readHours(rule.between);
  const before = rule.before === undefined ? null : duration(rule.before);
  return [
    ...NEEDED[flow]
      .filter((field) => rule[field] === undefined)
      .map((field) => issue(field, `is needed: "${rule.do}" does nothing without it`)),
    ...OWN_FIELDS.filter((field) => rule[field] !== undefined && !TAKEN[flow].includes(field)).map((field) =>
      issue(field, `means nothing to "${rule.do}": leave it out`),
    ),
    ...(flow !== 'takes' && flow !== 'pushes' && isAll
      ? [issue('for', `is needed: "${rule.do}" takes the labels of records, and not all of them`)]
      : []),
    ...(isAll && listOf(rule.for).length > 1 ? [issue('for', 'takes labels, or "all"')] : []),
    ...(hours !== null && 'problem' in hours ? [issue('between', hours.problem)] : []),
    ...(before === null ? [] : [issue('before', before)]),
  ];
};

type Path = readonly PropertyKey[];

/** A path in words: `rule 2, minimum`. */
const placeOf = ([first, index, ...rest]: Path): string => {
  if (first !== 'rules' || typeof index !== 'number')
    return [first, index, ...rest]
      .filter((p) => p !== undefined)
      .map(String)
      .join('.');
  return [`rule ${index + 1}`, ...(rest.length === 0 ? [] : [rest.map(String).join('.')])].join(', ');
};

const known = (path: Path): readonly string[] =>
  Object.keys(path[0] === 'rules' ? RuleFile.shape : KeeperFile.shape);

/** What may have been meant by fields and words that are none. */
const meant = (issue: z.core.$ZodIssue, value: unknown): string => {
  if (issue.code === 'unrecognized_keys') {
    const near = issue.keys.map((key) => nearestName(key, known(issue.path))).filter((one) => one !== null);
    return near.length === 0 ? '' : ` (${near.join(', ')}?)`;
  }
  if (issue.code !== 'invalid_value' || typeof value !== 'string') return '';
  const near = nearestName(value, issue.values.map(String));
  return ` (got "${cut(value)}"${near === null ? '' : `; "${near}"?`})`;
};

const valueAt = (raw: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (value, key) => (value as Record<PropertyKey, unknown> | null | undefined)?.[key],
    raw,
  );

const issuesOf = (raw: unknown, error: z.ZodError): readonly Issue[] =>
  error.issues.map((issue) => {
    const value = valueAt(raw, issue.path);
    const missing = value === undefined && issue.code !== 'unrecognized_keys';
    const path = placeOf(issue.path);
    return { path, message: missing ? 'is needed' : `${issue.message}${meant(issue, value)}` };
  });

const refuse = (file: string, issues: readonly Issue[]): TreasuryError => {
  const reason = issues
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
    .join('; ');
  return new TreasuryError('invalid_file', { file, reason, issues });
};

/** Rules that would be called the same share what they may move in a day: they need names. */
const twins = (rules: readonly RuleFile[]): readonly Issue[] =>
  rules.flatMap((rule, index) => {
    const first = rules.findIndex((other) => nameOf(other) === nameOf(rule));
    if (first === index) return [];
    const message = `is called "${nameOf(rule)}" as rule ${first + 1} is: give it a name of its own`;
    return [{ path: `rule ${index + 1}, name`, message }];
  });

/**
 * Reads the text of a rules file.
 *
 * @param file its name, for the message
 * @throws invalid_file, which names each rule and field
 */
export const readRules = (text: string, file: string): Rules => {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch (error) {
    throw new TreasuryError('invalid_file', { file, reason: `it is no JSON: ${(error as Error).message}` });
  }
  const { data, error } = KeeperFile.safeParse(raw);
  if (error !== undefined) throw refuse(file, issuesOf(raw, error));
  const issues = [
    ...data.rules.flatMap((rule, index) =>
      problemsOf(rule).map(({ path, message }) => ({ path: `rule ${index + 1}, ${path}`, message })),
    ),
    ...twins(data.rules),
  ];
  if (issues.length > 0) throw refuse(file, issues);
  const rules = data.rules.map((rule, index) => ({
    ...rule,
    number: index + 1,
    name: nameOf(rule),
    flow: flowOf(rule.do),
  }));
  return { zone: data.zone ?? null, feesPerDay: data.feesPerDay, rules };
};

/** A name of a rule that is no such thing here. */
export const badField = (
  rule: Pick<Rule, 'number' | 'name'>,
  field: string,
  message: string,
): TreasuryError => invalidField(`${ruleText(rule)}, ${field}`, message);
