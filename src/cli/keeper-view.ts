/** How a keeper reads: its rules, its plan, and what became of each thing. */
import { BCH_DECIMALS, formatUnits } from '../bch/amount.js';
import { showDate } from '../bch/show-date.js';
import type { Outcome } from '../keeper/pass.js';
import type { Entry } from '../keeper/plan.js';
import { listOf, ruleText, type Rules } from '../keeper/rules.js';
import { column } from '../operation/columns.js';
import type { View } from '../operation/define.js';
import type { StoreReader } from '../operation/ports/store.js';
import { tokenAsset } from '../record/assets.js';
import { shellLabel } from '../record/labels.js';
import type { Output } from './output.js';

/** Satoshis as BCH. */
export const bch = (satoshis: bigint): string => `${formatUnits(satoshis, BCH_DECIMALS)} BCH`;

/** The rules as they are understood. */
export const rulesView = ({ rules, feesPerDay, zone }: Rules): View => [
  {
    kind: 'facts',
    rows: [
      ['Fees in 24 hours', `at most ${feesPerDay}`],
      ['Time zone', zone ?? `that of this machine (${new Intl.DateTimeFormat().resolvedOptions().timeZone})`],
    ],
  },
  {
    kind: 'table',
    head: [
      column.key('Rule'),
      column.prose('Does'),
      column.text('For', 0),
      column.text('Wallet', 0),
      column.prose('Within'),
    ],
    rows: rules.map((rule) => [
      ruleText(rule),
      `${rule.do}${rule.off === true ? ' (off)' : ''}`,
      listOf(rule.for).join(', '),
      rule.wallet,
      [
        ...(rule.minimum === undefined ? [] : [`at least ${listOf(rule.minimum).join(', ')}`]),
        `fee at most ${rule.feeAtMost}`,
        ...(rule.perDay === undefined ? [] : [`at most ${listOf(rule.perDay).join(', ')} in 24 hours`]),
        ...(rule.between === undefined ? [] : [`between ${rule.between}`]),
        ...(rule.to === undefined ? [] : [`to ${listOf(rule.to).join(', ')}`]),
        ...(rule.before === undefined ? [] : [`${rule.periods ?? 1} at a time, ${rule.before} ahead`]),
      ].join('; '),
    ]),
    empty: 'There are no rules: nothing is done.',
  },
];

/** Amounts by what people call their assets. */
export const amountText = async (
  amount: Entry['amount'],
  store: StoreReader,
): Promise<{ readonly text: string; readonly shown: Readonly<Record<string, unknown>> | null }> => {
  if (amount === null) return { text: '', shown: null };
  const { category, units } = amount;
  const { symbol, decimals } =
    category === null ? { symbol: 'BCH', decimals: BCH_DECIMALS } : await tokenAsset(category, store);
  const text = formatUnits(units, decimals);
  return {
    text: `${text} ${symbol}`,
    shown: {
      amount: Number(text),
      amountOnChain: units.toString(),
      tokenCategory: category,
      symbol,
      decimals,
    },
  };
};

const VERDICTS: Readonly<Record<Entry['verdict'], string>> = {
  due: 'now',
  later: 'later',
  left: 'left alone',
  failed: 'failed',
};

const whenText = ({ verdict, at }: Entry): string =>
  at === null ? VERDICTS[verdict] : verdict === 'failed' ? `failed; ${showDate(at)}` : showDate(at);

/** What would be done, and what is known beside it. */
export const planView = async (
  entries: readonly Entry[],
  facts: readonly (readonly [string, string])[],
  store: StoreReader,
): Promise<View> => [
  {
    kind: 'table',
    head: [
      column.state('When'),
      column.text('Does', 0),
      column.text('Record', 0),
      column.amount('Amount', 0),
      column.amount('Fee', 0),
      column.text('Wallet', 2),
      column.prose('Why'),
    ],
    rows: await Promise.all(
      entries.map(async (entry) => [
        whenText(entry),
        entry.task,
        shellLabel(entry.label),
        (await amountText(entry.amount, store)).text,
        entry.fee === null ? '' : bch(entry.fee),
        entry.wallet,
        entry.reason ?? '',
      ]),
    ),
    empty: 'There is nothing to do, now or in the next 35 days.',
  },
  { kind: 'facts', rows: facts },
];

/** What became of a thing, in a line. */
export const lineOf = (output: Output, { result, task, label, message, fee, txHash }: Outcome): string => {
  const { paint } = output;
  const word = { done: paint('green', 'done'), left: 'left alone', failed: paint('red', 'failed') }[result];
  const what = [task, shellLabel(label)].filter((part) => part !== '').join(' ');
  return [
    what,
    word,
    message,
    ...(fee === null ? [] : [`fee ${bch(fee)}`]),
    ...(txHash === null ? [] : [txHash]),
  ].join('  ');
};

/** The same as a document. */
export const shownOutcome = ({ fee, label, ...outcome }: Outcome) => ({
  ...outcome,
  label: shellLabel(label),
  fee: fee === null ? null : Number(fee),
});
