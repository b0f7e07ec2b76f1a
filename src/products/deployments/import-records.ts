/** Taking the records of a file into a store: all of them or none. */
import { isDeepStrictEqual } from 'node:util';
import type { Network } from '../../bch/network.js';
import type { Need } from '../../record/kept-record.js';
import { isCounted, passLabels, type LabelKinds } from '../../record/labels.js';
import type { StoreReader, StoreWriter } from '../../operation/ports/store.js';
import { readerOfRecords, type AnyRecord, type DeploymentsFile } from './file.js';
import { failuresOf, refuse, type Incoming, type Kind, type Refusal } from './incoming.js';

/** A record that a file of an older version cannot bring, since what it hangs on is not in it. */
export type LeftOut = { readonly incoming: Incoming; readonly reason: string };

export type Imported = {
  readonly fresh: readonly Incoming[];
  /** Those that the store has already; they stay as they are. */
  readonly known: readonly Incoming[];
  readonly leftOut: readonly LeftOut[];
};

const allOf = async (store: StoreReader, { collection, pack }: Kind): Promise<readonly AnyRecord[]> =>
  (await store.find(collection, { order: 'oldest' })).items.filter(
    (record) => pack(record as AnyRecord) !== null,
  ) as readonly AnyRecord[];

/** The store as it will be: what it has, and behind that what is new. */
const storeWith = async (
  fresh: readonly Incoming[],
  home: StoreReader,
  kinds: readonly Kind[],
): Promise<StoreReader> =>
  readerOfRecords(
    new Map(
      await Promise.all(
        kinds.map(async (kind) => {
          const brought = fresh.filter(({ kind: { collection } }) => collection === kind.collection);
          const records = [...(await allOf(home, kind)), ...brought.map(({ record }) => record)];
          return [kind.collection.name, records] as const;
        }),
      ),
    ),
  );

const isThere = async (
  { collection, id }: Need,
  incoming: ReadonlySet<string>,
  home: StoreReader,
  kinds: readonly Kind[],
): Promise<boolean> => {
  const collections = collection === null ? kinds.map((kind) => kind.collection) : [collection];
  if (collections.some(({ name }) => incoming.has(`${name} ${id}`))) return true;
  for (const one of collections) if ((await home.get(one, id)) !== null) return true;
  return false;
};

const keyOf = ({ kind, record }: Incoming): string => `${kind.collection.name} ${record.id}`;

/**
 * Parts what can be taken in from what hangs on a kind of record that the file has none of.
 *
 * @throws invalid_file when something is missing that the file should have
 */
const partByNeeds = async (
  file: DeploymentsFile,
  all: readonly Incoming[],
  home: StoreReader,
  kinds: readonly Kind[],
): Promise<{ readonly taken: readonly Incoming[]; readonly leftOut: readonly LeftOut[] }> => {
  const leftOut: LeftOut[] = [];
  let taken = all;
  for (;;) {
    const keys = new Set(taken.map(keyOf));
    const without: { readonly incoming: Incoming; readonly need: Need }[] = [];
    for (const incoming of taken)
      for (const need of incoming.kind.needs(incoming.record))
        if (!(await isThere(need, keys, home, kinds))) {
          without.push({ incoming, need });
          break;
        }
    if (without.length === 0) return { taken, leftOut };
    const gone = new Set(leftOut.map(({ incoming }) => incoming.record.id));
    const messageOf = ({ collection, id }: Need) => `${collection?.name ?? 'the record'} ${id} is missing`;
    const isExcused = ({ collection, id }: Need) =>
      gone.has(id) || (collection !== null && file.records[collection.name] === undefined);
    refuse(
      without
        .filter(({ need }) => !isExcused(need))
        .map(({ incoming, need }) => ({ path: incoming.name, message: messageOf(need) })),
    );
    leftOut.push(...without.map(({ incoming, need }) => ({ incoming, reason: messageOf(need) })));
    const missing = new Set(without.map(({ incoming }) => incoming));
    taken = taken.filter((incoming) => !missing.has(incoming));
  }
};

const labelKinds = (kinds: readonly Kind[]): LabelKinds =>
  new Set(kinds.flatMap(({ labelKind }) => labelKind ?? []));

/** What no two records may share: what their kind says, and a counted label. */
const claimsOf = (kind: Kind, record: AnyRecord, counted: LabelKinds): readonly string[] => {
  const [unique, label] = [kind.unique(record), kind.label(record)];
  return [
    ...(unique === null ? [] : [`${kind.collection.name}: ${unique}`]),
    ...(label !== null && isCounted(label, counted) ? [`the label ${label}`] : []),
  ];
};

const doubled = async (
  taken: readonly Incoming[],
  home: StoreReader,
  kinds: readonly Kind[],
): Promise<readonly Refusal[]> => {
  const counted = labelKinds(kinds);
  const holders = new Map<string, string>();
  for (const kind of kinds)
    for (const record of await allOf(home, kind))
      for (const claim of claimsOf(kind, record, counted))
        holders.set(claim, `${kind.collection.name} ${record.id}`);
  const seen = new Set<string>();
  return taken.flatMap((incoming) => {
    const key = keyOf(incoming);
    const path = incoming.name;
    if (seen.has(key)) return [{ path, message: 'its id is in the file twice' }];
    seen.add(key);
    return claimsOf(incoming.kind, incoming.record, counted).flatMap((claim) => {
      const holder = holders.get(claim);
      holders.set(claim, holder ?? key);
      return holder === undefined || holder === key
        ? []
        : [{ path, message: `${claim} is that of ${holder}` }];
    });
  });
};

/** Records that the store has with other terms. */
const contradicting = async (known: readonly Incoming[], home: StoreReader): Promise<readonly Refusal[]> =>
  (
    await Promise.all(
      known.map(async ({ kind, record, name }) => {
        const own = kind.pack((await home.get(kind.collection, record.id)) as AnyRecord);
        const isSame = own !== null && isDeepStrictEqual(kind.identity(own), kind.identity(record));
        return isSame
          ? []
          : [{ path: name, message: 'this home has a record of the same id with other terms' }];
      }),
    )
  ).flat();

/**
 * A record with the label that its file gives it, where that is free in this home, so that a home that was lost has its
 * labels again; else without one: it gets its own when it is first read.
 */
const withFreeLabel = async (
  { collection, localLabelKind }: Kind,
  record: AnyRecord,
  writer: StoreWriter,
): Promise<AnyRecord> => {
  if (localLabelKind === null) return record;
  const { label } = record as { readonly label?: unknown };
  const isOne = typeof label === 'string' && isCounted(label, new Set([localLabelKind]));
  const isFree = isOne && (await writer.find(collection, { where: { label }, limit: 1 })).items.length === 0;
  return isFree ? record : ({ ...record, label: null } as AnyRecord);
};

/** The labels that records were taken in with. */
const labelsOf = ({ kind, record }: Incoming): readonly string[] => {
  const { label } = record as { readonly label?: string | null };
  const called = kind.localLabelKind === null ? kind.label(record) : label;
  return called == null ? [] : [called];
};

/**
 * Takes the records of a file in: those that are new as they were before the chain did anything to them. Labels are
 * counted on behind them.
 *
 * @throws invalid_file, and then nothing is written
 */
export const importRecords = async (
  file: DeploymentsFile,
  incoming: readonly Incoming[],
  kinds: readonly Kind[],
  { writer, network }: { readonly writer: StoreWriter; readonly network: Network },
): Promise<Imported> => {
  // Check: each has what it hangs on, is there once, and says what belongs together.
  const { taken, leftOut } = await partByNeeds(file, incoming, writer, kinds);
  refuse(await doubled(taken, writer, kinds));
  const [known, fresh]: [Incoming[], Incoming[]] = [[], []];
  for (const one of taken)
    ((await writer.get(one.kind.collection, one.record.id)) === null ? fresh : known).push(one);
  refuse(await contradicting(known, writer));
  const store = await storeWith(fresh, writer, kinds);
  const keptRecords = fresh.filter(({ kind }) => kind.deployable === null);
  refuse((await Promise.all(keptRecords.map((one) => failuresOf(one, { store, network })))).flat());

  // Record:
  const made: Incoming[] = [];
  for (const one of fresh) {
    const record = await withFreeLabel(one.kind, one.record, writer);
    writer.put(one.kind.collection, record);
    made.push({ ...one, record });
  }
  const local = kinds.flatMap(({ localLabelKind }) => localLabelKind ?? []);
  await passLabels(writer, made.flatMap(labelsOf), new Set([...labelKinds(kinds), ...local]));
  return { fresh: made, known, leftOut };
};
