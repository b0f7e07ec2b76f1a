/** The vaults that concern a caller, by role. */
import { z } from 'zod';
import { markDamaged } from '../../../record/damaged.js';
import { defineOperation } from '../../../operation/define.js';
import { vaultContract } from '../contract.js';
import { showVault, VaultReply } from '../reply.js';
import { labelVaults } from '../records.js';
import { roleIn } from '../rules.js';
import { vaultCollection } from '../vault.js';
import { viewVaults } from '../view.js';

const Vaults = z.array(VaultReply);

export const list = defineOperation({
  id: 'vaults.list',
  summary: 'List the vaults you created, sign for, or may read',
  description:
    'The first three lists are disjoint. Balances are the last known: reading one vault asks the chain. Newest first.',
  http: { method: 'GET', path: '/api/vaults' },
  auth: 'address',
  input: z.object({}),
  output: z.object({
    created: Vaults.describe('Those you created'),
    signerIn: Vaults.describe('Those of others that you sign for'),
    public: Vaults.describe('Public ones of others'),
    all: Vaults.describe('All of these, and the private ones you may view'),
  }),
  errors: [],
  run: async (_input, { store, caller: { text: address }, network }) => {
    await labelVaults(store);
    const show = async (
      where: Readonly<Partial<Record<'creator' | 'signer' | 'visibility' | 'viewer', string>>>,
      ...roles: readonly (string | null)[]
    ) => {
      const { items } = await store.find(vaultCollection, {
        where,
        filter: (vault) => roles.includes(roleIn(vault, address)),
      });
      return await Promise.all(
        items.map(async (vault) =>
          markDamaged(await showVault(vault, address, store), vault, (one) => vaultContract(one, network)),
        ),
      );
    };
    const created = await show({ creator: address }, 'creator');
    const signerIn = await show({ signer: address }, 'signer');
    const open = await show({ visibility: 'public' }, 'viewer', null);
    const viewed = await show({ viewer: address, visibility: 'private' }, 'viewer');
    const all = [...created, ...signerIn, ...open, ...viewed].sort((a, b) => b.createdAt - a.createdAt);
    return { created, signerIn, public: open, all };
  },
  view: ({ all }) => viewVaults(all),
});
