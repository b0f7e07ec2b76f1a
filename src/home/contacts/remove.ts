/** Forgetting a name. */
import { z } from 'zod';
import { contactCollection, ContactName, findContact } from '../../record/contacts.js';
import { defineOperation } from '../../operation/define.js';
import { ContactReply, showContact } from './contact.js';

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
