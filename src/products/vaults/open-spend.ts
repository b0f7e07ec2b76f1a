/** A spend together with its vault, both as the chain has them now. */
import type { ChainTransaction } from '../../bch/transaction.js';
import type { Context } from '../../operation/context.js';
import type { RunContext } from '../../operation/define.js';
import { followVault } from './follow-vault.js';
import { findSpend, findVault } from './records.js';
import { checkSigner, checkVaultReader } from './rules.js';
import type { Signing } from './signing.js';
import type { SpendRecord } from './spend.js';
import type { VaultRecord } from './vault.js';

/** Which spend is asked for. */
export type SpendPath = { readonly id: string; readonly spendId: string };

export type OpenedSpend = Signing & { readonly vault: VaultRecord; readonly spend: SpendRecord };

const openedSpend = async (
  { id, spendId }: SpendPath,
  context: Context,
  candidates: readonly ChainTransaction[],
): Promise<OpenedSpend> => {
  const vault = await followVault(id, context, candidates);
  return { vault, spend: findSpend(context.store, spendId, vault.id), network: context.network };
};

/**
 * A spend for somebody who may read its vault.
 *
 * @param candidates transactions that may not be in the vault's history yet
 * @throws vault_not_found, private_vault, spend_not_found, chain_unavailable
 */
export const readSpend = (
  path: SpendPath,
  context: RunContext<'address'>,
  candidates: readonly ChainTransaction[] = [],
): Promise<OpenedSpend> => {
  checkVaultReader(findVault(context.store, path.id), context.caller);
  return openedSpend(path, context, candidates);
};

/**
 * A spend for one of the three signers.
 *
 * @throws vault_not_found, private_vault, not_vault_signer, spend_not_found, chain_unavailable
 */
export const openSpend = (path: SpendPath, context: RunContext<'address'>): Promise<OpenedSpend> => {
  const vault = findVault(context.store, path.id);
  checkVaultReader(vault, context.caller);
  checkSigner(vault, context.caller.text);
  return openedSpend(path, context, []);
};
