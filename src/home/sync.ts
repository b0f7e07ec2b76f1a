/** `treasury sync`: what the chain says of records, whatever the store said. */
import { z } from 'zod';
import { invalidField, TreasuryError } from '../errors.js';
import { column } from '../operation/columns.js';
import { defineOperation, type View } from '../operation/define.js';
import type { Context } from '../operation/context.js';
import type { Deployable } from '../record/deployable.js';
import { mendLog } from '../record/check-log.js';
import { tellAllUntold } from '../record/untold.js';
import { eachRecord, recordsNamed, type KnownRecord } from '../record/known-record.js';
import { FailureReply, isChanged, rebuildRecords, RebuiltReply, worstCode } from '../record/rebuild.js';

const output = z.object({
  success: z.boolean().describe('False when a record could not be rebuilt'),
  code: z.string().optional().describe('Of the worst failure'),
  records: z.array(RebuiltReply),
  failures: z.array(FailureReply).describe('They stand as they did'),
  summary: z.object({ total: z.number(), same: z.number(), changed: z.number(), failed: z.number() }),
});

/** What is asked for. @throws invalid_input, deployment_not_found */
const targetsOf = async (
  { record, all }: { readonly record?: string | undefined; readonly all: boolean },
  deployables: readonly Deployable[],
  context: Pick<Context, 'store' | 'network'>,
): Promise<readonly KnownRecord[]> => {
  if (all === (record !== undefined)) {
    const message = all
      ? 'give the label of a record or --all, not both'
      : 'give the label, the id or the contract address of a record, or --all for every record';
    throw invalidField('', message);
  }
  if (record === undefined) return eachRecord(deployables, context.store, 'oldest');
  const named = await recordsNamed(record.trim(), deployables, context);
  if (named.length === 0) throw new TreasuryError('deployment_not_found', { address: record });
  return named;
};

const eventsText = ({ added, removed, changed }: RebuiltReply['events']): string =>
  Object.entries({ added, removed, changed })
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${count} ${what}`)
    .join(', ');

const viewSync = ({ records, failures, summary }: z.output<typeof output>): View => {
  const changed = records.filter(isChanged);
  return [
    ...(changed.length === 0
      ? []
      : [
          {
            kind: 'table' as const,
            head: [
              column.key('Record'),
              column.state('Before', 2),
              column.state('After'),
              column.prose('Changed', 2),
              column.text('Events'),
            ],
            rows: changed.map(({ module, label, before, after, changed: fields, events }) => [
              `${module} ${label}`,
              before,
              after,
              fields.join(', '),
              eventsText(events),
            ]),
          },
        ]),
    ...(failures.length === 0
      ? []
      : [
          {
            kind: 'table' as const,
            head: [column.key('Not rebuilt'), column.text('Code', 2), column.prose('Why', 0)],
            rows: failures.map(({ module, label, code, error }) => [`${module} ${label}`, code, error]),
            tones: Object.fromEntries(failures.map(({ code }) => [code, 'red' as const])),
          },
        ]),
    {
      kind: 'text',
      text: `${summary.total} in all: ${summary.same} the same as before, ${summary.changed} changed, ${summary.failed} not rebuilt.`,
    },
  ];
};

/** Declares the operation over the covenant products. */
export const defineSync = (deployables: readonly Deployable[]) =>
  defineOperation({
    id: 'sync',
    summary: 'Read records anew from the chain, from their funding on, whatever this home says of them',
    description:
      'What the chain determines is written as the chain has it, with every event; what people said stays. Doing it again changes nothing.',
    cli: { positional: ['record'], example: 'sync --all' },
    auth: 'none',
    input: z.object({
      record: z.string().min(1).max(200).optional().describe('Label, id or contract address of a record'),
      all: z.boolean().default(false).describe('Every record of every product'),
    }),
    output,
    errors: ['deployment_not_found'],
    run: async (input, context) => {
      const targets = await targetsOf(input, deployables, context);
      const { rebuilt, failures } = await rebuildRecords(targets, context);
      if (input.all) await mendLog(context);
      await tellAllUntold(context, deployables);
      const changed = rebuilt.filter(isChanged).length;
      const code = worstCode(failures);
      return {
        success: failures.length === 0,
        ...(code === undefined ? {} : { code }),
        records: [...rebuilt],
        failures: [...failures],
        summary: {
          total: targets.length,
          same: rebuilt.length - changed,
          changed,
          failed: failures.length,
        },
      };
    },
    view: viewSync,
  });
