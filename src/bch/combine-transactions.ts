/** Copies of one transaction that were signed apart: compared, and joined. How inputs are unlocked is no difference. */
import type { Output as LibauthOutput, Transaction as LibauthTransaction } from '@bitauth/libauth';
import type { WcSourceOutput } from 'cashscript';
import { TreasuryError } from '../errors.js';
import { addressOf } from './address.js';
import { BCH_DECIMALS, formatUnits } from './amount.js';
import type { Output, Token } from './coins.js';
import { isOpenInput, joinInput } from './combine-inputs.js';
import type { Network } from './network.js';
import { fromLibauthTransaction, type TransactionInput } from './transaction.js';
import { inputRefusal } from './virtual-machine.js';

const showToken = ({ category, amount, nft }: Token): string => {
  const said = nft === undefined ? '' : ` with an NFT (${nft.capability}, "${nft.commitment}")`;
  return `${amount} of ${category}${said}`;
};

/** `0.001 BCH to bchtest:...` */
const showPayment = ({ satoshis, token, lockingBytecode }: Output, network: Network): string => {
  const amounts = [
    `${formatUnits(satoshis, BCH_DECIMALS)} BCH`,
    ...(token === undefined ? [] : [showToken(token)]),
  ];
  return `${amounts.join(' and ')} to ${addressOf(lockingBytecode, network)?.text ?? lockingBytecode}`;
};

const showInput = ({ txid, vout, sequence }: TransactionInput): string =>
  `${txid}:${vout} (sequence ${sequence})`;

const firstDifference = <Item>(
  what: string,
  ours: readonly Item[],
  theirs: readonly Item[],
  show: (item: Item) => string,
): string | null => {
  if (ours.length !== theirs.length) return `it has ${theirs.length} ${what}s, not ${ours.length}`;
  for (const [index, item] of ours.entries()) {
    const [own, other] = [show(item), show(theirs[index] ?? item)];
    if (own !== other) return `its ${what} ${index} is ${other}, not ${own}`;
  }
  return null;
};

/**
 * In what the second transaction differs from the first, or null.
 *
 * @example
 * const later = { ...payment.transaction, locktime: 1 };
 * differenceOf(payment.transaction, later, 'local'); // 'its locktime is 1, not 0'
 */
export const differenceOf = (
  first: LibauthTransaction,
  second: LibauthTransaction,
  network: Network,
): string | null => {
  const [ours, theirs] = [fromLibauthTransaction(first), fromLibauthTransaction(second)];
  return (
    firstDifference('input', ours.inputs, theirs.inputs, showInput) ??
    firstDifference('output', ours.outputs, theirs.outputs, (output) => showPayment(output, network)) ??
    (ours.version === theirs.version ? null : `its version is ${theirs.version}, not ${ours.version}`) ??
    (ours.locktime === theirs.locktime ? null : `its locktime is ${theirs.locktime}, not ${ours.locktime}`)
  );
};

/** A copy of a transaction, and what it is called. */
export type NamedCopy = { readonly name: string; readonly transaction: LibauthTransaction };

/** One copy or more. */
type Copies = readonly [NamedCopy, ...NamedCopy[]];

const refuse = (file: string, reason: string): TreasuryError =>
  new TreasuryError('invalid_file', { file, reason });

/**
 * Copies of one transaction agree in everything but how their inputs are unlocked.
 *
 * @throws invalid_file naming the copy that differs, and in what
 * @example
 * const later = { ...payment.transaction, locktime: 1 };
 * requireSameTransaction(
 *   [{ name: 'a.json', transaction: later }, { name: 'b.json', transaction: payment.transaction }],
 *   'local',
 * ); // throws invalid_file
 */
export const requireSameTransaction = ([first, ...others]: Copies, network: Network): void => {
  for (const { name, transaction } of others) {
    const difference = differenceOf(first.transaction, transaction, network);
    if (difference === null) continue;
    throw refuse(name, `it is another transaction than ${first.name}: ${difference}`);
  }
};

/** Two copies that contradict each other in an input, by name. */
const contradictionOf = (copies: readonly NamedCopy[], index: number): TreasuryError => {
  const bytecodeOf = ({ transaction }: NamedCopy) =>
    transaction.inputs[index]?.unlockingBytecode ?? new Uint8Array();
  for (const [position, one] of copies.entries()) {
    const other = copies
      .slice(position + 1)
      .find((copy) => joinInput([bytecodeOf(one), bytecodeOf(copy)]).length === 0);
    if (other === undefined) continue;
    return refuse(
      other.name,
      `input ${index} is signed otherwise in ${one.name}: leave out the one that is not to count`,
    );
  }
  const names = copies.map(({ name }) => name).join(', ');
  return refuse(names, `input ${index} has more signatures in them than it has room for: leave one out`);
};

type Joined = { readonly transaction: LibauthTransaction; readonly sourceOutputs: readonly LibauthOutput[] };

const withInput = ({ transaction, sourceOutputs }: Joined, index: number, bytecode: Uint8Array): Joined => ({
  sourceOutputs,
  transaction: {
    ...transaction,
    inputs: transaction.inputs.map((input, position) =>
      position === index ? { ...input, unlockingBytecode: bytecode } : input,
    ),
  },
});

/** One input joined; of several answers that which the VM takes. @throws invalid_file, tx_script_failed */
const joinAt = (joined: Joined, copies: readonly NamedCopy[], index: number): Joined => {
  const bytecodes = copies.map(
    ({ transaction }) => transaction.inputs[index]?.unlockingBytecode ?? new Uint8Array(),
  );
  const answers = joinInput(bytecodes).map((bytecode) => withInput(joined, index, bytecode));
  const [first] = answers;
  if (first === undefined) throw contradictionOf(copies, index);
  if (isOpenInput(first.transaction.inputs[index]?.unlockingBytecode ?? new Uint8Array())) return first;
  const taken = answers.find((answer) => inputRefusal(answer, index) === null);
  if (taken !== undefined) return taken;
  const reason = `input ${index} does not unlock its coin: ${inputRefusal(first, index) ?? ''}`;
  throw new TreasuryError('tx_script_failed', { reason });
};

/**
 * One transaction with the signatures of all copies. Each input that has all of its signatures was run in the VM.
 *
 * @param copies the same transaction but for what unlocks its inputs, see {@link requireSameTransaction}
 * @returns the transaction, and the indexes of the inputs that still wait for a signature
 * @throws invalid_file (copies contradict each other), tx_script_failed (a signature is none of this input)
 * @example
 * const signed = decodeRaw(signWalletTransaction(request, alice).transaction);
 * const copies = [{ name: 'a.json', transaction: payment.transaction }, { name: 'b.json', transaction: signed }];
 * combineCopies(copies, payment.sourceOutputs).openInputs; // []
 */
export const combineCopies = (
  copies: Copies,
  sourceOutputs: readonly WcSourceOutput[],
): { readonly transaction: LibauthTransaction; readonly openInputs: readonly number[] } => {
  const start: Joined = { transaction: copies[0].transaction, sourceOutputs };
  const { transaction } = start.transaction.inputs.reduce<Joined>(
    (joined, _input, index) => joinAt(joined, copies, index),
    start,
  );
  const openInputs = transaction.inputs.flatMap(({ unlockingBytecode }, index) =>
    isOpenInput(unlockingBytecode) ? [index] : [],
  );
  return { transaction, openInputs };
};
