/**
 * The headers that were checked: those of late in full, and of all before them the hash at the end of each span, so
 * that any header can be checked against what is kept without keeping every one. No disk, no server.
 */
import { readFields } from '../../bch/block-header.js';
import { workOf } from '../../bch/difficulty.js';
import { Contradiction } from './contradiction.js';
import { checkHeaders, readHeadersAt, type Header, type HeaderRules } from './header-rules.js';

/** Headers of one span. With the parent of its first they fit in one answer of a server. */
export const SPAN = 2_000;
/** Headers of late that are kept in full: a week. */
const KEPT = 1_008;
/** Above it, the oldest are let go of. */
const MOST_KEPT = 1_512;
/** Blocks that are replaced whatever the work upon them: servers see blocks at different moments. */
const FREELY_REPLACED = 2;

/** What is kept of a chain, as it stands on disk. */
export type KeptHeaders = {
  /** Height of the first header. */
  readonly start: number;
  /** Hex, without a gap. */
  readonly headers: readonly string[];
  /** By height: the hash of the block before it. */
  readonly ends: Readonly<Record<string, string>>;
};

export type HeaderChain = {
  /** Height of the first header that is kept in full. */
  readonly start: () => number;
  /** Nothing at or below this height is replaced. */
  readonly floor: () => number;
  readonly tip: () => Header;
  /** True when the first of headers (hex) from a height on stands upon one that is kept and stays. */
  readonly standsUpon: (height: number, headers: readonly string[]) => boolean;
  /** A header that is kept in full, or null. */
  readonly at: (height: number) => Header | null;
  /** The lowest height whose parent's hash is known: so far back links are checked. */
  readonly lowest: () => number;
  /** The lowest height above `height` whose parent's hash is known. */
  readonly boundAbove: (height: number) => number;
  /** The hash of the block before a bound. */
  readonly hashBefore: (bound: number) => string;
  /** Takes in headers that stand upon one that is kept. @throws Contradiction */
  readonly extend: (height: number, headers: readonly string[]) => void;
  /**
   * The headers (hex) from a height on that end below a bound, if it is those that the bound stands upon. From then on
   * `floor` is a bound too: the height of the first, or of the one behind it.
   * @throws Contradiction
   */
  readonly descend: (
    bound: number,
    from: number,
    floor: number,
    below: readonly string[],
  ) => readonly Header[];
  readonly keep: () => KeptHeaders;
};

export type HeaderChainOptions = HeaderRules & {
  /** A block that the chain must have. Nothing at or below it is ever replaced. */
  readonly checkpoint: { readonly height: number };
};

const workIn = (headers: readonly Header[]): bigint =>
  headers.reduce((sum, { bits }) => sum + workOf(bits), 0n);

/** True when a branch may take the place of what is kept: by its work, or because little is replaced. */
const outweighs = (branch: readonly Header[], replaced: readonly Header[]): boolean =>
  replaced.length <= FREELY_REPLACED || workIn(branch) >= workIn(replaced);

/** The headers that are kept of all; of those let go of, the ends of spans are noted. */
const letGo = (all: Header[], ends: Map<number, string>): Header[] => {
  if (all.length <= MOST_KEPT) return all;
  const gone = all.slice(0, -KEPT);
  const isLowest = ends.size === 0;
  for (const [index, { height, parent }] of gone.entries()) {
    if (height % SPAN === 0 || (isLowest && index === 0)) ends.set(height, parent);
  }
  return all.slice(-KEPT);
};

/** Begins with headers that are trusted: they were checked when they were kept, or are the checkpoint's. */
export const createHeaderChain = (kept: KeptHeaders, options: HeaderChainOptions): HeaderChain => {
  let headers: Header[] = readHeadersAt(kept.start, kept.headers);
  const ends = new Map<number, string>(
    Object.entries(kept.ends).map(([height, hash]) => [Number(height), hash]),
  );
  const start = (): number => headers[0]?.height ?? 0;
  const at = (height: number): Header | null => headers[height - start()] ?? null;
  const tip = (): Header => {
    const last = headers.at(-1);
    if (last === undefined) throw new Error('a chain of headers has at least one');
    return last;
  };

  const floor = (): number => Math.max(start(), options.checkpoint.height);
  const standsUpon: HeaderChain['standsUpon'] = (height, [first]) => {
    const parent = at(height - 1);
    return first !== undefined && height > floor() && parent?.hash === readFields(first).parent;
  };
  const extend: HeaderChain['extend'] = (height, added) => {
    const parent = at(height - 1);
    const branch = readHeadersAt(height, added);
    if (!standsUpon(height, added))
      throw new Contradiction(`shows a chain that leaves the one this home knows before block ${height}`);
    checkHeaders(parent, branch, options);
    const same = branch.findIndex((header) => at(header.height)?.hash !== header.hash);
    if (options.difficulty !== null) {
      // What it shows may be all known, where it is behind.
      if (same < 0) return;
      if (!outweighs(branch.slice(same), headers.slice(height + same - start())))
        throw new Contradiction(`shows a branch from block ${height + same} on that has less work than ours`);
    }
    headers = letGo([...headers.slice(0, height - start()), ...branch], ends);
  };

  const bounds = (): number[] => [...ends.keys(), start()];
  const hashBefore = (bound: number): string => at(bound)?.parent ?? ends.get(bound) ?? '';

  return {
    start,
    floor,
    tip,
    standsUpon,
    at,
    extend,
    hashBefore,
    lowest: () => Math.min(...bounds()),
    boundAbove: (height) => Math.min(...bounds().filter((bound) => bound > height)),
    descend: (bound, from, floor, below) => {
      const read = readHeadersAt(from, below);
      const last = read.at(-1);
      if (last?.height !== bound - 1 || last.hash !== hashBefore(bound))
        throw new Contradiction(`shows another block ${bound - 1} than the one ours stands upon`);
      checkHeaders(null, read, { ...options, difficulty: null });
      const first = read[floor - from];
      if (first !== undefined) ends.set(floor, first.parent);
      return read;
    },
    keep: () => ({
      start: start(),
      headers: headers.map(({ hex }) => hex),
      ends: Object.fromEntries([...ends].map(([height, hash]) => [String(height), hash])),
    }),
  };
};
