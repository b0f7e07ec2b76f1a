/**
 * Records whose terms do not give their address: damaged, on disk or by hand. Nothing on chain is taken for theirs, and
 * they are never taken for unfunded: the money at the covenant that the terms once gave would be forgotten.
 */
import { z } from 'zod';
import { TreasuryError } from '../errors.js';

type Addressed = { readonly contract_address: string };

/** From a record to the contract that its terms give; may throw where they give none. */
export type ContractOf<R> = (record: R) => { readonly address: { readonly text: string } };

// A record of the store is frozen and replaced when it changes, so what was derived from it holds as long as it lives.
const derived = new WeakMap<object, string | null>();

/** The address that the terms of a record give; null where no contract can be made of them. */
const addressByTerms = <R extends Addressed>(record: R, contractOf: ContractOf<R>): string | null => {
  const known = derived.get(record);
  if (known !== undefined) return known;
  let address: string | null = null;
  try {
    address = contractOf(record).address.text;
  } catch {
    // Terms out of every range: no contract.
  }
  derived.set(record, address);
  return address;
};

/** Why a record is damaged; null when its terms give its address. It is derived once for each state of a record. */
export const damageOf = <R extends Addressed>(
  record: R,
  contractOf: ContractOf<R>,
  label: string,
): TreasuryError | null => {
  const expected = addressByTerms(record, contractOf);
  const { contract_address: found } = record;
  return expected === found
    ? null
    : new TreasuryError('record_damaged', { label, expected: expected ?? 'none at all', found });
};

/** @throws record_damaged */
export const requireSound = <R extends Addressed>(
  record: R,
  contractOf: ContractOf<R>,
  label: string,
): void => {
  const damage = damageOf(record, contractOf, label);
  if (damage !== null) throw damage;
};

/** Stands in a listed record that is damaged. */
export const DamagedReply = z
  .literal(true)
  .optional()
  .describe('Present in a list when the terms here do not give the address: `treasury doctor` says more');

/** A record as a list shows it, which says of a damaged one that it is; others are shown as they are. */
export const markDamaged = <Shown extends object, R extends Addressed>(
  shown: Shown,
  record: R,
  contractOf: ContractOf<R>,
): Shown | (Shown & { readonly damaged: true }) =>
  damageOf(record, contractOf, '') === null ? shown : { ...shown, damaged: true };

/** The status of a listed record, or that it is damaged. */
export const statusText = ({
  status,
  damaged,
}: {
  readonly status: string;
  readonly damaged?: true | undefined;
}): string => (damaged === true ? 'DAMAGED' : status);
