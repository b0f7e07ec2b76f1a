/**
 * Contacts: names for the addresses of other people. Each network of a home has its own.
 *
 * They are for the terminal, where `@name` stands for an address: over HTTP an address is an address.
 */
import { z } from 'zod';
import type { Address } from '../bch/address.js';
import { TreasuryError } from '../errors.js';
import { nearestName } from '../nearest-name.js';
import { defineCollection, type StoreReader } from '../operation/ports/store.js';

const NAME_RULE =
  'expected a name of lower-case letters, digits and dashes that begins with a letter or digit, at most 40 long';

/** What a contact is called: as wallets are, so that no two names look alike. `@` before it is taken off. */
export const ContactName = z
  .string()
  .trim()
  .overwrite((text) => text.replace(/^@/, '').toLowerCase())
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, NAME_RULE)
  .describe('Name of the contact: letters, digits and dashes, with or without @');

/** A contact. Its id is its name. */
export const ContactRecord = z.object({
  id: ContactName,
  /** The `q` or `p` form. */
  address: z.string(),
  created_at: z.int(),
  updated_at: z.int(),
});
export type ContactRecord = z.output<typeof ContactRecord>;

export const contactCollection = defineCollection({
  name: 'contacts',
  schema: ContactRecord,
  indexes: { address: ({ address }) => address },
  unique: ['address'],
});

/** The contact with an address, or null. An address has one name at most. */
export const contactAt = async (
  { text }: Pick<Address, 'text'>,
  store: StoreReader,
): Promise<ContactRecord | null> =>
  (await store.find(contactCollection, { where: { address: text }, limit: 1, isCounted: false })).items[0] ??
  null;

/**
 * The contact of a name, with or without `@`.
 *
 * @throws contact_not_found, with the nearest name there is
 */
export const findContact = async (text: string, store: StoreReader): Promise<ContactRecord> => {
  const { success, data: name = text.replace(/^@/, '') } = ContactName.safeParse(text);
  const contact = success ? await store.get(contactCollection, name) : null;
  if (contact !== null) return contact;
  const known = (await store.find(contactCollection)).items.map(({ id }) => id);
  throw new TreasuryError('contact_not_found', { name, nearest: nearestName(name, known) });
};
