/** What a home keeps of the chain between two commands: headers, and what was proven. A cache: it can be fetched again. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import { z } from 'zod';
import type { Network } from '../../bch/network.js';
import { checkHeaders, readHeadersAt } from './header-rules.js';

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

const isMissing = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === 'ENOENT';

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
        const content = parse(readFileSync(file, 'utf8'));
        return content.network === network ? content : null;
      } catch (error) {
        if (!isMissing(error)) onTrouble(`${file} is not used, and is made anew: ${String(error)}`);
        return null;
      }
    },
    write: (content) => {
      if (isReadOnly) return;
      try {
        const text = JSON.stringify({ checksum: checksumOf(content), content });
        writeFileAtomic.sync(file, text, { mode: 0o600 });
      } catch (error) {
        onTrouble(`${file} cannot be written, and what it keeps will be asked for again: ${String(error)}`);
      }
    },
  };
};
