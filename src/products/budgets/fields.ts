/** Fields that several operations of budget plans take. */
import { z } from 'zod';

/** A plan by its id or its label. */
export const PlanId = z.string().min(1).max(100).describe('Budget plan id, or label such as BUDGET-0001');

/** A vault by its id or its on-chain id. */
export const VaultId = z.string().min(1).max(100).describe('Vault id, or its 64 hex digits on chain');
