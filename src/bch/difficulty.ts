/**
 * Work: what a block header costs to make, and how easy the next one may be. Pure.
 *
 * Source: Bitcoin block format (compact targets), and the specification of aserti3-2d, the difficulty rule of Bitcoin
 * Cash since November 2020. It is absolute: what a block must be is told by its parent and one anchor alone.
 */
import type { Network } from './network.js';

/** The block that the difficulty rule counts from. */
export type DifficultyAnchor = {
  readonly height: number;
  /** Its compact target. */
  readonly bits: number;
  /** Time of the block before it, unix seconds. */
  readonly parentTime: number;
};

/** The rule of a network. */
export type DifficultyRule = {
  readonly anchor: DifficultyAnchor;
  /** Hash of the anchor, 64 hex digits; null where it is not known. */
  readonly anchorHash: string | null;
  /** Seconds behind schedule after which a block is twice as easy. */
  readonly halfLife: number;
  /** The easiest compact target. */
  readonly easiest: number;
  /** Seconds after its parent from which on a block may be as easy as can be; null where none may. */
  readonly easyAfter: number | null;
};

/** Seconds between two blocks on schedule. */
const SPACING = 600n;
const RADIX = 65_536n;
/** Twice the spacing. Source: chain parameters of the test networks. */
const EASY_AFTER = 1_200;
const HOUR = 3_600;
const TWO_DAYS = 172_800;
const EASIEST = 0x1d00ffff;

const testRule = (height: number, parentTime: number, anchorHash: string): DifficultyRule => ({
  anchor: { height, bits: EASIEST, parentTime },
  anchorHash,
  halfLife: HOUR,
  easiest: EASIEST,
  easyAfter: EASY_AFTER,
});

const TESTNET4 = testRule(
  16_844,
  1_605_451_779,
  '00000000602570ee2b66c1d3f75d404c234f8aacdcc784da97e65838a2daf0fc',
);

/**
 * The rule of each network; null where blocks cost nothing. Chipnet left testnet4 after the anchor, and shares it.
 * Source: chain parameters of Bitcoin Cash Node.
 */
export const DIFFICULTY_RULES: Readonly<Record<Network, DifficultyRule | null>> = {
  local: null,
  regtest: null,
  chipnet: TESTNET4,
  testnet4: TESTNET4,
  testnet3: testRule(
    1_421_481,
    1_605_445_400,
    '00000000062c7f32591d883c99fc89ebe74a83287c0f2b7ffeef72e62217d40b',
  ),
  mainnet: {
    anchor: { height: 661_647, bits: 0x1804dafe, parentTime: 1_605_447_844 },
    anchorHash: '00000000000000000083ed4b7a780d59e3983513215518ad75654bb02deee62f',
    halfLife: TWO_DAYS,
    easiest: EASIEST,
    easyAfter: null,
  },
};

/**
 * The number that a hash must not be above. A compact target that is negative stands for none.
 *
 * @example
 * targetOf(0x1d00ffff).toString(16); // `ffff${'0'.repeat(52)}`
 */
export const targetOf = (bits: number): bigint => {
  const length = BigInt(Math.floor(bits / 0x1000000));
  const isNegative = Math.floor(bits / 0x800000) % 2 === 1;
  const mantissa = BigInt(bits % 0x800000);
  if (isNegative) return 0n;
  return length <= 3n ? mantissa >> (8n * (3n - length)) : mantissa << (8n * (length - 3n));
};

/**
 * The compact form of a target, rounded down to what it can hold.
 *
 * @example
 * compactOf(targetOf(0x1804dafe)); // 0x1804dafe
 */
export const compactOf = (target: bigint): number => {
  let length = Math.ceil(target.toString(2).length / 8);
  const mantissaOf = () =>
    length <= 3 ? target << BigInt(8 * (3 - length)) : target >> BigInt(8 * (length - 3));
  // The highest bit of the mantissa is its sign.
  if (mantissaOf() >= 0x800000n) length += 1;
  return length * 0x1000000 + Number(mantissaOf());
};

/**
 * Hashes that have to be tried on average for a header of these bits; 0 when there can be none.
 *
 * @example
 * workOf(0x1d00ffff); // 4_295_032_833n
 */
export const workOf = (bits: number): bigint => {
  const target = targetOf(bits);
  return target === 0n ? 0n : (1n << 256n) / (target + 1n);
};

/**
 * True when a hash (64 hex digits, as it is shown) is not above the target that its header names.
 *
 * @example
 * hasWork('00'.repeat(32), 0x1d00ffff); // true
 */
export const hasWork = (hash: string, bits: number): boolean => BigInt(`0x${hash}`) <= targetOf(bits);

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** 65536 times two to the power of `fraction` / 65536, in whole numbers. Source: aserti3-2d. */
const powerOfTwo = (fraction: bigint): bigint =>
  RADIX +
  ((195_766_423_245_049n * fraction +
    971_821_376n * fraction * fraction +
    5_127n * fraction * fraction * fraction +
    (1n << 47n)) >>
    48n);

/**
 * The compact target of the block after a parent.
 *
 * @param height of the parent; bigint, since the rule knows no bound
 * @param time of the parent, unix seconds
 * @example
 * const { anchor } = DIFFICULTY_RULES.mainnet;
 * nextBits(DIFFICULTY_RULES.mainnet, BigInt(anchor.height), anchor.parentTime + 600); // anchor.bits
 */
export const nextBits = (
  { anchor, halfLife, easiest }: Pick<DifficultyRule, 'anchor' | 'halfLife' | 'easiest'>,
  height: bigint,
  time: number,
): number => {
  const behind = BigInt(time - anchor.parentTime) - SPACING * (height - BigInt(anchor.height) + 1n);
  const exponent = (behind * RADIX) / BigInt(halfLife);
  const doublings = exponent >> 16n;
  const factor = powerOfTwo(exponent - doublings * RADIX);
  const shift = doublings - 16n;
  const scaled = targetOf(anchor.bits) * factor;
  const target = shift >= 0n ? scaled << shift : scaled >> -shift;
  return compactOf(smaller(target === 0n ? 1n : target, targetOf(easiest)));
};
