/** Whom a pool may pay: anybody but itself. */
import { parseAddress, type Address } from '../bch/address.js';
import type { Network } from '../bch/network.js';
import { TreasuryError } from '../errors.js';
import { reserveContract } from './reserve.js';
import type { ThreadPointer } from './thread.js';

/** A covenant that pays, and where its thread is. */
export type Payer = {
  /** Cash address. */
  readonly contract_address: string;
  readonly thread: ThreadPointer | null;
};

/**
 * Checks that an address is neither the contract's own nor its reserve's: what is paid there is in no pool, and lost or
 * a gift to whoever moves the contract next.
 *
 * @param field what to call the address in the error
 * @throws not_payable
 */
export const checkPayee = (
  { text, lockingBytecode }: Address,
  field: string,
  { contract_address, thread }: Payer,
  network: Network,
): void => {
  const refuse = (reason: string) => new TreasuryError('not_payable', { field, value: text, reason });
  const { lockingBytecode: contract } = parseAddress(contract_address);
  if (lockingBytecode === contract) throw refuse('it is the contract itself');
  if (thread === null) return;
  const reserve = reserveContract(thread.category, contract, network);
  if (lockingBytecode === reserve.lockingBytecode) throw refuse('it is the reserve of the contract');
};
