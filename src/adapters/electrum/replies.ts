/** What servers answer, read and checked: a server is a stranger. And what they call a script. */
import { sha256 } from '@bitauth/libauth';
import { z } from 'zod';
import { readFields, type MerkleBranch } from '../../bch/block-header.js';
import type { Coin } from '../../bch/coins.js';
import { bytesOf, hexOf } from '../../bch/hex.js';
import { scriptStatus } from '../../bch/script-status.js';
import type { HistoryEntry } from '../../operation/ports/chain.js';
import type { Reply } from './connection.js';

/** SHA-256 of a locking bytecode (hex) as 64 hex digits, in reverse. Source: Electrum Cash protocol, script hashes. */
export const scriptHashOf = (lockingBytecode: string): string =>
  hexOf(sha256.hash(bytesOf(lockingBytecode)).reverse());

const Hash = z.string().regex(/^[0-9a-f]{64}$/);
const Header = z.string().regex(/^[0-9a-f]{160}$/);
const Hex = z.string().regex(/^(?:[0-9a-f]{2})*$/);
/** 0 and -1 stand for the mempool. */
const Height = z.int().transform((height) => (height > 0 ? height : null));

const TokenData = z.object({
  category: Hash,
  amount: z.string().regex(/^\d{1,19}$/),
  nft: z.object({ capability: z.enum(['none', 'mutable', 'minting']), commitment: Hex }).optional(),
});

const Unspent = z.array(
  z.object({
    tx_hash: Hash,
    tx_pos: z.int().nonnegative(),
    height: Height,
    value: z.int().nonnegative(),
    token_data: TokenData.optional(),
  }),
);

const History = z.array(z.object({ tx_hash: Hash, height: Height }));

/** Before protocol 1.6 headers come as one text, from there on as a list. */
const Headers = z.union([
  z.object({ headers: z.array(Header) }).transform(({ headers }) => headers),
  z.object({ hex: Hex }).transform(({ hex }) => hex.match(/.{160}/g) ?? []),
]);

/** A header at a height. */
export type HeaderAt = { readonly height: number; /** Hex. */ readonly hex: string };

/** Reads one kind of answer. @throws Error when the server refuses, or answers what is not expected */
export type ReadReply<T> = (reply: Reply) => T;

const readAs =
  <T>(schema: z.ZodType<T>): ReadReply<T> =>
  (reply) => {
    if ('refusal' in reply) throw new Error(`refused: ${reply.refusal}`);
    const parsed = schema.safeParse(reply.result);
    if (parsed.success) return parsed.data;
    throw new Error(
      `answered what was not asked for (${z.prettifyError(parsed.error).split('\n')[0] ?? ''})`,
    );
  };

/** Null where the server says that there is no such transaction; in words, since codes do not come through. */
const orUnknown =
  <T>(read: ReadReply<T>): ReadReply<T | null> =>
  (reply) =>
    'refusal' in reply &&
    /no such mempool or blockchain transaction|no (?:confirmed )?transaction/i.test(reply.refusal)
      ? null
      : read(reply);

export const readHeaderAt: ReadReply<HeaderAt> = readAs(
  z.object({ height: z.int().nonnegative(), hex: Header }),
);
export const readHeader: ReadReply<string> = readAs(Header);
export const readHeaders: ReadReply<readonly string[]> = readAs(Headers);
/** Raw hex, or null when there is no such transaction. */
export const readRaw: ReadReply<string | null> = orUnknown(readAs(Hex));
/** Satoshis a kilobyte. */
export const readRelayFee: ReadReply<number> = readAs(
  z.number().transform((coins) => Math.round(coins * 1e8)),
);
/**
 * What an indexer hands on to its node: it tells tip, coins and relay fee from what it has, though its node is dead.
 * Source: Fulcrum, `rpc_blockchain_estimatefee`.
 */
export const NODE_QUESTION = ['blockchain.estimatefee', [6]] as const;
/** Any number will do; and a server without the method says nothing of its node. */
export const readNode: ReadReply<void> = (reply) => {
  if ('refusal' in reply) {
    if (/unknown method|unsupported method|method not found/i.test(reply.refusal)) return;
    throw new Error(`answers, but its node does not: ${reply.refusal}`);
  }
  readAs(z.number())(reply);
};

/** Where a transaction hangs in its block. */
export const readBranch: ReadReply<MerkleBranch> = readAs(
  z
    .object({ merkle: z.array(Hash).readonly(), pos: z.int().nonnegative() })
    .transform(({ merkle, pos }) => ({ branch: merkle, position: pos })),
);
/** The status of a script. */
export const readStatus: ReadReply<string | null> = readAs(z.string().nullable());

/** Height of its block (null in the mempool) of a transaction that is known; null when it is not. */
export const readPlace: ReadReply<{ readonly height: number | null } | null> = orUnknown(
  readAs(
    z
      .int()
      .nullable()
      .transform((height) => (height === null ? null : { height: height > 0 ? height : null })),
  ),
);

/** The coins of a locking bytecode (hex). */
export const readCoins = (lockingBytecode: string): ReadReply<Coin[]> => {
  const read = readAs(Unspent);
  return (reply) =>
    read(reply).map(({ tx_hash: txid, tx_pos: vout, height, value, token_data: token }) => ({
      txid,
      vout,
      lockingBytecode,
      height,
      satoshis: BigInt(value),
      ...(token === undefined
        ? {}
        : {
            token: {
              category: token.category,
              amount: BigInt(token.amount),
              ...(token.nft === undefined ? {} : { nft: token.nft }),
            },
          }),
    }));
};

/** The status that a history gives, as the server would tell it. */
export const readHistoryStatus: ReadReply<string | null> = readAs(
  z
    .array(z.object({ tx_hash: Hash, height: z.int() }))
    .transform((lines) => scriptStatus(lines.map(({ tx_hash: txid, height }) => ({ txid, height })))),
);

/** A history, oldest first, the mempool last. */
export const readHistory: ReadReply<HistoryEntry[]> = (reply) => {
  const entries = readAs(History)(reply).map(({ tx_hash: txid, height }) => ({ txid, height }));
  return [
    ...entries.filter(({ height }) => height !== null),
    ...entries.filter(({ height }) => height === null),
  ];
};

/** Unix seconds of a header (hex). */
export const timeOf = (header: string): number => readFields(header).time;
