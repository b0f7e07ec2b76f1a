/** A transaction the way a node shows it in full. Pure. */
import { disassembleBytecodeBch, hexToBin, lockingBytecodeToAddressContents } from '@bitauth/libauth';
import { addressOf } from '../../bch/address.js';
import { BCH_DECIMALS, displayNumber } from '../../bch/amount.js';
import type { Output } from '../../bch/coins.js';
import type { ChainTransaction, TransactionInput } from '../../bch/transaction.js';
import { showToken } from './script-methods.js';

const NO_TXID = '00'.repeat(32);
/** Names of a node for what libauth calls by the address type. */
const SCRIPT_TYPES: Readonly<Record<string, string>> = {
  P2PKH: 'pubkeyhash',
  P2SH20: 'scripthash',
  P2SH32: 'scripthash',
  P2PK: 'pubkey',
};

const showScript = (hex: string) => ({ asm: disassembleBytecodeBch(hexToBin(hex)), hex });

const showInput = ({ txid, vout, sequence, unlockingBytecode }: TransactionInput) =>
  txid === NO_TXID
    ? { coinbase: unlockingBytecode, sequence }
    : { txid, vout, scriptSig: showScript(unlockingBytecode), sequence };

const showOutput = (output: Output, index: number) => {
  const { lockingBytecode, satoshis } = output;
  const address = addressOf(lockingBytecode, 'local');
  const { type } = lockingBytecodeToAddressContents(hexToBin(lockingBytecode));
  const { token_data: tokenData } = showToken(output);
  return {
    value: displayNumber(satoshis, BCH_DECIMALS),
    n: index,
    scriptPubKey: {
      ...showScript(lockingBytecode),
      ...(address === null
        ? { type: lockingBytecode.startsWith('6a') ? 'nulldata' : 'nonstandard' }
        : {
            reqSigs: 1,
            type: SCRIPT_TYPES[type] ?? 'nonstandard',
            addresses: [address.text],
            tokenAddresses: [address.tokenText],
          }),
    },
    ...(tokenData === undefined ? {} : { tokenData }),
  };
};

/** Where a transaction is in the chain. */
export type BlockFacts = {
  readonly blockhash: string;
  readonly confirmations: number;
  /** Unix seconds. */
  readonly time: number;
};

/** `getrawtransaction` with `verbose`, as Bitcoin Cash Node answers it. */
export const showTransaction = (
  hex: string,
  { transaction }: ChainTransaction,
  block: BlockFacts | null,
): Record<string, unknown> => {
  const { txid, version, locktime, inputs, outputs } = transaction;
  return {
    txid,
    hash: txid,
    version,
    size: hex.length / 2,
    locktime,
    vin: inputs.map(showInput),
    vout: outputs.map(showOutput),
    hex,
    ...(block === null ? {} : { ...block, blocktime: block.time }),
  };
};
