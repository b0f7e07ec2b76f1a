/**
 * Who is meant: `@name` is a contact, a name alone a wallet of this home, anything else an address, with or without its
 * prefix. No name is guessed: one that is a wallet's and a contact's is refused where these are two.
 */
import { NETWORKS } from '../bch/network.js';
import { TreasuryError } from '../errors.js';
import type { Context } from '../operation/context.js';
import { contactCollection, findContact } from '../record/contacts.js';

/** Where names are looked up. */
export type NameSite = Pick<Context, 'store' | 'keys' | 'network'>;

/** True for a text that names a contact. */
const isContactName = (text: string): boolean => text.trimStart().startsWith('@');

/** The payload of an address: the letters of its alphabet, as many as 20 bytes take at least. */
const PAYLOAD = /^[02-9ac-hj-np-z]{42,}$/i;

/** True for what can only be the name of a wallet. */
export const isWalletName = (text: string): boolean =>
  !isContactName(text) && !text.includes(':') && !PAYLOAD.test(text.trim());

/** An address by what was written, and what is to be said of that; none where it is the address already. */
export type NamedAddress = { readonly address: string; readonly note?: string };

/** An address without its prefix, which its checksum tells. @throws invalid_address */
const withPrefix = async (text: string, network: NameSite['network'], field: string): Promise<string> => {
  const { parseAddress } = await import('../bch/address.js');
  const payload = text === text.toUpperCase() ? text.toLowerCase() : text;
  const found = Object.values(NETWORKS).find(({ prefix }) => {
    try {
      return parseAddress(`${prefix}:${payload}`).text !== '';
    } catch {
      return false;
    }
  });
  const { prefix: own } = NETWORKS[network];
  // Of this network or of none it is read with its own prefix, and refused with what is wrong.
  return parseAddress(`${found?.prefix ?? own}:${payload}`, network, field).text;
};

/** A wallet of this home. @throws invalid_address when there is none, or a contact of another address has its name */
const walletAddress = async (name: string, { keys, store }: NameSite, field: string): Promise<string> => {
  const address = (await keys.list()).find((wallet) => wallet.name === name)?.address.text;
  const contact = await store.get(contactCollection, name.toLowerCase());
  const refuse = (expected: string) => new TreasuryError('invalid_address', { field, value: name, expected });
  if (address === undefined) {
    const other = contact === null ? '' : `; @${contact.id} is a contact`;
    throw refuse(
      `an address, the name of a wallet of this home or @name of a contact; it is no wallet${other}`,
    );
  }
  if (contact !== null && contact.address !== address) {
    throw refuse(
      `one of two: the wallet ${name} is ${address}, and the contact @${contact.id} is ${contact.address}; write the address, or @${contact.id}`,
    );
  }
  return address;
};

/**
 * The address that is meant.
 *
 * @param field where it was given, for the message
 * @throws contact_not_found, invalid_address
 */
export const readAddressName = async (
  written: string,
  site: NameSite,
  field = 'address',
): Promise<NamedAddress> => {
  const text = written.trim();
  if (isContactName(text)) {
    const { id, address } = await findContact(text, site.store);
    return { address, note: `@${id} is ${address}` };
  }
  // With a prefix it is an address, and the operation says what is wrong with it.
  if (text === '' || text.includes(':')) return { address: written };
  if (PAYLOAD.test(text)) {
    const address = await withPrefix(text, site.network, field);
    return { address, note: `${text} is ${address}` };
  }
  const address = await walletAddress(text, site, field);
  return { address, note: `${text} is ${address}, a wallet of this home` };
};
