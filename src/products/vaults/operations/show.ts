/** One vault as the chain has it, with its open spends and events. */
import { z } from 'zod';
import { confirmationsOf } from '../../../offer/confirm.js';
import { defineOperation, FOLLOW_ERRORS } from '../../../operation/define.js';
import { EventReply, eventsOf, showEvent } from '../../../record/events.js';
import { VaultId } from '../fields.js';
import { openVault } from '../open-spend.js';
import { openSpends } from '../records.js';
import { showSpend, showVault, SpendReply, VaultReply } from '../reply.js';
import { viewVault } from '../view.js';

export const show = defineOperation({
  id: 'vaults.show',
  summary: 'Show a vault with its money, its open spends and its events',
  http: { method: 'GET', path: '/api/vaults/:id' },
  auth: 'address',
  input: z.object({ id: VaultId }),
  output: z.object({
    ...VaultReply.shape,
    confirmations: z.number().describe("Of the thread's last move"),
    openSpends: z.array(SpendReply),
    events: z.array(EventReply).describe('Newest first, the latest 50'),
  }),
  errors: ['vault_not_found', 'private_vault', ...FOLLOW_ERRORS],
  run: async ({ id }, context) => {
    const { store, network, caller } = context;
    const vault = await openVault(id, context);
    return {
      ...(await showVault(vault, caller.text, store)),
      confirmations: await confirmationsOf(vault.last_tx_hash, context),
      openSpends: await Promise.all(
        (await openSpends(store, vault.id)).map((spend) => showSpend(spend, store, network)),
      ),
      events: (await eventsOf(store, vault.id)).map(showEvent),
    };
  },
  view: viewVault,
});
