/** Transactions as servers show them: their bytes hash to their ids, and a height is there only when it is proven. */
import { rootOf } from '../../bch/block-header.js';
import { decodeTransaction, type ChainTransaction, type Transaction } from '../../bch/transaction.js';
import { LAG_BLOCKS } from './agreement.js';
import { Contradiction, disagreement } from './contradiction.js';
import type { FailOver } from './fail-over.js';
import type { Headers } from './headers.js';
import { stands, type Proof } from './home-headers.js';
import { readBranch, readPlace, readRaw, type ReadReply } from './replies.js';
import type { ServerSession } from './session.js';

export type Transactions = {
  readonly transaction: (txid: string) => Promise<ChainTransaction | null>;
  /** Without its place. Null when the server does not know it. */
  readonly raw: (txid: string) => Promise<Transaction | null>;
  /** Whether one server can prove that a transaction is in the block at a height; null when it does not answer. */
  readonly proves: (session: ServerSession, txid: string, height: number) => Promise<boolean | null>;
};

/** Transactions that are kept: an id names its bytes for ever. */
const MOST_KEPT = 5_000;
/** Attempts to prove a place in a chain that moves. */
const ATTEMPTS = 2;
/** Bytes of two hashes: what is as long could be an inner node of a block's tree. No transaction is as short. */
const NODE_BYTES = 64;

const createTransactionCache = () => {
  const kept = new Map<string, Transaction>();
  return {
    get: (txid: string): Transaction | undefined => kept.get(txid),
    keep: (transaction: Transaction): Transaction => {
      const [oldest] = kept.keys();
      if (kept.size >= MOST_KEPT && oldest !== undefined) kept.delete(oldest);
      kept.set(transaction.txid, transaction);
      return transaction;
    },
  };
};

const readTransaction =
  (txid: string): ReadReply<Transaction | null> =>
  (reply) => {
    const raw = readRaw(reply);
    if (raw === null) return null;
    const transaction = raw.length > 2 * NODE_BYTES ? decodeTransaction(raw) : null;
    if (transaction?.txid !== txid) throw new Contradiction(`shows other bytes as the transaction ${txid}`);
    return transaction;
  };

const createProver =
  ({ askOne }: FailOver, headers: Headers): Transactions['proves'] =>
  async (session, txid, height) => {
    const header = await headers.at(height);
    if (header === null) return false;
    const read: ReadReply<boolean> = (reply) =>
      'result' in reply && rootOf(txid, readBranch(reply)) === header.merkleRoot;
    return askOne(session, 'blockchain.transaction.get_merkle', [txid, height], read).catch(() => null);
  };

/** A transaction of which only its place is known. */
type Place = { readonly height: number; readonly time: number } | 'mempool';

const placed = (transaction: Transaction, place: Place): ChainTransaction =>
  place === 'mempool'
    ? { transaction, height: null, blockTime: null }
    : { transaction, height: place.height, blockTime: place.time };

/** The bytes behind ids, from whoever has them. They never change, and are kept for all that ask. */
export const createBytes = ({ ask, askOne }: FailOver) => {
  const cache = createTransactionCache();
  const METHOD = 'blockchain.transaction.get';
  const asked = new Map<string, Promise<Transaction | null>>();
  const askFor = async (txid: string): Promise<Transaction | null> => {
    try {
      const transaction = await ask(METHOD, [txid], readTransaction(txid));
      return transaction === null ? null : cache.keep(transaction);
    } finally {
      asked.delete(txid);
    }
  };
  return {
    /** Null when the server does not know it. */
    raw: async (txid: string): Promise<Transaction | null> => {
      const kept = cache.get(txid);
      if (kept !== undefined) return kept;
      const under = asked.get(txid) ?? askFor(txid);
      asked.set(txid, under);
      return under;
    },
    /** Of one server alone; null too when it does not answer. */
    rawFrom: async (session: ServerSession, txid: string): Promise<Transaction | null> => {
      const found = await askOne(session, METHOD, [txid], readTransaction(txid)).catch(() => null);
      return found === null ? null : cache.keep(found);
    },
  };
};

/** Looks with another server for what the one in use does not show. */
const createElsewhere = (
  failOver: FailOver,
  headers: Headers,
  { proves, rawFrom }: Pick<Transactions, 'proves'> & Pick<ReturnType<typeof createBytes>, 'rawFrom'>,
) => {
  const refuseToForget = async (txid: string, how: string): Promise<never> => {
    const session = await failOver.session();
    const what = `hides ${txid}, ${how}`;
    failOver.blame(session, what);
    throw disagreement(`${session.server.text} ${what}`);
  };
  const elsewhere = async (txid: string): Promise<ChainTransaction | null> => {
    const other = await failOver.second();
    if (other === null) return null;
    const asked = failOver.askOne(other, 'blockchain.transaction.get_height', [txid], readPlace);
    const { height } = (await asked.catch(() => null)) ?? { height: undefined };
    if (height === undefined) return null;
    const settled = Math.min((await headers.sync()).tip().height, other.tip().height) - LAG_BLOCKS;
    if (height !== null && height <= settled) {
      const isProven = await proves(other, txid, height);
      if (isProven === true)
        return refuseToForget(txid, `which ${other.server.text} proves to be in block ${height}`);
      if (isProven === false) {
        failOver.blame(other, `says that ${txid} is in block ${height}, and cannot prove it`);
        return null;
      }
    }
    const found = await rawFrom(other, txid);
    return found === null ? null : placed(found, 'mempool');
  };
  return { elsewhere, refuseToForget };
};

export const createTransactions = (
  failOver: FailOver,
  headers: Headers,
  { raw, rawFrom }: ReturnType<typeof createBytes>,
): Transactions => {
  const { askFor, blame } = failOver;
  const { proofs } = headers;
  const proves = createProver(failOver, headers);
  const { elsewhere, refuseToForget } = createElsewhere(failOver, headers, { proves, rawFrom });

  /** The proof that was found before, if its block is still in the chain. */
  const standing = async (txid: string): Promise<Proof | null> => {
    const proof = proofs.get(txid);
    if (proof === null || stands(proof, await headers.sync())) return proof;
    proofs.remove(txid);
    return null;
  };
  /** A transaction in a block, when the server proves it; null when it does not, yet. */
  const place = async (
    transaction: Transaction,
    height: number,
    session: ServerSession,
  ): Promise<ChainTransaction | null> => {
    const { txid } = transaction;
    const isProven = await proves(session, txid, height);
    const header = isProven === true ? await headers.at(height) : null;
    if (header === null) return null;
    const { hash, time } = header;
    headers.add({ txid, height, block: hash, time, scripts: proofs.scriptsOf(transaction) });
    return placed(transaction, { height, time });
  };

  /** What the chain shows of a transaction. Who claims a place and cannot prove it is let go of, and the next asked. */
  const look = async (txid: string): Promise<ChainTransaction | null> => {
    const claims: string[] = [];
    for (let attempt = 0; attempt < ATTEMPTS * failOver.count; attempt += 1) {
      // Both leave in one request. What becomes of the bytes matters only where a place is known.
      const asked = askFor('blockchain.transaction.get_height', [txid], readPlace);
      const bytes = raw(txid);
      bytes.catch(() => undefined);
      const { value: claim, session } = await asked;
      const found = claim === null ? null : await bytes;
      if (claim === null || found === null) return elsewhere(txid);
      if (claim.height === null) return placed(found, 'mempool');
      const proven = await place(found, claim.height, session);
      if (proven !== null) return proven;
      // Between two questions the chain may have been reorganised: once more, with headers as they are now.
      claims.push(session.server.text);
      await headers.renew();
      if (claims.filter((url) => url === session.server.text).length < ATTEMPTS) continue;
      blame(session, `says that ${txid} is in block ${claim.height}, and cannot prove it`);
    }
    throw disagreement(`${[...new Set(claims)].join(' and ')} cannot prove the block of ${txid}`);
  };

  const transaction: Transactions['transaction'] = async (txid) => {
    const proof = await standing(txid);
    if (proof === null) return look(txid);
    const found = await raw(txid);
    return found === null
      ? refuseToForget(txid, `which was proven to be in block ${proof.height}`)
      : placed(found, proof);
  };

  return { transaction, raw, proves };
};
