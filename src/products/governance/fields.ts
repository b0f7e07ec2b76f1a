/** Fields that several operations of governance take. */
import { z } from 'zod';
import { AddressField } from '../../bch/fields.js';
import { CHOICES } from './proposal.js';

export const ProposalId = z.string().min(1).max(100).describe('Proposal id, or label such as VOTE-0001');
export const VaultId = z
  .string()
  .min(1)
  .max(100)
  .describe('Vault id, label such as VAULT-0001, or its 64 hex digits');
export const ChoiceField = z.enum(CHOICES).describe('FOR, AGAINST or ABSTAIN');
export const VoterField = AddressField.describe('Cash address of the voter');
