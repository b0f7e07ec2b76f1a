/** Who is told of an event: whoever may read the record that it is about, asked when it is told. */
import type { Address } from '../bch/address.js';
import type { StoreReader } from '../operation/ports/store.js';
import type { ToldRecords } from './deployable.js';
import type { LoggedEvent } from './event-log.js';

/** True for an event that somebody may be told of. */
export type MayRead = (event: Pick<LoggedEvent, 'subject' | 'parties'>) => Promise<boolean>;

/**
 * What a caller may be told, as the records stand now. An event whose record this home no longer has is told to those
 * whom it concerns; one that is about no record, to them too, or to everybody where it names nobody.
 *
 * @param told of each product
 * @param caller null: nobody in particular
 */
export const readerOfEvents = (
  told: readonly ToldRecords[],
  caller: Address | null,
  store: StoreReader,
): MayRead => {
  const rules = new Map<string, Promise<(record: unknown) => boolean>>();
  const ruleOf = (records: ToldRecords): Promise<(record: unknown) => boolean> => {
    const rule = rules.get(records.kind) ?? records.readable(caller, store);
    rules.set(records.kind, rule);
    return rule;
  };
  return async ({ subject, parties }) => {
    const isParty = caller !== null && parties.includes(caller.text);
    // Of the chain and of the service everybody is told; of somebody's key or webhook they alone.
    if (subject === null) return isParty || parties.length === 0;
    const records = told.find(({ kind }) => kind === subject.kind);
    const record: unknown = records === undefined ? null : await store.get(records.collection, subject.id);
    if (records === undefined || record === null) return isParty;
    return (await ruleOf(records))(record);
  };
};
