/** Adding a viewer: a record in the database only. It gives no key a say over the money. */
import { z } from 'zod';
import { AddressField } from '../../../bch/fields.js';
import { defineOperation } from '../../../operation/define.js';
import { VaultId } from '../open-spend.js';
import { findVault } from '../records.js';
import { VAULT_ROLES, vaultCollection } from '../vault.js';
import { showVault, VaultReply } from '../reply.js';
import { checkCreator, roleIn } from '../rules.js';

export const addViewer = defineOperation({
  id: 'vaults.add-signer',
  summary: 'Let somebody read a private vault (off chain; it lets nobody sign)',
  description: 'The three signers are fixed by the address. A member stays what they are.',
  http: { method: 'POST', path: '/api/vaults/:id/signers' },
  cli: { verb: 'add-viewer', positional: ['id', 'signerAddress'] },
  auth: 'address',
  forKeys: 'never',
  input: z.object({ id: VaultId, signerAddress: AddressField.describe('Who may read it') }),
  output: z.object({
    message: z.string(),
    signerAddress: z.string(),
    signerRole: z.enum(VAULT_ROLES),
    ...VaultReply.shape,
  }),
  errors: ['vault_not_found', 'not_creator'],
  run: ({ id, signerAddress: { text: address } }, context) => {
    const now = context.clock.now();
    return context.store.transaction(async (writer) => {
      // Check: the creator.
      const vault = await findVault(writer, id);
      checkCreator(vault, context.caller.text);

      // Record: a viewer, unless it is a member already.
      const role = roleIn(vault, address);
      const changed =
        role === null ? { ...vault, viewers: [...vault.viewers, address], updated_at: now } : vault;
      if (role === null) writer.put(vaultCollection, changed);
      return {
        message: `${address} ${role === null ? 'may read' : `is a ${role} of`} ${vault.name}`,
        signerAddress: address,
        signerRole: role ?? ('viewer' as const),
        ...(await showVault(changed, context.caller.text, writer)),
      };
    });
  },
  view: ({ message }) => [{ kind: 'text', text: `${message}.` }],
});
