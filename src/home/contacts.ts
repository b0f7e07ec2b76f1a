/** Contacts: names for the addresses of other people. */
import { z } from 'zod';
import { invalidField } from '../errors.js';
import { parseAddress, type Address } from '../bch/address.js';
import { AddressField } from '../bch/fields.js';
import { showDate } from '../bch/show-date.js';
import { column } from '../operation/columns.js';
import type { Context } from '../operation/context.js';
import { defineOperation, KEYS_ERRORS, type Offer, type ViewBlock } from '../operation/define.js';
import { PageFields, pageOf, PageReply } from '../operation/paging.js';
import type { StoreReader } from '../operation/ports/store.js';
import {
  contactAt,
  contactCollection,
  ContactName,
  findContact,
  type ContactRecord,
} from '../record/contacts.js';

export const ContactReply = z.object({
  name: z.string(),
  address: z.string(),
  tokenAddress: z.string().describe('The same party: give this one wherever tokens are to be sent'),
  createdAt: z.number().describe('Unix seconds'),
  updatedAt: z.number().describe('Unix seconds; when the address was last changed'),
});
export type ContactReply = z.output<typeof ContactReply>;

/** For the schema, see {@link ContactReply}. */
const showContact = ({ id, address, created_at, updated_at }: ContactRecord): ContactReply => ({
  name: id,
  address,
  tokenAddress: parseAddress(address).tokenText,
  createdAt: created_at,
  updatedAt: updated_at,
});

/** Contacts for people. */
const contactTable = (contacts: readonly ContactReply[]): ViewBlock => ({
  kind: 'table',
  head: [column.key('Contact'), column.key('Address')],
  rows: contacts.map(({ name, address }) => [`@${name}`, address]),
  empty: 'No contacts yet. `treasury contacts add <name> <address>` makes one.',
});

export const list = defineOperation({
  id: 'contacts.list',
  summary: 'List the names that this home knows for addresses of others',
  cli: { homeOnly: true, readsOnly: true },
  auth: 'none',
  input: z.object(PageFields),
  output: z.object({ contacts: z.array(ContactReply), ...PageReply }),
  errors: [],
  run: async (paging, { store }) => {
    const { items, ...page } = await pageOf(store, contactCollection, {}, paging);
    return Promise.resolve({ contacts: items.map(showContact), ...page });
  },
  view: ({ contacts }) => [contactTable(contacts)],
});

export const show = defineOperation({
  id: 'contacts.show',
  summary: 'Show the address of a contact',
  cli: { homeOnly: true, positional: ['name'] },
  auth: 'none',
  input: z.object({ name: ContactName }),
  output: z.object({ contact: ContactReply }),
  errors: ['contact_not_found'],
  run: async ({ name }, { store }) =>
    Promise.resolve({ contact: showContact(await findContact(name, store)) }),
  view: ({ contact }) => [
    {
      kind: 'facts',
      rows: [
        ['Contact', `@${contact.name}`],
        ['Address', contact.address],
        ['For tokens', contact.tokenAddress],
        ['Since', showDate(contact.updatedAt)],
      ],
    },
    { kind: 'qr', address: contact.address },
  ],
});

type Wish = { readonly name: string; readonly address: Address };

/** One's own wallets are no contacts. @throws invalid_input */
const checkNoWallet = async ({ name, address }: Wish, { keys }: Pick<Context, 'keys'>): Promise<void> => {
  for (const wallet of await keys.list()) {
    if (wallet.name === name) throw invalidField('name', `is that of a wallet of this home: "${name}"`);
    if (wallet.address.text === address.text)
      throw invalidField('address', `is that of your wallet "${wallet.name}"`);
  }
};

/** An address with two names could be shown under the wrong one. @throws invalid_input */
const checkOneName = async ({ name, address }: Wish, store: StoreReader): Promise<void> => {
  const other = await contactAt(address, store);
  if (other !== null && other.id !== name)
    throw invalidField(
      'address',
      `is that of the contact @${other.id}: remove it first to give it another name`,
    );
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

export const remove = defineOperation({
  id: 'contacts.remove',
  summary: 'Forget a contact',
  cli: {
    homeOnly: true,
    positional: ['name'],
    asks: async ({ name }: { readonly name: string }, { store }) =>
      `@${name} is ${(await findContact(name, store)).address}. Forget it?`,
  },
  auth: 'none',
  input: z.object({ name: ContactName }),
  output: z.object({ message: z.string(), contact: ContactReply }),
  errors: ['contact_not_found'],
  run: ({ name }, { store }) =>
    store.transaction(async (writer) => {
      const contact = await findContact(name, writer);
      writer.remove(contactCollection, contact.id);
      return { message: `@${name} is forgotten`, contact: showContact(contact) };
    }),
  view: ({ message, contact }) => [{ kind: 'text', text: `${message}: it was ${contact.address}` }],
});

export const operations: readonly Offer[] = [add, list, show, remove];
