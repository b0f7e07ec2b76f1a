/** One vault as the chain has it: whole, with its open spends and events, or its state alone. */
import { z } from 'zod';
import { ThreadPointer } from '../../../covenant/thread.js';
import { confirmationsOf } from '../../../offer/confirm.js';
import { defineOperation, FOLLOW_ERRORS, VAULT_ERRORS } from '../../../operation/define.js';
import { EventReply, eventsOf, showEvent } from '../../../record/events.js';
import { openVault, VaultId } from '../open-spend.js';
import { openSpends } from '../records.js';
import { showSpend, showVault, SpendReply, VaultReply } from '../reply.js';
import { pageOfVault, viewVault } from '../view.js';

const input = z.object({ id: VaultId });
const errors = [...VAULT_ERRORS, ...FOLLOW_ERRORS];

export const show = defineOperation({
  id: 'vaults.show',
  summary: 'Show a vault with its money, its open spends and its events',
  http: { method: 'GET', path: '/api/vaults/:id' },
  cli: { page: pageOfVault },
  auth: 'address',
  input,
  output: z.object({
    ...VaultReply.shape,
    confirmations: z.number().describe("Of the thread's last move"),
    openSpends: z.array(SpendReply),
    events: z.array(EventReply).describe('Newest first, the latest 50'),
  }),
  errors,
  run: async ({ id }, context) => {
    const { store, caller } = context;
    const vault = await openVault(id, context);
    const open = await openSpends(store, vault.id);
    return {
      ...(await showVault(vault, caller.text, store)),
      confirmations: await confirmationsOf(vault.last_tx_hash, context),
      openSpends: await Promise.all(open.map((spend) => showSpend(spend, context))),
      events: (await eventsOf(store, vault.id)).map(showEvent),
    };
  },
  view: viewVault,
});

export const state = defineOperation({
  id: 'vaults.state',
  summary: 'Read the state of a vault from the chain',
  http: { method: 'GET', path: '/api/vaults/:id/state' },
  auth: 'address',
  input,
  output: z.object({
    state: z.string().describe('pending or active'),
    vaultId: z.string(),
    status: z.string().describe('The same word'),
    spends: z.number().describe('Spends that moved the thread'),
    thread: ThreadPointer.nullable(),
  }),
  errors,
  run: async ({ id }, context) => {
    const { status, on_chain_vault_id: vaultId, spends, thread } = await openVault(id, context);
    return { state: status, vaultId, status, spends, thread };
  },
  view: ({ state: word, spends }) => [
    { kind: 'text', text: `The vault is ${word}, and ${spends} spends have moved its thread.` },
  ],
});
