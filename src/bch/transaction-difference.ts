/** In what two transactions differ, in words; how their inputs are unlocked is no difference. */
import type { Transaction as LibauthTransaction } from '@bitauth/libauth';
import { addressOf } from './address.js';
import { BCH_DECIMALS, formatUnits } from './amount.js';
import type { Output, Token } from './coins.js';
import type { Network } from './network.js';
import { fromLibauthTransaction, type TransactionInput } from './transaction.js';

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

/** In what the second transaction differs from the first, or null. */
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
