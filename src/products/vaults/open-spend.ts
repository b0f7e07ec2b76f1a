/** A vault, and a spend together with its vault, as the chain has them now. */
import { z } from 'zod';
import type { ChainTransaction } from '../../bch/transaction.js';
import type { RunContext } from '../../operation/define.js';
import { SpendId, VaultId } from './fields.js';
import { followVault } from './follow-vault.js';
import { findSpend, findVault } from './records.js';
import { checkCreator, checkSigner, checkVaultReader } from './rules.js';
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

export type OpenedSpend = Signing & { readonly vault: VaultRecord; readonly spend: SpendRecord };

/** Who may go on with a vault: whoever may read it, or one of the three. */
type Allowed = 'reader' | 'signer' | 'creator';

/**
 * A vault as the chain has it, for somebody who may go on with it.
 *
 * @param candidates transactions that may not be in the vault's history yet
 * @throws vault_not_found, private_vault, not_vault_signer, not_creator, {@link FOLLOW_ERRORS}
 */
export const openVault = async (
  id: string,
  context: RunContext<'address'>,
  allowed: Allowed = 'reader',
  candidates: readonly ChainTransaction[] = [],
): Promise<VaultRecord> => {
  const { store, caller } = context;
  const vault = await findVault(store, id);
  checkVaultReader(vault, caller);
  if (allowed === 'signer') checkSigner(vault, caller.text);
  if (allowed === 'creator') checkCreator(vault, caller.text);
  return followVault(vault.id, context, candidates);
};

/**
 * A spend together with its vault, for one of the three signers, or for a reader.
 *
 * @param candidates transactions that may not be in the vault's history yet
 * @throws spend_not_found, and as {@link openVault}
 */
export const openSpend = async (
  { id, spendId }: SpendPath,
  context: RunContext<'address'>,
  allowed: Allowed = 'signer',
  candidates: readonly ChainTransaction[] = [],
): Promise<OpenedSpend> => {
  const { store, network } = context;
  const vault = await openVault(
    id ?? (await findSpend(store, spendId)).vault_id,
    context,
    allowed,
    candidates,
  );
  return { vault, spend: await findSpend(store, spendId, vault.id), network };
};
