/** Why attacks do not apply, where many contracts share the reason. */
import type { ContractCases } from './cases.js';

const onReserve = 'tried on TokenReserve, which decides it';
/** A script cannot see the funding transaction of its own coin. */
export const AUDITED = 'a script cannot see the funding transaction: the genesis audit refuses (rule 11)';

/** The attacks that only the vault knows. */
export const VAULT_ONLY = {
  'vault-keys': 'Vault only',
  'vault-hash-type': 'Vault only',
  'vault-thread': 'Vault only',
} as const satisfies ContractCases['absent'];

/** The attacks that only votes know. */
export const VOTE_LOCK_ONLY = {
  'early-unlock': 'VoteLock only',
  ballots: 'VoteLock only',
} as const satisfies ContractCases['absent'];

/** What applies to no covenant with a thread and a pool. */
export const COVENANT_ABSENT = {
  alone: onReserve,
  batch: onReserve,
  'forged-nft': onReserve,
  twin: AUDITED,
  ...VAULT_ONLY,
  ...VOTE_LOCK_ONLY,
} as const satisfies ContractCases['absent'];
