/** The records of a vault and of its spends, their statuses and their moves. */
import { z } from 'zod';
import { Hex, Hex32, Units } from '../../bch/fields.js';
import { ArtifactFingerprint } from '../../covenant/artifact.js';
import { ThreadPointer } from '../../covenant/thread.js';
import { defineCollection } from '../../operation/ports/store.js';

/** `pending` until the first deposit has minted the state thread. Source: specification, States. */
export const VAULT_STATUSES = ['pending', 'active'] as const;
export type VaultStatus = (typeof VAULT_STATUSES)[number];

/** What somebody is to a vault. Only signers sign; a viewer reads. */
export type VaultRole = 'creator' | 'signer' | 'viewer';

/** How many signers a vault has, and how many of them sign a spend. */
export const SIGNERS = 3;
export const SIGNATURES_NEEDED = 2;

/** A fungible amount and a number of NFTs of one category, as the chain holds them. */
export const Holding = z.object({ category: Hex32, amount: Units, nfts: z.int().min(0) });
export type Holding = z.output<typeof Holding>;

/** Amounts are in satoshis; times in unix seconds; addresses in their `q`/`p` form. */
export const VaultRecord = z.object({
  id: z.string(),
  /** The 32 bytes that make this deployment distinct: `vaultId` on the wire. */
  on_chain_vault_id: Hex32,
  name: z.string(),
  creator: z.string(),
  /** Three, in the order of their keys. */
  signers: z.array(z.string()),
  /** 33 bytes each, as hex. */
  signer_pubkeys: z.array(Hex),
  /** Who may read a private vault besides its creator and signers. */
  viewers: z.array(z.string()),
  total_deposit: Units,
  is_public: z.boolean(),
  contract_address: z.string(),
  constructor_params: z.array(z.string()),
  /** The version of the contract that lies at the address. */
  artifact_fingerprint: ArtifactFingerprint,

  /** From here on: the fold of the chain. */
  status: z.enum(VAULT_STATUSES),
  /** The first deposit, which minted the thread. */
  tx_hash: Hex32.nullable(),
  /** What the first deposit put into the thread's output. */
  genesis_satoshis: Units.nullable(),
  /** The transaction of the thread's last move. */
  last_tx_hash: Hex32.nullable(),
  thread: ThreadPointer.nullable(),
  /** Spends that moved the thread, as its state counts them. */
  spends: z.int(),
  /** All satoshis at the address, and those that one spend can pay out, when the chain was last read. */
  balance: Units,
  spendable: Units,
  /** Satoshis that no spend can ever move; see `coins.ts`. */
  stuck: Units.default(0n),
  tokens: z.array(Holding),

  created_at: z.int(),
  updated_at: z.int(),
});
export type VaultRecord = z.output<typeof VaultRecord>;

export const vaultCollection = defineCollection({
  name: 'vaults',
  schema: VaultRecord,
  indexes: {
    on_chain_id: (vault) => vault.on_chain_vault_id,
    creator: (vault) => vault.creator,
    signer: (vault) => vault.signers,
    viewer: (vault) => vault.viewers,
    visibility: (vault) => (vault.is_public ? 'public' : 'private'),
    contract: (vault) => vault.contract_address,
    status: (vault) => vault.status,
  },
});
