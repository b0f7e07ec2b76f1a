/**
 * Index values that combine what lists are filtered by, so that one condition and a facet (a status, an event type)
 * are one look-up and no scan.
 */

/** A value alone, and with a facet. */
export const withFacet = (values: readonly string[], facet: string): readonly string[] =>
  values.flatMap((value) => [value, `${value}|${facet}`]);

/** What to look up for a value, with or without its facet. */
export const facetKey = (value: string, facet: string | undefined): string =>
  facet === undefined ? value : `${value}|${facet}`;

/** What stands under the index of all that has some property: `yes`. */
export const YES = 'yes';

/** What lists and the activity can be asked for beside the facet; null or undefined: not asked for. */
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
  readonly senders: readonly string[];
  readonly vaultId: string | null;
  readonly contextSource: string | null;
  readonly isPrivate: boolean;
  readonly facet: string;
};

/** The indexes of a collection that is searched this way. */
export type SearchIndex = keyof Wanted | 'facet' | 'hidden';

type Indexed<R> = Readonly<Record<SearchIndex, (record: R) => readonly string[]>>;

const present = (value: string | null): readonly string[] => (value === null ? [] : [value]);

const values = (found: Found): Readonly<Record<keyof Wanted, readonly string[]>> => ({
  recipient: found.recipients,
  sender: found.senders,
  address: [...new Set([...found.senders, ...found.recipients])],
  vault: present(found.vaultId),
  context: present(found.contextSource),
  treasury: found.vaultId === null ? [] : [YES],
});

/** The indexes of a collection that is searched this way. `hidden` holds what belongs to private vaults only. */
export const searchIndexes = <R>(describe: (record: R) => Found): Indexed<R> => {
  const one = (name: keyof Wanted) => (record: R) => {
    const found = describe(record);
    return withFacet(values(found)[name], found.facet);
  };
  return {
    recipient: one('recipient'),
    sender: one('sender'),
    address: one('address'),
    vault: one('vault'),
    context: one('context'),
    treasury: one('treasury'),
    facet: (record) => [describe(record).facet],
    hidden: (record) => (describe(record).isPrivate ? [YES] : []),
  };
};

/** The conditions of a search: index names to values. */
export const searchConditions = (
  wanted: Wanted,
  facet: string | undefined,
): Partial<Record<SearchIndex, string>> => {
  const asked = Object.entries(wanted).flatMap(([name, value]): [string, string][] => {
    if (value === undefined || value === false) return [];
    return [[name, facetKey(value === true ? YES : value, facet)]];
  });
  if (asked.length === 0 && facet !== undefined) return { facet };
  return Object.fromEntries(asked);
};
