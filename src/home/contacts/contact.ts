/** A contact as answers show it. */
import { z } from 'zod';
import { parseAddress } from '../../bch/address.js';
import type { ContactRecord } from '../../record/contacts.js';
import type { ViewBlock } from '../../operation/define.js';

export const ContactReply = z.object({
  name: z.string(),
  address: z.string(),
  tokenAddress: z.string().describe('The same party: give this one wherever tokens are to be sent'),
  createdAt: z.number().describe('Unix seconds'),
  updatedAt: z.number().describe('Unix seconds; when the address was last changed'),
});
export type ContactReply = z.output<typeof ContactReply>;

/** For the schema, see {@link ContactReply}. */
export const showContact = ({ id, address, created_at, updated_at }: ContactRecord): ContactReply => ({
  name: id,
  address,
  tokenAddress: parseAddress(address).tokenText,
  createdAt: created_at,
  updatedAt: updated_at,
});

/** Contacts for people. */
export const contactTable = (contacts: readonly ContactReply[]): ViewBlock => ({
  kind: 'table',
  head: ['Contact', 'Address'],
  rows: contacts.map(({ name, address }) => [`@${name}`, address]),
  empty: 'No contacts yet. `treasury contacts add <name> <address>` makes one.',
});
