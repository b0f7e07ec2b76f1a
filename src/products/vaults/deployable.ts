/** What the registry, the audit and the monitor need to know of vaults. */
import { defineDeployable } from '../../record/deployable.js';
import { checkVaultTerms, vaultContract } from './contract.js';
import { vaultFollowing } from './follow-vault.js';
import { vaultMovements } from './movements.js';
import { mayRead } from './rules.js';
import { vaultGenesis } from './transactions.js';
import {
  NOTHING_HELD,
  UNFUNDED,
  VAULT_LABEL,
  vaultCollection,
  vaultTopic,
  type VaultRecord,
} from './vault.js';

export const deployable = defineDeployable<VaultRecord>({
  contractType: () => 'Vault',
  module: 'vaults',
  entityType: 'vault',
  collection: vaultCollection,
  label: (vault) => vault.name,
  contract: vaultContract,
  checkTerms: checkVaultTerms,
  genesis: (vault, { network }) => [
    vaultGenesis(vault, vault.genesis_satoshis ?? vault.total_deposit, network),
  ],
  takesPayments: true,
  // A vault has no pool: all that is at its address is its own.
  remaining: () => null,
  tokenCategory: () => null,
  movements: vaultMovements,
  parties: ({ creator, signers }) => ({
    creator,
    ...Object.fromEntries(signers.map((signer, index) => [`signer${index + 1}`, signer])),
  }),
  following: vaultFollowing,
  told: {
    kind: 'vault',
    collection: vaultCollection,
    topic: vaultTopic,
    readable: (caller) => Promise.resolve((vault: VaultRecord) => mayRead(vault, caller)),
  },
  localLabelKind: VAULT_LABEL,
  reset: (vault) => ({ ...vault, ...UNFUNDED, ...NOTHING_HELD }),
  otherNames: ({ label }) => (label === null ? [] : [label]),
  // Anybody may pay to it at any time.
  isLive: () => true,
});
