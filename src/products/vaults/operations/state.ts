/** The state of a vault, from its thread on chain. */
import { z } from 'zod';
import { ThreadPointer } from '../../../covenant/thread.js';
import { defineOperation, FOLLOW_ERRORS } from '../../../operation/define.js';
import { VaultId } from '../fields.js';
import { openVault } from '../open-spend.js';

export const state = defineOperation({
  id: 'vaults.state',
  summary: 'Read the state of a vault from the chain',
  http: { method: 'GET', path: '/api/vaults/:id/state' },
  auth: 'address',
  input: z.object({ id: VaultId }),
  output: z.object({
    state: z.string().describe('pending or active'),
    vaultId: z.string(),
    status: z.string().describe('The same word'),
    spends: z.number().describe('Spends that moved the thread'),
    thread: ThreadPointer.nullable(),
  }),
  errors: ['vault_not_found', 'private_vault', ...FOLLOW_ERRORS],
  run: async ({ id }, context) => {
    const { status, on_chain_vault_id: vaultId, spends, thread } = await openVault(id, context);
    return { state: status, vaultId, status, spends, thread };
  },
  view: ({ state: word, spends }) => [
    { kind: 'text', text: `The vault is ${word}, and ${spends} spends have moved its thread.` },
  ],
});
