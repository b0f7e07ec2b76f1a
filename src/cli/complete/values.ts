/** What completion can offer for a field, by what the field takes. */
import { ADDRESS_FORMAT } from '../../bch/fields.js';
import { alternatives, choicesOf, type Field } from '../fields.js';
import type { Values } from './offer-at.js';

/** Fields that name a record of a noun other than their own. */
const RECORDS_OF: Readonly<Record<string, string>> = {
  vaultId: 'vaults',
  proposalId: 'governance',
  streamIds: 'streams',
};

const takesFile = ({ kind, schema }: Field): boolean =>
  schema.file === true || schema.secret === true || kind === 'structure' || kind === 'files';

/** What can stand in a field of an operation of a noun; null: nothing is known. */
export const valuesOf = (field: Field, noun: string): Values | null => {
  const { name, schema, place } = field;
  const words = choicesOf(schema);
  if (words.length > 0) return { words };
  if (takesFile(field)) return { from: 'files' };
  const forms = [...alternatives(schema), ...(schema.items === undefined ? [] : alternatives(schema.items))];
  if (forms.some(({ format }) => format === ADDRESS_FORMAT)) return { from: 'parties' };
  if (name === 'tokenCategory' || (noun === 'tokens' && name === 'category')) return { from: 'tokens' };
  const other = RECORDS_OF[name];
  if (other !== undefined) return { labelsOf: other };
  if (place !== 'position') return null;
  if (name === 'id') return { labelsOf: noun };
  if (noun === 'sync') return { labelsOf: null };
  if (name !== 'name') return null;
  return noun === 'wallet' ? { from: 'wallets' } : noun === 'contacts' ? { from: 'contacts' } : null;
};
