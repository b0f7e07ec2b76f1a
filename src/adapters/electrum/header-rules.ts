/** What a header must be to stand upon its parents. Pure. */
import { hashHeader, readFields, type HeaderFields } from '../../bch/block-header.js';
import { hasWork, nextBits, type DifficultyRule } from '../../bch/difficulty.js';
import { Contradiction } from './contradiction.js';

/** A header that has been checked, or is about to be. */
export type Header = HeaderFields & {
  readonly height: number;
  /** 64 hex digits. */
  readonly hash: string;
  /** 80 bytes as hex. */
  readonly hex: string;
};

export type HeaderRules = {
  /** Null where blocks cost nothing. */
  readonly difficulty: DifficultyRule | null;
  /** Wall clock, unix seconds. */
  readonly now: () => number;
};

/** How far a header may be ahead of the clock, seconds. Source: Bitcoin consensus. */
const MOST_AHEAD = 7_200;

/** Reads consecutive headers (hex). */
export const readHeadersAt = (height: number, headers: readonly string[]): Header[] =>
  headers.map((hex, index) => ({ ...readFields(hex), height: height + index, hash: hashHeader(hex), hex }));

const hex = (bits: number): string => bits.toString(16).padStart(8, '0');

const refuse = ({ height }: Header, what: string): Contradiction =>
  new Contradiction(`shows a block ${height} that ${what}`);

/** @throws Contradiction when the work is not that which the rule asks for */
const checkDifficulty = (header: Header, parent: Header | null, rule: DifficultyRule): void => {
  if (!hasWork(header.hash, header.bits)) throw refuse(header, 'lacks the work that its bits ask for');
  if (parent === null || header.height <= rule.anchor.height) return;
  const isEasy = rule.easyAfter !== null && header.time - parent.time > rule.easyAfter;
  const expected = isEasy ? rule.easiest : nextBits(rule, BigInt(parent.height), parent.time);
  if (header.bits !== expected)
    throw refuse(header, `has the bits ${hex(header.bits)} where ${hex(expected)} is due`);
};

/**
 * Checks that headers stand upon each other, and have the work that is due.
 *
 * @param parent of the first of them; null when it is not known
 * @throws Contradiction
 */
export const checkHeaders = (
  parent: Header | null,
  headers: readonly Header[],
  { difficulty, now }: HeaderRules,
): void => {
  let last = parent;
  for (const header of headers) {
    if (last !== null && header.parent !== last.hash)
      throw refuse(header, `does not stand upon block ${last.height}`);
    if (difficulty !== null) {
      checkDifficulty(header, last, difficulty);
      // Where time is ahead, the rule makes work cheap.
      if (header.time - now() > MOST_AHEAD) throw refuse(header, 'is ahead of the clock');
    }
    last = header;
  }
};
