/** Which inputs of a wcTransaction wait for a wallet, as it stands in JSON. Source: wc2-bch-bcr, `bch_signTransaction`. */
import type { RemoteWallet, WalletTransaction } from '../remote-wallet.js';
import { asRecord } from '../shape.js';

/** Of signatures and of keys: placeholders of zeros. */
const HOLES: readonly string[] = ['00'.repeat(65), '00'.repeat(33)];

/** Hex of bytes in extended JSON; empty for anything else. */
const bytesIn = (value: unknown): string =>
  typeof value === 'string' ? (/^<Uint8Array: 0x((?:[0-9a-f]{2})*)>$/.exec(value)?.[1] ?? '') : '';

/** What a script pushes, as hex; nothing of one that cannot be read to its end. */
const pushesIn = (script: string): readonly string[] => {
  const pushes: string[] = [];
  let at = 0;
  const take = (bytes: number): string => script.slice(at, (at += 2 * bytes));
  const number = (bytes: number): number => parseInt((take(bytes).match(/../g) ?? []).reverse().join(''), 16);
  while (at < script.length) {
    const opcode = number(1);
    if (opcode === 0 || opcode > 0x4e) continue;
    const length = opcode < 0x4c ? opcode : number(2 ** (opcode - 0x4c));
    const data = take(length);
    if (data.length !== 2 * length) return [];
    pushes.push(data);
  }
  return pushes;
};

/** The inputs (from 0) in which something waits for a wallet: its own coins, and placeholders of contracts. */
export const inputsToSign = (
  { sourceOutputs }: Pick<WalletTransaction, 'sourceOutputs'>,
  { address }: Pick<RemoteWallet, 'address'>,
): readonly number[] =>
  sourceOutputs.flatMap((value, index) => {
    const { contract, lockingBytecode, unlockingBytecode } = asRecord(value);
    const unlocking = bytesIn(unlockingBytecode);
    const name = asRecord(asRecord(contract)['artifact'])['contractName'];
    const isAsked =
      typeof name === 'string' && name !== ''
        ? pushesIn(unlocking).some((push) => HOLES.includes(push))
        : unlocking === '' && bytesIn(lockingBytecode) === address.lockingBytecode;
    return isAsked ? [index] : [];
  });
