/** The records of a file on their way into a store: nothing of them that the chain determines is believed. */
import type { Finding } from '../../covenant/genesis.js';
import { messageOf } from '../../errors.js';
import type { Beside, KeptRecord } from '../../record/kept-record.js';
import type { Context } from '../../operation/context.js';
import type { CovenantRecord, Deployable } from '../../record/deployable.js';
import { auditTerms } from './audit-terms.js';
import type { KnownAuthorities } from './authority.js';
import type { Registered } from './deployments.js';
import { badFile, readRecords, type AnyRecord, type DeploymentsFile } from './file.js';

/** A kind of record, as taking it in looks at it. Of a covenant's records the terms are checked. */
export type Kind = KeptRecord & { readonly deployable: Deployable | null };

/** What people may change of a record after it was made, or its home has given it. */
const CHANGEABLE: readonly string[] = ['updated_at', 'viewers', 'deprecated', 'label'];

const covenantKind = (deployable: Deployable, authorities: KnownAuthorities, context: Context): Kind => {
  const asCovenant = (record: AnyRecord) => record as CovenantRecord;
  return {
    deployable,
    collection: deployable.collection,
    pack: (record) => deployable.reset(asCovenant(record), context),
    needs: (record) => deployable.needs(asCovenant(record)),
    identity: (record) =>
      Object.fromEntries(Object.entries(record).filter(([name]) => !CHANGEABLE.includes(name))),
    unique: (record) => asCovenant(record).contract_address,
    label: (record) => deployable.label(asCovenant(record)),
    labelKind: deployable.labelKind,
    localLabelKind: deployable.localLabelKind,
    check: (record, { network }) =>
      auditTerms({ deployable, record: asCovenant(record) }, network, authorities),
  };
};

/** Every kind of record that a file may have, covenants first. */
export const kindsOf = (
  { deployables, keptRecords }: Registered,
  authorities: KnownAuthorities,
  context: Context,
): readonly Kind[] => [
  ...deployables.map((deployable) => covenantKind(deployable, authorities, context)),
  ...keptRecords.map((kept) => ({ ...kept, deployable: null })),
];

/** A record of a file without what the chain determines. */
export type Incoming = {
  readonly kind: Kind;
  readonly record: AnyRecord;
  /** Where it stands in the file, and what it is called: `rewards.0 (#REWARD-0001)`. */
  readonly name: string;
};

const nameOf = ({ collection, label }: Kind, record: AnyRecord, index: number): string => {
  const called = label(record);
  return `${collection.name}.${index}${called === null ? '' : ` (${called})`}`;
};

const packed = (kind: Kind, record: AnyRecord, index: number): AnyRecord | null => {
  try {
    return kind.pack(record);
  } catch (error) {
    throw badFile(`${kind.collection.name}.${index}: ${messageOf(error)}`);
  }
};

const checkNames = ({ records }: DeploymentsFile, kinds: readonly Kind[]): void => {
  const known = kinds.map(({ collection }) => collection.name);
  const other = Object.keys(records).find((name) => !known.includes(name));
  if (other !== undefined) throw badFile(`it has ${other}, which this version does not know`);
};

/**
 * What a file brings, each by its schema and without what the chain determines.
 *
 * @throws invalid_file
 */
export const readIncoming = (file: DeploymentsFile, kinds: readonly Kind[]): readonly Incoming[] => {
  checkNames(file, kinds);
  return kinds.flatMap((kind) =>
    readRecords(file, kind.collection).flatMap((whole, index) => {
      const record = packed(kind, whole, index);
      return record === null ? [] : [{ kind, record, name: nameOf(kind, record, index) }];
    }),
  );
};

/** A check of one record, as a refusal names it. */
export type Refusal = { readonly path: string; readonly message: string };

/** `invalid_file` with all that is wrong. */
export const refuse = (refusals: readonly Refusal[]): void => {
  const [first] = refusals;
  if (first === undefined) return;
  const others = refusals.length === 1 ? '' : ` (and ${refusals.length - 1} more)`;
  throw badFile(`${first.path}: ${first.message}${others}`, refusals);
};

/** The checks of a record that fail. A record that cannot be checked fails. */
export const failuresOf = async (
  { kind, record, name }: Incoming,
  beside: Beside,
): Promise<readonly Refusal[]> => {
  let findings: readonly Finding[];
  try {
    findings = await kind.check(record, beside);
  } catch (error) {
    findings = [{ check: 'record', ok: false, detail: messageOf(error) }];
  }
  return findings
    .filter(({ ok }) => !ok)
    .map(({ check, detail }) => ({ path: name, message: `${check}: ${detail}` }));
};
