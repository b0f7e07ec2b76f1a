/** The records that a rule names: a label that stands for none is a slip of the pen, and would silently do nothing. */
import { isTreasuryError } from '../errors.js';
import type { Context } from '../operation/context.js';
import { shellLabel } from '../record/labels.js';
import type { KnownRule } from './known-rule.js';
import { askerOf, type Table } from './reading.js';

const findRecord = async (label: string, rule: KnownRule, table: Table, context: Context): Promise<void> => {
  if (rule.flow === 'sends') {
    await askerOf(table, context, rule.signer).ask('vaults.show', { id: label });
    return;
  }
  await (await table.action(rule.do)).record?.(context.store, label);
};

/** The labels of a rule that stand for no record of this home. @throws what reading throws */
export const unknownLabels = async (
  rule: KnownRule,
  table: Table,
  context: Context,
): Promise<readonly string[]> => {
  const unknown: string[] = [];
  for (const label of rule.labels ?? []) {
    try {
      await findRecord(label, rule, table, context);
    } catch (error) {
      if (!isTreasuryError(error) || !error.code.endsWith('_not_found')) throw error;
      unknown.push(shellLabel(label));
    }
  }
  return unknown;
};

/** What is wrong with such labels, in words. */
export const labelProblem = (unknown: readonly string[]): string =>
  `for: there is no ${unknown.join(', ')} in this home`;
