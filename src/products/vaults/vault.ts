/** The record of a vault, and its statuses. */
import { z } from 'zod';
import { Hex, Hex32, Units } from '../../bch/fields.js';
import { ArtifactFingerprint } from '../../covenant/artifact.js';
import { ThreadPointer } from '../../covenant/thread.js';
import type { Topic } from '../../record/tell-move.js';
import { OwnWordsFields } from '../../record/own-words.js';
import { defineCollection } from '../../operation/ports/store.js';
import { labelIndexes, LocalLabel } from '../../record/local-label.js';
import { LIVE, reserveIndex } from '../../record/pool-record.js';

/** `pending` until the first deposit has minted the state thread. Source: docs/design/api.md. */
export const VAULT_STATUSES = ['pending', 'active'] as const;

/** What somebody is to a vault, the highest role first. Only signers sign; a viewer reads. */
export const VAULT_ROLES = ['creator', 'signer', 'viewer'] as const;
export type VaultRole = (typeof VAULT_ROLES)[number];

/** How many signers a vault has, and how many of them sign a spend. */
export const SIGNERS = 3;
export const SIGNATURES_NEEDED = 2;

/** A fungible amount and a number of NFTs of one category, as the chain holds them. */
export const Holding = z.object({
  category: Hex32,
  amount: Units,
  nfts: z.int().min(0).describe('NFTs of the category, the state thread apart'),
});

/** Amounts are in satoshis; times in unix seconds; addresses in their `q`/`p` form. */
export const VaultRecord = z.object({
  id: z.string(),
  label: LocalLabel,
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
  tx_hash: Hex32.nullable().describe('The first deposit'),
  /** What the first deposit put into the thread's output. */
  genesis_satoshis: Units.nullable(),
  /** The transaction of the thread's last move. */
  last_tx_hash: Hex32.nullable(),
  thread: ThreadPointer.nullable(),
  spends: z.int().describe('Spends that moved the thread, as its state counts them'),
  /** As they were when the chain was last read. */
  balance: Units.describe('BCH at the address, whoever sent it'),
  spendable: Units.describe('BCH that one spend can pay out: less what the thread and tokens ride on'),
  /** See `coins.ts`. */
  stuck: Units.default(0n).describe(
    'BCH that can never move: somebody glued an NFT to it that the contract of version 0.1.0 takes for its thread',
  ),
  tokens: z.array(Holding),

  created_at: z.int(),
  updated_at: z.int(),
  ...OwnWordsFields,
});
export type VaultRecord = z.output<typeof VaultRecord>;

/** What the event log says of a vault. */
export const vaultTopic = ({ id, label, name, creator, signers }: VaultRecord): Topic => ({
  subject: { kind: 'vault', label: label ?? name, id },
  parties: [creator, ...signers],
  category: null,
});

/** What the chain determines of a vault's thread, as it is before the first deposit. */
export const UNFUNDED = {
  status: 'pending',
  tx_hash: null,
  genesis_satoshis: null,
  last_tx_hash: null,
  thread: null,
  spends: 0,
} satisfies Partial<VaultRecord>;

/** What a vault holds where nobody has sent anything. */
export const NOTHING_HELD = {
  balance: 0n,
  spendable: 0n,
  stuck: 0n,
  tokens: [],
} satisfies Partial<VaultRecord>;

/** `VAULT` of `#VAULT-0001`. */
export const VAULT_LABEL = 'VAULT';

export const vaultCollection = defineCollection({
  name: 'vaults',
  schema: VaultRecord,
  indexes: {
    ...labelIndexes,
    on_chain_id: (vault) => vault.on_chain_vault_id,
    creator: (vault) => vault.creator,
    signer: (vault) => vault.signers,
    viewer: (vault) => vault.viewers,
    visibility: (vault) => (vault.is_public ? 'public' : 'private'),
    contract: (vault) => vault.contract_address,
    /** Anybody may pay to it at any time. */
    live: () => LIVE,
    ...reserveIndex,
    status: (vault) => vault.status,
  },
  many: ['signer', 'viewer'],
});
