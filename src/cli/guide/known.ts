/** What this home knows by name, to choose from: addresses of wallets and contacts, and tokens. */
import { ADDRESS_FORMAT, CATEGORY_FORMAT } from '../../bch/fields.js';
import type { FieldSchema } from '../../operation/coerce.js';
import type { GuideChoice } from '../../operation/guide.js';
import { tokenCollection } from '../../record/assets.js';
import { contactCollection } from '../../record/contacts.js';
import { alternatives } from '../fields.js';
import type { Session } from '../session.js';

/** An address with the name that this home has for it. */
export type KnownAddress = { readonly address: string; readonly name: string };

const hasFormat = (schema: FieldSchema, wanted: string): boolean =>
  alternatives(schema).some(({ format }) => format === wanted);

/** True for a field that takes an address. */
export const takesAddress = (schema: FieldSchema): boolean => hasFormat(schema, ADDRESS_FORMAT);

/** True for a field that takes the category of a token. */
export const takesToken = (schema: FieldSchema): boolean => hasFormat(schema, CATEGORY_FORMAT);

/** The wallets of this home, the operator's first, then the contacts. */
export const knownAddresses = async ({ context, operator }: Session): Promise<readonly KnownAddress[]> => {
  const [wallets, contacts] = await Promise.all([
    context.keys.list(),
    context.store.find(contactCollection, { order: 'oldest' }),
  ]);
  const isOwn = (address: string): boolean => address === operator.address?.text;
  const named = wallets
    .filter(({ isAuthority }) => !isAuthority)
    .map(({ name, address: { text: address } }) => ({
      address,
      name: isOwn(address) ? `${name} (you)` : name,
    }));
  return [
    ...named.filter(({ address }) => isOwn(address)),
    ...named.filter(({ address }) => !isOwn(address)),
    ...contacts.items.map(({ id, address }) => ({ address, name: `@${id}` })),
  ];
};

/** The tokens of the registry. */
export const knownTokens = async ({ context }: Session): Promise<readonly GuideChoice[]> =>
  (await context.store.find(tokenCollection, { order: 'oldest' })).items.map(({ id, symbol, name }) => ({
    value: id,
    name: `${symbol}  ${name}  ${id.slice(0, 8)}...`,
  }));
