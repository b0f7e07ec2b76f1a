/** The commitment of a vault's thread. Source: contracts/vaults/vault.cash. */
import { commitment } from '../../bch/commitment.js';

/** `version u8 | spends u32`, 5 bytes: what tells the thread from every other token of a vault. */
export const vaultState = commitment({ version: 'u8', spends: 'u32' });

export type VaultState = {
  readonly version: number;
  /** Spends that moved the thread. */
  readonly spends: number;
};

/** The state that the first deposit mints. */
export const initialState: VaultState = { version: 1, spends: 0 };

/**
 * The state that a thread carries.
 *
 * @throws Error when it is not one of ours, which the covenant and the genesis audit rule out
 */
export const readState = (hex: string): VaultState => {
  const state = vaultState.decode(hex);
  if (state === null) throw new Error(`${hex} is not the state of a vault`);
  return state;
};
