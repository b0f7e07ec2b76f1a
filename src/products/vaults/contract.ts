/** A vault's terms as constructor parameters, the address they give, and the state of the thread there. */
import { binToHex, hash160, hexToBin, secp256k1 } from '@bitauth/libauth';
import { parseAddress } from '../../bch/address.js';
import { commitment } from '../../bch/commitment.js';
import type { Network } from '../../bch/network.js';
import { bindContract, type CovenantContract } from '../../covenant/covenant-contract.js';
import type { Finding } from '../../covenant/genesis.js';
import { SIGNERS, type VaultRecord } from './vault.js';

/** The terms that the address binds. */
export type VaultTerms = Pick<
  VaultRecord,
  'artifact_fingerprint' | 'on_chain_vault_id' | 'signers' | 'signer_pubkeys'
>;

/** The contract of a vault. Constructor: vaultId, key1, key2, key3. */
export const vaultContract = (terms: VaultTerms, network: Network): CovenantContract =>
  bindContract(
    { name: 'vault', pinned: terms.artifact_fingerprint },
    [terms.on_chain_vault_id, ...terms.signer_pubkeys].map(hexToBin),
    network,
  );

/** The locking bytecode (hex) of a vault's address. */
export const lockOf = ({ contract_address: address }: Pick<VaultRecord, 'contract_address'>): string =>
  parseAddress(address).lockingBytecode;

/** `version u8 | spends u32`, 5 bytes: what tells the thread from every other token of a vault. */
export const vaultState = commitment({ version: 'u8', spends: 'u32' });

/** The state that the first deposit mints. */
export const initialState = { version: 1, spends: 0 };

/**
 * The state that a thread carries.
 *
 * @throws Error when it is not one of ours, which the covenant and the genesis audit rule out
 */
export const readState = (hex: string): typeof initialState => {
  const state = vaultState.decode(hex);
  if (state === null) throw new Error(`${hex} is not the state of a vault`);
  return state;
};

/** 33 bytes, compressed, a point of the curve. */
const isPublicKey = (key: string): boolean =>
  /^0[23][0-9a-f]{64}$/.test(key) && secp256k1.validatePublicKey(hexToBin(key));

const keyProblem = ({ signers, signer_pubkeys: keys }: VaultTerms, index: number): string | null => {
  const key = keys[index] ?? '';
  if (!isPublicKey(key)) return `${key} must be a compressed public key: 33 bytes that begin with 02 or 03`;
  // One x with the other sign is the same person with a key that anybody can work out from the first.
  if (keys.slice(0, index).some((other) => other.slice(2) === key.slice(2))) {
    return `${key} is the key of an earlier signer: three different people sign`;
  }
  const signer = signers[index];
  if (signer === undefined || parseAddress(signer).hash !== binToHex(hash160(hexToBin(key)))) {
    return `${key} is not the key of ${signer ?? 'a signer'}: keys stand in the order of their addresses`;
  }
  return null;
};

const signerProblem = ({ signers }: VaultTerms, index: number): string | null => {
  const signer = signers[index] ?? '';
  if (parseAddress(signer).kind !== 'p2pkh')
    return `${signer} must be the address of one key, since it signs`;
  if (signers.indexOf(signer) < index) return `${signer} is an earlier signer: three different people sign`;
  return null;
};

const finding = (check: string, problem: string | null, fine: string): Finding => ({
  check,
  ok: problem === null,
  detail: problem ?? fine,
});

/**
 * Checks the parameters: three signers, three keys of three people, each the key of its address.
 * Source: docs/design/covenants.md, rule 16.
 */
export const checkVaultTerms = (terms: VaultTerms): readonly Finding[] => {
  const count = (name: string, list: readonly string[]): Finding =>
    finding(
      name,
      list.length === SIGNERS ? null : `${list.length} given; exactly 3 are needed`,
      'three are given',
    );
  return [
    count('signers', terms.signers),
    count('signerPubkeys', terms.signer_pubkeys),
    ...terms.signers.map((signer, index) =>
      finding(`signers.${index}`, signerProblem(terms, index), `${signer} is the address of one key`),
    ),
    ...terms.signer_pubkeys.map((key, index) =>
      finding(`signerPubkeys.${index}`, keyProblem(terms, index), `${key} is the key of its signer`),
    ),
  ];
};
