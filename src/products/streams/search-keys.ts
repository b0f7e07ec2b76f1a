/**
 * Index values that combine what lists are filtered by, so that one condition and a facet (a status, an event type)
 * are one look-up and no scan.
 */

/** What stands under the index of all that has some property: `yes`. */
export const YES = 'yes';

/** What lists and the activity can be asked for beside the facet. */
export type Wanted = {
  readonly recipient?: string | undefined;
  readonly sender?: string | undefined;
  /** Matches any party. */
  readonly address?: string | undefined;
  readonly vault?: string | undefined;
  readonly context?: string | undefined;
  /** Only what is linked to a vault. */
  readonly treasury?: boolean | undefined;
};

/** What a record says of itself to be found by. */
export type Found = {
  readonly recipients: readonly string[];
  readonly sender: string;
  readonly vaultId: string | null;
  readonly contextSource: string | null;
  readonly isPrivate: boolean;
  readonly facet: string;
  /** Who may see what is private, beside its vault's members; default the sender and the recipients. */
  readonly parties?: readonly string[];
};

/** Each party once. */
export const partiesOf = ({ sender, recipients }: Found): readonly string[] => [
  ...new Set([sender, ...recipients]),
];

/** The indexes of a collection that is searched this way. `hidden` holds what belongs to private vaults only. */
export const searchIndexes = <R>(describe: (record: R) => Found) => {
  const one = (valuesOf: (found: Found) => readonly (string | null)[]) => (record: R) => {
    const found = describe(record);
    return valuesOf(found).flatMap((value) => (value === null ? [] : [value, `${value}|${found.facet}`]));
  };
  return {
    recipient: one(({ recipients }) => recipients),
    sender: one(({ sender }) => [sender]),
    address: one(partiesOf),
    vault: one(({ vaultId }) => [vaultId]),
    context: one(({ contextSource }) => [contextSource]),
    treasury: one(({ vaultId }) => [vaultId === null ? null : YES]),
    facet: (record: R) => [describe(record).facet],
    hidden: (record: R) => (describe(record).isPrivate ? [YES] : []),
  };
};

/** The conditions of a search: index names to values. */
export const searchConditions = (wanted: Wanted, facet: string | undefined): Record<string, string> => {
  const asked = Object.entries(wanted).flatMap(([name, value]): [string, string][] => {
    if (value === undefined || value === false) return [];
    const text = value === true ? YES : value;
    return [[name, facet === undefined ? text : `${text}|${facet}`]];
  });
  if (asked.length === 0 && facet !== undefined) return { facet };
  return Object.fromEntries(asked);
};
