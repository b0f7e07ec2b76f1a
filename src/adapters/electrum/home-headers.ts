/** What a home keeps of the chain between two commands: headers, and what was proven. A cache: it can be fetched again. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { z } from 'zod';
import type { Network } from '../../bch/network.js';
import type { Transaction } from '../../bch/transaction.js';
import type { HeaderChain } from './header-chain.js';
import { files, isErrno } from '../machine.js';
import { writeWholeAtOnce } from '../whole-file.js';
import { checkHeaders, readHeadersAt } from './header-rules.js';
import { scriptHashOf } from './replies.js';

const Hash = z.string().regex(/^[0-9a-f]{64}$/);
const Height = z.int().nonnegative();

const Content = z.object({
  network: z.string(),
  checkpoint: z.object({
    height: Height,
    hash: Hash,
    by: z.enum(['operator', 'servers', 'first block']),
    servers: z.array(z.string()).readonly(),
  }),
  kept: z.object({
    start: Height,
    headers: z
      .array(z.string().regex(/^[0-9a-f]{160}$/))
      .min(1)
      .readonly(),
    ends: z.record(z.string().regex(/^\d+$/), Hash),
  }),
  /** Why the checkpoint cannot be one; null while nothing speaks against it. */
  refused: z.string().nullable(),
  proofs: z.array(
    z.object({
      txid: Hash,
      height: Height,
      /** Hash of the block, and its time in unix seconds. */
      block: Hash,
      time: z.int(),
      /** What it pays: the first digits of script hashes. */
      scripts: z.array(z.string()),
    }),
  ),
});

const File = z.object({ checksum: Hash, content: z.unknown() });

export type HomeHeaders = z.output<typeof Content>;

export type HeadersFile = {
  /** Null when there is none for the network, or it is damaged: what it held is then asked for again. */
  readonly read: () => HomeHeaders | null;
  /** Replaces the file in one step. What cannot be written is let go of. */
  readonly write: (content: HomeHeaders) => void;
};

/** Name of the file in the folder of a network. */
export const HEADERS_FILE = 'headers.json';

const checksumOf = (content: unknown): string =>
  createHash('sha256').update(JSON.stringify(content)).digest('hex');

const parse = (text: string): HomeHeaders => {
  const { checksum, content } = File.parse(JSON.parse(text));
  if (checksumOf(content) !== checksum) throw new Error('the checksum is another');
  const read = Content.parse(content);
  const { start, headers } = read.kept;
  checkHeaders(null, readHeadersAt(start, headers), { difficulty: null, now: () => 0 });
  return read;
};

export type HeadersFileOptions = {
  /** The folder of the network; null: nothing is kept. */
  readonly folder: string | null;
  readonly network: Network;
  readonly isReadOnly: boolean;
  readonly onTrouble: (message: string) => void;
};

/** The file of a home. It never throws. */
export const openHeadersFile = ({
  folder,
  network,
  isReadOnly,
  onTrouble,
}: HeadersFileOptions): HeadersFile => {
  if (folder === null) return { read: () => null, write: () => undefined };
  const file = path.join(folder, HEADERS_FILE);
  return {
    read: () => {
      try {
        const content = parse(files().readWhole(file).toString('utf8'));
        return content.network === network ? content : null;
      } catch (error) {
        if (!isErrno(error, 'ENOENT')) onTrouble(`${file} is not used, and is made anew: ${String(error)}`);
        return null;
      }
    },
    write: (content) => {
      if (isReadOnly) return;
      try {
        writeWholeAtOnce(file, JSON.stringify({ checksum: checksumOf(content), content }));
      } catch (error) {
        onTrouble(`${file} cannot be written, and what it keeps will be asked for again: ${String(error)}`);
      }
    },
  };
};

export type Proof = HomeHeaders['proofs'][number];

/** Proofs that are kept. */
const MOST_KEPT = 2_000;
/** Digits of a script hash that tell the scripts of one home apart. */
const SHORT = 16;

const shortHash = (lockingBytecode: string): string => scriptHashOf(lockingBytecode).slice(0, SHORT);

/** The scripts that a transaction pays, as proofs name them. */
const scriptsOf = ({ outputs }: Transaction): string[] => [
  ...new Set(outputs.map(({ lockingBytecode }) => shortHash(lockingBytecode))),
];

/** True while the block of a proof is in the chain. What is buried below the headers that are kept stays. */
export const stands = ({ height, block }: Proof, chain: HeaderChain): boolean =>
  height < chain.start() || chain.at(height)?.hash === block;

/** The proofs of a home. */
export const createProofs = () => {
  const byTxid = new Map<string, Proof>();
  const byScript = new Map<string, Set<string>>();

  const remove = (txid: string): void => {
    for (const script of byTxid.get(txid)?.scripts ?? []) byScript.get(script)?.delete(txid);
    byTxid.delete(txid);
  };
  const add = (proof: Proof): void => {
    remove(proof.txid);
    const [oldest] = byTxid.keys();
    if (byTxid.size >= MOST_KEPT && oldest !== undefined) remove(oldest);
    byTxid.set(proof.txid, proof);
    for (const script of proof.scripts) {
      const txids = byScript.get(script) ?? new Set();
      byScript.set(script, txids.add(proof.txid));
    }
  };
  return {
    add,
    remove,
    get: (txid: string): Proof | null => byTxid.get(txid) ?? null,
    /** Those of transactions that pay a locking bytecode (hex). */
    paying: (lockingBytecode: string): Proof[] =>
      [...(byScript.get(shortHash(lockingBytecode)) ?? [])].flatMap((txid) => byTxid.get(txid) ?? []),
    keep: (): Proof[] => [...byTxid.values()],
    scriptsOf,
  };
};

export type Proofs = ReturnType<typeof createProofs>;
