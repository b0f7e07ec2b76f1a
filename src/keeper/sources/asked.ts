/** What every source of things to do stands on: who asks, by which rule, and the list that `--all` goes through. */
import { z } from 'zod';
import { normaliseLabel } from '../../record/labels.js';
import type { Item } from '../items.js';
import type { KnownRule } from '../known-rule.js';
import type { Asker } from '../reading.js';

export type Asked = {
  readonly rule: KnownRule;
  readonly asker: Asker;
  /** Chain now, unix seconds. */
  readonly now: number;
  /** True: what will be is told too. */
  readonly ahead: boolean;
  /** Until when what is over is not looked at again, remembered while the program runs: chain time. */
  readonly over: Map<string, number>;
};

export type Source = (asked: Asked) => Promise<readonly Item[]>;

/** True for a record that the rule is for. */
export const isFor = ({ labels }: KnownRule, label: string): boolean =>
  labels?.includes(normaliseLabel(label)) ?? true;

/** Unix seconds, or none. */
export const Seconds = z.number().nullable();

/** What `--all` of a claim goes through: it was looked up on chain. */
export const listed = async ({ rule, asker }: Asked): Promise<readonly Item[]> => {
  const { each } = await asker.table.action(rule.do);
  if (each === undefined) throw new Error(`${rule.do} goes through no list`);
  const reply = await asker.ask(each.list.id, each.listInput(asker.address, '0'));
  return each
    .items(reply)
    .filter(({ label }) => isFor(rule, label))
    .map(({ label, input, worth }) => ({
      task: rule.do,
      label,
      input,
      amount: worth === undefined ? null : { category: worth.category, units: worth.units },
      at: null,
    }));
};

/** The items of now, and those to come that are none of them. */
export const andLater = (now: readonly Item[], later: readonly Item[]): readonly Item[] => [
  ...now,
  ...later.filter(({ label }) => !now.some((one) => one.label === label)),
];
