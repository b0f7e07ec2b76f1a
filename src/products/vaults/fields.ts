/** Fields that several operations of vaults take. */
import { z } from 'zod';

/** A vault by either of its ids. */
export const VaultId = z.string().min(1).max(100).describe('Vault id, or its on-chain id of 64 hex digits');

/** A spend by its id or its label. */
export const SpendId = z.string().min(1).max(100).describe('Spend id, or label such as SPEND-0001');
