/** A name for somebody's address, or another address for a name. */
import { z } from 'zod';
import type { Address } from '../../bch/address.js';
import { AddressField } from '../../bch/fields.js';
import { contactAt, contactCollection, ContactName, type ContactRecord } from '../../record/contacts.js';
import type { Context } from '../../operation/context.js';
import { defineOperation, KEYS_ERRORS } from '../../operation/define.js';
import type { StoreReader } from '../../operation/ports/store.js';
import { invalidInput } from '../../operation/read-input.js';
import { ContactReply, contactTable, showContact } from './contact.js';

type Wish = { readonly name: string; readonly address: Address };

const refuse = (path: string, message: string) => invalidInput([{ path, message }]);

/** One's own wallets are no contacts. @throws invalid_input */
const checkNoWallet = async ({ name, address }: Wish, { keys }: Pick<Context, 'keys'>): Promise<void> => {
  for (const wallet of await keys.list()) {
    if (wallet.name === name) throw refuse('name', `is that of a wallet of this home: "${name}"`);
    if (wallet.address.text === address.text)
      throw refuse('address', `is that of your wallet "${wallet.name}"`);
  }
};

/** An address with two names could be shown under the wrong one. @throws invalid_input */
const checkOneName = async ({ name, address }: Wish, store: StoreReader): Promise<void> => {
  const other = await contactAt(address, store);
  if (other !== null && other.id !== name)
    throw refuse('address', `is that of the contact @${other.id}: remove it first to give it another name`);
};

/** Asked before a name gets another address. */
const changeQuestion = async (
  { name, address }: Wish,
  { store }: Pick<Context, 'store'>,
): Promise<string | null> => {
  const known = await store.get(contactCollection, name);
  return known === null || known.address === address.text
    ? null
    : `@${name} is ${known.address}. Change it to ${address.text}?`;
};

export const add = defineOperation({
  id: 'contacts.add',
  summary: 'Give a name to an address of somebody else, or change the address of a name',
  description: 'Commands take @name wherever they take an address. The HTTP API does not.',
  cli: {
    positional: ['name', 'address'],
    asks: changeQuestion,
    example: 'contacts add ann bchtest:qq...',
  },
  auth: 'none',
  input: z.object({ name: ContactName, address: AddressField }),
  output: z.object({ contact: ContactReply }),
  errors: ['invalid_address', ...KEYS_ERRORS],
  run: async ({ name, address }, context) => {
    await checkNoWallet({ name, address }, context);
    return context.store.transaction(async (writer) => {
      // Check:
      await checkOneName({ name, address }, writer);

      // Record:
      const known = await writer.get(contactCollection, name);
      const now = context.clock.wall();
      const contact: ContactRecord = {
        id: name,
        address: address.text,
        created_at: known?.created_at ?? now,
        updated_at: known?.address === address.text ? known.updated_at : now,
      };
      writer.put(contactCollection, contact);
      return { contact: showContact(contact) };
    });
  },
  view: ({ contact }) => [contactTable([contact])],
});
