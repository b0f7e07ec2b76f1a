/** Older layouts of the records, brought up to this version's one step at a time. */
import type { Snapshot, StoreData } from './store-data.js';

/** From a schema version to the function that makes the next version's data of it. */
export type Migrations = Readonly<Record<number, (data: StoreData) => StoreData>>;

/** The schema version that this program writes: one more than the newest it can migrate from; 1 without migrations. */
export const schemaVersion = (migrations: Migrations): number =>
  Math.max(0, ...Object.keys(migrations).map(Number)) + 1;

/** A snapshot in this version's layout. @throws Error when a step between is missing: a defect */
export const migrate = (snapshot: Snapshot, migrations: Migrations): Snapshot => {
  const current = schemaVersion(migrations);
  let data: StoreData = { counters: snapshot.counters, collections: snapshot.collections };
  for (let version = snapshot.schema; version < current; version += 1) {
    const step = migrations[version];
    if (step === undefined) throw new Error(`there is no migration from schema ${version}`);
    data = step(data);
  }
  const { sequence, logs } = snapshot;
  return { ...data, schema: current, sequence, ...(logs === undefined ? {} : { logs }) };
};
