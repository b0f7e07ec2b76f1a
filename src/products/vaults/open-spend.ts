/** A spend together with its vault, both as the chain has them now. */
import { z } from 'zod';
import type { ChainTransaction } from '../../bch/transaction.js';
import type { Context } from '../../operation/context.js';
import type { RunContext } from '../../operation/define.js';
import type { StoreReader } from '../../operation/ports/store.js';
import { SpendId, VaultId } from './fields.js';
import { followVault } from './follow-vault.js';
import { findSpend, findVault } from './records.js';
import { checkSigner, checkVaultReader } from './rules.js';
import type { Signing } from './signing.js';
import type { SpendRecord } from './spend.js';
import type { VaultRecord } from './vault.js';

/** Which spend is asked for. A route names its vault too, and it must be of that; a command names the spend alone. */
export const SpendPath = z.object({
  id: VaultId.optional().describe('Default: the vault of the spend'),
  spendId: SpendId,
});
type SpendPath = z.output<typeof SpendPath>;

/** What a command about one spend takes by position. */
export const SPEND_PLACE = { positional: ['spendId'], hidden: ['id'] } as const;

/** @throws vault_not_found, spend_not_found */
const vaultOf = async ({ id, spendId }: SpendPath, store: StoreReader): Promise<VaultRecord> =>
  findVault(store, id ?? (await findSpend(store, spendId)).vault_id);

export type OpenedSpend = Signing & { readonly vault: VaultRecord; readonly spend: SpendRecord };

const openedSpend = async (
  { id }: VaultRecord,
  spendId: string,
  context: Context,
  candidates: readonly ChainTransaction[] = [],
): Promise<OpenedSpend> => {
  const vault = await followVault(id, context, candidates);
  return { vault, spend: await findSpend(context.store, spendId, vault.id), network: context.network };
};

/**
 * A spend for somebody who may read its vault.
 *
 * @param candidates transactions that may not be in the vault's history yet
 * @throws vault_not_found, private_vault, spend_not_found, chain_unavailable
 */
export const readSpend = async (
  path: SpendPath,
  context: RunContext<'address'>,
  candidates: readonly ChainTransaction[] = [],
): Promise<OpenedSpend> => {
  const vault = await vaultOf(path, context.store);
  checkVaultReader(vault, context.caller);
  return openedSpend(vault, path.spendId, context, candidates);
};

/**
 * A spend for one of the three signers.
 *
 * @throws vault_not_found, private_vault, not_vault_signer, spend_not_found, chain_unavailable
 */
export const openSpend = async (path: SpendPath, context: RunContext<'address'>): Promise<OpenedSpend> => {
  const vault = await vaultOf(path, context.store);
  checkVaultReader(vault, context.caller);
  checkSigner(vault, context.caller.text);
  return openedSpend(vault, path.spendId, context);
};
