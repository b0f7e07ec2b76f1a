/** Blocks: headers, merkle roots, coinbases and median time past. Pure. */
import {
  bigIntToVmNumber,
  binToHex,
  encodeDataPush,
  encodeTransaction,
  flattenBinArray,
  hashTransaction,
  hexToBin,
  numberToBinUint32LE,
  type Output,
} from '@bitauth/libauth';
import type { Tip } from '../../operation/ports/chain.js';
import { hashHeader, proveMerkle, readFields, reverseHex } from '../../bch/block-header.js';
import { hasWork } from '../../bch/difficulty.js';

/** Headers that median time past looks at. Source: BIP113. */
export const MEDIAN_TIME_SPAN = 11;
/** Fewest blocks that carry median time past all the way to their own time. */
const MEDIAN_TIME_REACH = (MEDIAN_TIME_SPAN + 1) / 2;

const NO_PARENT = '00'.repeat(32);
const NULL_OUTPOINT_INDEX = 0xffffffff;
const VERSION = 0x20000000;
/** The easiest target there is: every second hash is one. Source: regtest parameters. */
const BITS = 0x207fffff;

/** A block as the chain keeps it. */
export type Block = {
  readonly height: number;
  /** 64 hex digits, in the order in which hashes are shown. */
  readonly hash: string;
  /** 80 bytes as hex. */
  readonly header: string;
  /** Time of the header, unix seconds. */
  readonly time: number;
  /** Median of the last 11 header times, this one included, unix seconds. */
  readonly medianTimePast: number;
  /** In block order: the coinbase, then the others by id. Source: CTOR. */
  readonly txids: readonly string[];
};

/** A block as the ports name it. */
export const showBlock = ({ height, hash, time, medianTimePast }: Block): Tip => ({
  height,
  hash,
  time,
  medianTimePast,
});

/** A block with the one transaction that came into being with it. */
export type MinedBlock = Block & {
  /** Raw transaction hex. */
  readonly coinbase: string;
};

/** Blocks above which others are mined, oldest first. */
export type Parents = readonly Block[];

/** The merkle root over transaction ids in block order, as header bytes. Source: Bitcoin block format. */
export const merkleRoot = (txids: readonly string[]): Uint8Array => reverseHex(proveMerkle(txids, 0).root);

/** Median of the last 11 times (all of them when there are fewer), unix seconds. Source: BIP113. */
export const medianTime = (times: readonly number[]): number => {
  const sorted = times.slice(-MEDIAN_TIME_SPAN).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
};

/** The block that a header and its transaction ids make on top of `parents`. */
export const readBlock = (parents: Parents, header: string, txids: readonly string[]): Block => {
  const { time } = readFields(header);
  const earlier = parents.slice(1 - MEDIAN_TIME_SPAN).map((block) => block.time);
  return {
    height: parents.length,
    hash: hashHeader(header),
    header,
    time,
    medianTimePast: medianTime([...earlier, time]),
    txids,
  };
};

/** Raw hex of a coinbase. Its script holds the height (BIP34) and a nonce that keeps blocks of two branches apart. */
const buildCoinbase = (height: number, nonce: Uint8Array, outputs: Output[]): string =>
  binToHex(
    encodeTransaction({
      version: 2,
      inputs: [
        {
          outpointTransactionHash: new Uint8Array(32),
          outpointIndex: NULL_OUTPOINT_INDEX,
          sequenceNumber: 0xffffffff,
          unlockingBytecode: flattenBinArray([
            encodeDataPush(bigIntToVmNumber(BigInt(height))),
            encodeDataPush(nonce),
          ]),
        },
      ],
      outputs,
      locktime: 0,
    }),
  );

export type BlockPlan = {
  /** Unix seconds. */
  readonly time: number;
  /** Ids of the transactions beside the coinbase, in any order. */
  readonly txids: readonly string[];
  readonly coinbaseOutputs: Output[];
  readonly nonce: Uint8Array;
};

/** The header (hex) of these fields with the first nonce that gives it the work that its bits ask for. */
const grind = (fields: readonly Uint8Array[]): string => {
  for (let nonce = 0; ; nonce += 1) {
    const header = binToHex(flattenBinArray([...fields, numberToBinUint32LE(nonce)]));
    if (hasWork(hashHeader(header), BITS)) return header;
  }
};

/** Mines a block on top of `parents`. */
export const mineBlock = (
  parents: Parents,
  { time, txids, coinbaseOutputs, nonce }: BlockPlan,
): MinedBlock => {
  const coinbase = buildCoinbase(parents.length, nonce, coinbaseOutputs);
  const ordered = [hashTransaction(hexToBin(coinbase)), ...[...txids].sort()];
  const header = grind([
    numberToBinUint32LE(VERSION),
    reverseHex(parents.at(-1)?.hash ?? NO_PARENT),
    merkleRoot(ordered),
    numberToBinUint32LE(time),
    numberToBinUint32LE(BITS),
  ]);
  return { ...readBlock(parents, header, ordered), coinbase };
};

/**
 * The time of the next block of a run that ends at the chain's clock, unix seconds.
 *
 * The last six blocks of a run carry the clock, those before are a second apart, so that 11 blocks bring median
 * time past to the clock itself. A time is above the parents' median time past (consensus) and never below the
 * parent's own, so that median time past does not fall when a longer branch takes over.
 *
 * @param remaining blocks of the run that are still to be mined, the next one included
 */
export const nextBlockTime = (parents: Parents, clock: number, remaining: number): number => {
  const wanted = clock - Math.max(0, remaining - MEDIAN_TIME_REACH);
  const tip = parents.at(-1);
  return tip === undefined ? wanted : Math.max(wanted, tip.time, tip.medianTimePast + 1);
};
