/** One contact. */
import { z } from 'zod';
import { ContactName, findContact } from '../../record/contacts.js';
import { defineOperation } from '../../operation/define.js';
import { showDate } from '../../bch/show-date.js';
import { ContactReply, showContact } from './contact.js';

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
