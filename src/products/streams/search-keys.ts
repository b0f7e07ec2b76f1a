/**
 * Index values that combine what lists are filtered by, so that one condition and a facet (a status, an event type)
 * are one look-up and no scan.
 */

/** What stands under the index of all that has some property: `yes`. */
export const YES = 'yes';

/** What every record that is searched this way says of itself. */
type Searched = { readonly sender: string; readonly vault_id: string | null; readonly is_private: boolean };

/** What else it is found by. */
type Found = {
  readonly recipients: readonly string[];
  readonly contextSource: string | null | undefined;
  readonly facet: string;
};

/** Those of them under more than one of whose values a record may stand. */
export const searchedByMany = ['recipient', 'sender', 'address', 'vault', 'context', 'treasury'] as const;

/** The indexes of a collection that is searched this way. `hidden` holds what belongs to private vaults only. */
export const searchIndexes = <R extends Searched>(describe: (record: R) => Found) => {
  const under = (valuesOf: (record: R, found: Found) => readonly string[]) => (record: R) => {
    const found = describe(record);
    return valuesOf(record, found).flatMap((value) => [value, `${value}|${found.facet}`]);
  };
  return {
    recipient: under((_record, { recipients }) => recipients),
    sender: under(({ sender }) => [sender]),
    /** Any party, each once. */
    address: under(({ sender }, { recipients }) => [...new Set([sender, ...recipients])]),
    vault: under(({ vault_id: id }) => (id === null ? [] : [id])),
    context: under((_record, { contextSource: source }) => (source == null ? [] : [source])),
    treasury: under(({ vault_id: id }) => (id === null ? [] : [YES])),
    facet: (record: R) => [describe(record).facet],
    hidden: (record: R) => (record.is_private ? [YES] : []),
  };
};

/** The conditions of a search: index names to values, each joined with the facet where one is asked for. */
export const searchConditions = (
  wanted: Readonly<Record<string, string | undefined>>,
  facet: string | undefined,
): Record<string, string> => {
  const asked = Object.entries(wanted).flatMap(([name, text]): [string, string][] =>
    text === undefined ? [] : [[name, facet === undefined ? text : `${text}|${facet}`]],
  );
  return asked.length === 0 && facet !== undefined ? { facet } : Object.fromEntries(asked);
};
