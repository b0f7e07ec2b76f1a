/** Getting every record back from a file of `deployments export` and the chain. */
import { z } from 'zod';
import type { Context } from '../../../operation/context.js';
import { defineOperation, KEYS_ERRORS, type View } from '../../../operation/define.js';
import type { CovenantRecord } from '../../../record/deployable.js';
import { eventFeed } from '../../../record/events.js';
import { orderByTime } from '../../../record/order-by-time.js';
import { tellAllUntold } from '../../../record/untold.js';
import { type KnownRecord } from '../../../record/known-record.js';
import { FailureReply, rebuildRecords, worstCode } from '../../../record/rebuild.js';
import { AUTHORITY_HELP, knownAuthorities } from '../authority.js';
import { countBy, type Registered } from '../deployments.js';
import { checkNetwork, DeploymentsFile } from '../file.js';
import { failuresOf, kindsOf, readIncoming, refuse } from '../incoming.js';
import { importRecords, type Imported } from '../import-records.js';

const output = z.object({
  success: z.boolean().describe('False when a record was stored and could not be read from the chain yet'),
  code: z.string().optional().describe('Why not'),
  summary: z.object({
    imported: z.number(),
    known: z.number().describe('In this home already; they were left as they are'),
    leftOut: z.number(),
    rebuilt: z.number(),
    notRebuilt: z.number(),
  }),
  imported: z.record(z.string(), z.number()).describe('How many of each kind'),
  records: z.array(z.object({ module: z.string(), label: z.string(), id: z.string(), status: z.string() })),
  leftOut: z
    .array(z.object({ record: z.string(), reason: z.string() }))
    .describe('What an older file has without the record that it hangs on'),
  notRebuilt: z
    .array(FailureReply)
    .describe('Stored as before their funding; `treasury sync --all` reads the chain'),
});

const tableOf = (head: readonly string[], rows: readonly (readonly string[])[]): View =>
  rows.length === 0 ? [] : [{ kind: 'table', head, rows }];

const viewImport = ({ imported, summary, records, leftOut, notRebuilt }: z.output<typeof output>): View => [
  {
    kind: 'table',
    head: ['Record', 'Label', 'Status'],
    rows: records.map(({ module, label, status }) => [module, label, status]),
    empty: 'Nothing in the file is new here.',
  },
  ...tableOf(
    ['Left out', 'Why'],
    leftOut.map(({ record, reason }) => [record, reason]),
  ),
  {
    kind: 'text',
    text: `${summary.imported} imported (${
      Object.entries(imported)
        .map(([name, count]) => `${name}: ${count}`)
        .join(', ') || 'nothing'
    }), ${summary.known} known before, ${summary.rebuilt} read from the chain.`,
  },
  ...tableOf(
    ['Not read from the chain yet', 'Code', 'Why'],
    notRebuilt.map(({ module, label, code, error }) => [`${module} ${label}`, code, error]),
  ),
  ...notRebuilt.slice(0, 1).map(() => ({
    kind: 'next' as const,
    command: 'sync --all',
    why: 'to read them from the chain',
  })),
];

/** The covenant records that are new, and those of which something new is told. */
const targetsOf = async ({ fresh, known }: Imported, { store }: Context): Promise<readonly KnownRecord[]> => {
  const told = new Set(
    fresh
      .filter(({ kind }) => kind.deployable === null)
      .flatMap(({ kind, record }) => kind.needs(record).map(({ id }) => id)),
  );
  const isFresh = new Set(fresh);
  return (
    await Promise.all(
      [...fresh, ...known].map(async (incoming) => {
        const { deployable } = incoming.kind;
        const { collection } = incoming.kind;
        const record = (await store.get(collection, incoming.record.id)) as CovenantRecord | null;
        if (deployable === null || record === null) return [];
        const isTold = told.has(record.id) || told.has(deployable.eventsId(record));
        return isFresh.has(incoming) || isTold ? [{ deployable, record }] : [];
      }),
    )
  ).flat();
};

/** Declares the operation over the covenant products. */
export const defineImport = (registered: Registered) =>
  defineOperation({
    id: 'deployments.import',
    summary:
      'Take in the records of a file of `deployments export`, and read from the chain what became of them',
    description:
      'What the chain determines is not believed: each record is checked by its terms, stored as before its funding, and rebuilt. All records are stored or none. Doing it again changes nothing.',
    cli: { verb: 'import', positional: ['file'], example: 'deployments import deployments.json' },
    auth: 'none',
    input: z.object({
      file: DeploymentsFile.describe('What `deployments export` wrote'),
      authority: z.array(z.string()).max(100).default([]).describe(AUTHORITY_HELP),
    }),
    output,
    errors: ['invalid_file', ...KEYS_ERRORS],
    run: async ({ file, authority }, context) => {
      // Check: each record by itself.
      const { network, store } = context;
      checkNetwork(file, network);
      const kinds = kindsOf(registered, await knownAuthorities(authority, context), context);
      const incoming = readIncoming(file, kinds);
      const covenants = incoming.filter(({ kind }) => kind.deployable !== null);
      refuse((await Promise.all(covenants.map((one) => failuresOf(one, { store, network })))).flat());

      // Record: all of them, or none.
      const taken = await store.transaction((writer) =>
        importRecords(file, incoming, kinds, { writer, network }),
      );
      await tellAllUntold(context, registered.deployables);
      const { rebuilt, failures } = await rebuildRecords(await targetsOf(taken, context), context);
      if (taken.fresh.length > 0) await orderByTime(store, [eventFeed]);
      const code = worstCode(failures);
      const { fresh, known, leftOut } = taken;
      return {
        success: failures.length === 0,
        ...(code === undefined ? {} : { code }),
        summary: {
          imported: fresh.length,
          known: known.length,
          leftOut: leftOut.length,
          rebuilt: rebuilt.length,
          notRebuilt: failures.length,
        },
        imported: countBy(fresh.map(({ kind }) => kind.collection.name)),
        records: rebuilt.map(({ module, label, id, after }) => ({ module, label, id, status: after })),
        leftOut: leftOut.map(({ incoming: { name }, reason }) => ({ record: name, reason })),
        notRebuilt: [...failures],
      };
    },
    view: viewImport,
  });
