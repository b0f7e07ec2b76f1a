/** A transaction the way a node shows it in full. Pure. */
import { disassembleBytecodeBch, hexToBin, lockingBytecodeToAddressContents } from '@bitauth/libauth';
import { addressOf } from '../../bch/address.js';
import { BCH_DECIMALS, displayNumber } from '../../bch/amount.js';
import { sameOutpoint, type Output } from '../../bch/coins.js';
import type { ChainTransaction, TransactionInput } from '../../bch/transaction.js';
import { scriptHashOf } from '../electrum/replies.js';
import { hashHeader, proveMerkle } from '../../bch/block-header.js';
import type { LocalChain } from '../local-chain/local-chain.js';
import { refusal, RPC_CODE } from './json-rpc.js';
import {
  readHash,
  readHeight,
  readSwitch,
  answerSubscription,
  type MethodTable,
  type Site,
  type Subscription,
} from './session.js';
import { broadcastAsNode } from './rejection.js';
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
const showTransaction = (
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

const readTxid = (value: unknown): string => readHash(value, 'Invalid tx hash');

/** Worded as ElectrumX printed it, which Fulcrum kept. */
const unknownTransaction = () =>
  refusal(
    "daemon error: DaemonError({'code': -5, 'message': 'No such mempool or blockchain transaction. " +
      "Use gettransaction for wallet transactions.'})",
    RPC_CODE.daemonError,
  );

// The bytes of a transaction are asked of the node, as other indexers do.
const getTransaction = async ([given, verbose]: readonly unknown[], { node: chain }: Site) => {
  const txid = readTxid(given);
  const isVerbose = readSwitch(verbose, 'Invalid verbose argument; expected boolean');
  const [raw, known] = await Promise.all([chain.rawTransaction(txid), chain.transaction(txid)]);
  if (raw === null || known === null) throw unknownTransaction();
  if (!isVerbose) return raw;
  const { height, blockTime } = known;
  if (height === null || blockTime === null) return showTransaction(raw, known, null);
  const [header, tip] = await Promise.all([chain.header(height), chain.tip()]);
  return showTransaction(raw, known, {
    blockhash: hashHeader(header ?? ''),
    confirmations: tip.height - height + 1,
    time: blockTime,
  });
};

/** Height of its block, 0 in the mempool, null when it is unknown. Source: protocol 1.4.5. */
export const heightOf = async (chain: LocalChain, txid: string): Promise<number | null> => {
  const known = await chain.transaction(txid);
  return known === null ? null : (known.height ?? 0);
};

const getMerkle = async ([given, heightGiven]: readonly unknown[], { chain }: Site) => {
  const txid = readTxid(given);
  const known = await heightOf(chain, txid);
  if (known === null || known === 0) {
    throw refusal('No confirmed transaction matching the requested hash was found');
  }
  const complaint = 'Invalid height argument; expected non-negative numeric value';
  const height = readHeight(heightGiven, complaint, known);
  const txids = (await chain.blockTxids(height)) ?? [];
  const position = txids.indexOf(txid);
  if (position < 0) {
    throw refusal(`No transaction matching the requested hash found at height ${height}`);
  }
  return { block_height: height, pos: position, merkle: proveMerkle(txids, position).branch };
};

const getIdFromPosition = async ([height, position, merkle]: readonly unknown[], { chain }: Site) => {
  const wantedHeight = readHeight(height, 'Invalid height argument; expected non-negative numeric value');
  const wanted = readHeight(position, 'Invalid tx_pos argument; expected non-negative numeric value');
  const isProven = readSwitch(merkle, 'Invalid merkle argument; expected boolean');
  const txids = (await chain.blockTxids(wantedHeight)) ?? [];
  const txid = txids[wanted];
  if (txid === undefined) throw refusal(`No transaction at position ${wanted} for height ${wantedHeight}`);
  return isProven ? { tx_hash: txid, merkle: proveMerkle(txids, wanted).branch } : txid;
};

/** The coin at an outpoint, or null when it is spent or was never there. */
const getCoin = async ([txidGiven, voutGiven]: readonly unknown[], { chain }: Site) => {
  const outpoint = {
    txid: readTxid(txidGiven),
    vout: readHeight(voutGiven, 'Invalid tx out number: expected a value >= 0 and <= 65535'),
  };
  const source = await chain.transaction(outpoint.txid);
  const output = source?.transaction.outputs[outpoint.vout];
  if (output === undefined) return null;
  const coins = await chain.unspent(output.lockingBytecode);
  const coin = coins.find((found) => sameOutpoint(found, outpoint));
  if (coin === undefined) return null;
  return {
    value: Number(coin.satoshis),
    scripthash: scriptHashOf(coin.lockingBytecode),
    ...(coin.height === null ? {} : { confirmed_height: coin.height }),
    ...showToken(coin),
  };
};

const subscribe = ([given]: readonly unknown[], { chain, session }: Site) => {
  const txid = readTxid(given);
  const subscription: Subscription<number | null> = { told: null };
  session.transactions.set(txid, subscription);
  return answerSubscription(subscription, () => heightOf(chain, txid));
};

export const transactionMethods: MethodTable = {
  'blockchain.transaction.get': { parameters: [1, 2], run: getTransaction },
  'blockchain.transaction.get_height': {
    parameters: [1, 1],
    run: ([txid], { chain }) => heightOf(chain, readTxid(txid)),
  },
  'blockchain.transaction.broadcast': {
    parameters: [1, 1],
    run: ([raw], { node }) => broadcastAsNode(String(raw), node),
  },
  'blockchain.transaction.get_merkle': { parameters: [1, 2], run: getMerkle },
  'blockchain.transaction.id_from_pos': { parameters: [2, 3], run: getIdFromPosition },
  'blockchain.transaction.subscribe': { parameters: [1, 1], run: subscribe },
  'blockchain.transaction.unsubscribe': {
    parameters: [1, 1],
    run: ([txid], { session }) => session.transactions.delete(readTxid(txid)),
  },
  'blockchain.utxo.get_info': { parameters: [2, 2], run: getCoin },
};
