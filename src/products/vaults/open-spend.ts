/** A vault, and a spend together with its vault, as the chain has them now. */
import { z } from 'zod';
import type { ChainTransaction } from '../../bch/transaction.js';
import type { ErrorCode } from '../../errors.js';
import { FOLLOW_ERRORS, VAULT_ERRORS, type RunContext } from '../../operation/define.js';
import { readableVault } from './access.js';
import { followVault } from './follow-vault.js';
import { findSpend, labelVaults } from './records.js';
import { checkCreator, checkSigner } from './rules.js';
import type { Signing } from './signing.js';
import type { SpendRecord } from './spend.js';
import type { VaultRecord } from './vault.js';

/** A vault by either of its ids. */
export const VaultId = z
  .string()
  .min(1)
  .max(100)
  .describe('Vault id, label such as VAULT-0001, or on-chain id of 64 hex digits');

/** Which spend is asked for. A route names its vault too, and it must be of that; a command names the spend alone. */
export const SpendPath = z.object({
  id: VaultId.optional().describe('Default: the vault of the spend'),
  spendId: z.string().min(1).max(100).describe('Spend id, or label such as SPEND-0001'),
});

/** What a command about one spend takes by position. */
export const SPEND_PLACE = { positional: ['spendId'], hidden: ['id'] } as const;

/** The codes of an operation on one spend. */
export const SPEND_ERRORS: readonly ErrorCode[] = [...VAULT_ERRORS, 'spend_not_found', ...FOLLOW_ERRORS];
/** {@link SPEND_ERRORS}, for one of the three signers. */
export const SIGNER_ERRORS: readonly ErrorCode[] = [...SPEND_ERRORS, 'not_vault_signer'];
/** What signing is refused with. */
export const SIGNING_ERRORS: readonly ErrorCode[] = [
  ...SIGNER_ERRORS,
  'wrong_state',
  'coins_gone',
  'already_signed',
];

export type OpenedSpend = Signing & { readonly spend: SpendRecord };

/** Who may go on with a vault: whoever may read it, one of the three, or who made it. */
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
  const { text: caller } = context.caller;
  await labelVaults(context.store);
  const vault = await readableVault(id, context);
  if (allowed === 'signer') checkSigner(vault, caller);
  if (allowed === 'creator') checkCreator(vault, caller);
  return followVault(vault.id, context, candidates);
};

/**
 * A spend together with its vault, for one of the three signers, or for a reader.
 *
 * @throws spend_not_found, and as {@link openVault}
 */
export const openSpend = async (
  { id, spendId }: z.output<typeof SpendPath>,
  context: RunContext<'address'>,
  allowed: Allowed = 'signer',
  candidates: readonly ChainTransaction[] = [],
): Promise<OpenedSpend> => {
  const { store, network } = context;
  const vaultId = id ?? (await findSpend(store, spendId)).vault_id;
  const vault = await openVault(vaultId, context, allowed, candidates);
  return { vault, spend: await findSpend(store, spendId, vault.id), network };
};
