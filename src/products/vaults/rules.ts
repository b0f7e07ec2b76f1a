/** The rules of vaults and their spends: pure. */
import type { Address } from '../../bch/address.js';
import { sameOutpoint, type Outpoint } from '../../bch/coins.js';
import { TreasuryError } from '../../errors.js';
import { SPEND_MOVES, type SpendMove, type SpendRecord, type SpendStatus } from './spend.js';
import { SIGNATURES_NEEDED, type VaultRecord, type VaultRole } from './vault.js';

type Members = Pick<VaultRecord, 'creator' | 'signers' | 'viewers'>;

/** What an address is to a vault, the highest role first; null when it is no member. */
export const roleIn = (vault: Members, address: string | null): VaultRole | null => {
  if (address === null) return null;
  if (vault.creator === address) return 'creator';
  if (vault.signers.includes(address)) return 'signer';
  return vault.viewers.includes(address) ? 'viewer' : null;
};

/** True for those who may read a vault: anybody a public one, its members a private one. */
export const mayRead = (vault: Members & Pick<VaultRecord, 'is_public'>, caller: Address | null): boolean =>
  vault.is_public || roleIn(vault, caller?.text ?? null) !== null;

/** Checks that somebody may read a vault and what is scoped to it. @throws private_vault */
export const checkVaultReader = (
  vault: Members & Pick<VaultRecord, 'id' | 'is_public'>,
  caller: Address | null,
): void => {
  if (!mayRead(vault, caller))
    throw new TreasuryError('private_vault', { vault: vault.id, caller: caller?.text ?? 'nobody' });
};

/** Checks that somebody is the creator. @throws not_creator */
export const checkCreator = ({ creator }: Pick<VaultRecord, 'creator'>, caller: string): void => {
  if (creator !== caller) throw new TreasuryError('not_creator', { creator, caller });
};

/** Checks that somebody is one of the three signers. @throws not_vault_signer */
export const checkSigner = (
  { name, signers }: Pick<VaultRecord, 'name' | 'signers'>,
  caller: string,
): void => {
  if (!signers.includes(caller)) throw new TreasuryError('not_vault_signer', { vault: name, caller });
};

/** What a spend's signatures make of it while it is not on chain. */
export const statusBySignatures = ({ signatures }: Pick<SpendRecord, 'signatures'>): SpendStatus =>
  signatures.length >= SIGNATURES_NEEDED ? 'READY' : 'PENDING';

/** Checks that a move of a spend may start. @throws coins_gone, wrong_state */
export const checkSpendStatus = (
  { label, status, gone }: Pick<SpendRecord, 'label' | 'status' | 'gone'>,
  move: SpendMove,
): void => {
  const allowed: readonly string[] = SPEND_MOVES[move];
  if (allowed.includes(status)) return;
  if (status === 'GONE') throw new TreasuryError('coins_gone', { label, outpoint: gone ?? '' });
  throw new TreasuryError('wrong_state', { label, status, allowed });
};

/** Checks that somebody has not signed a spend yet. @throws already_signed */
export const checkNotSigned = ({ signatures }: Pick<SpendRecord, 'signatures'>, signer: string): void => {
  if (signatures.some((signature) => signature.signer === signer)) {
    throw new TreasuryError('already_signed', { signer });
  }
};

type Lease = Pick<SpendRecord, 'coins' | 'label'>;

/** The labels of the spends that hold some of these coins. */
export const holdersOf = (open: readonly Lease[], coins: readonly Outpoint[]): readonly string[] =>
  open
    .filter((spend) => spend.coins.some((leased) => coins.some((coin) => sameOutpoint(leased, coin))))
    .map(({ label }) => label);

/** True for the coins of a vault that no open spend holds. */
export const isFree =
  (open: readonly Lease[]) =>
  (coin: Outpoint): boolean =>
    holdersOf(open, [coin]).length === 0;
