/** The contacts of this home. */
import { z } from 'zod';
import { contactCollection } from '../../record/contacts.js';
import { defineOperation } from '../../operation/define.js';
import { PageFields, pageOf, PageReply } from '../../operation/paging.js';
import { ContactReply, contactTable, showContact } from './contact.js';

export const list = defineOperation({
  id: 'contacts.list',
  summary: 'List the names that this home knows for addresses of others',
  cli: { homeOnly: true },
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
