/**
 * The commitment of a thread: a covenant's state as bytes, declared once and read both ways.
 *
 * Integers are little-endian and unsigned with the top bit clear, so that a script reads them with a bare
 * OP_BIN2NUM and never sees a negative number. Source: docs/design/covenants.md, rule 12.
 */
import { binToHex, hexToBin, isHex } from '@bitauth/libauth';
import { remembered } from './remembered.js';

const INTEGER_SIZES = { u8: 1, u32: 4, u40: 5, u64: 8 } as const;

/** A field of `size` bytes that is carried as lower-case hex. */
export type BytesField<Size extends number = number> = { readonly bytes: Size };
/** An unsigned integer of 8, 32, 40 or 64 bits, or bytes. */
export type CommitmentField = keyof typeof INTEGER_SIZES | BytesField;
/** Fields in the order in which they stand in the commitment. */
export type CommitmentLayout = Readonly<Record<string, CommitmentField>>;

/** `u64` is a bigint, the shorter integers are numbers, bytes are lower-case hex. */
export type CommitmentValue<Field extends CommitmentField> = Field extends 'u64'
  ? bigint
  : Field extends BytesField
    ? string
    : number;

/** The state that a layout describes. */
export type CommitmentState<Layout extends CommitmentLayout> = {
  readonly [Name in keyof Layout]: CommitmentValue<Layout[Name]>;
};

/** A declared commitment. */
export type Commitment<Layout extends CommitmentLayout> = {
  readonly layout: Layout;
  /** Bytes in all. */
  readonly size: number;
  /** Where each field begins and how long it is, in bytes. */
  readonly offsets: { readonly [Name in keyof Layout]: { readonly offset: number; readonly size: number } };
  /** The state as lower-case hex. @throws RangeError when a value does not fit its field */
  readonly encode: (state: CommitmentState<Layout>) => string;
  /** The state that hex carries, frozen, or null when it has another size or an integer with its top bit set. */
  readonly decode: (hex: string) => CommitmentState<Layout> | null;
  /** The state that hex carries. @throws Error when it is none: the covenant and the genesis audit rule that out */
  readonly read: (hex: string) => CommitmentState<Layout>;
};

/**
 * A field of `size` bytes.
 *
 * @example
 * bytes(20); // { bytes: 20 }
 */
export const bytes = <const Size extends number>(size: Size): BytesField<Size> => ({ bytes: size });

/** States of one layout that are kept decoded. */
const KEPT_STATES = 2_000;

/** NFT commitments held 40 bytes before May 2026. Source: CashTokens CHIP. */
const MAXIMUM_SIZE = 40;

type Codec = {
  readonly size: number;
  readonly encode: (name: string, value: unknown) => string;
  readonly decode: (hex: string) => bigint | number | string | null;
};

const reverseBytes = (hex: string): string => binToHex(hexToBin(hex).reverse());

const integerCodec = (size: number, isBig: boolean): Codec => {
  const limit = 1n << BigInt(size * 8 - 1);
  return {
    size,
    encode: (name, value) => {
      const isInteger = isBig ? typeof value === 'bigint' : Number.isSafeInteger(value);
      const integer = isInteger ? BigInt(value as bigint | number) : -1n;
      if (integer < 0n || integer >= limit) {
        throw new RangeError(`${name}: ${String(value)} is not an integer from 0 to ${limit - 1n}`);
      }
      return reverseBytes(integer.toString(16).padStart(size * 2, '0'));
    },
    decode: (hex) => {
      const integer = BigInt(`0x${reverseBytes(hex)}`);
      if (integer >= limit) return null;
      return isBig ? integer : Number(integer);
    },
  };
};

const bytesCodec = (size: number): Codec => ({
  size,
  encode: (name, value) => {
    if (typeof value !== 'string' || !/^[0-9a-f]*$/.test(value) || value.length !== size * 2) {
      throw new RangeError(`${name}: ${String(value)} is not ${size} bytes of lower-case hex`);
    }
    return value;
  },
  decode: (hex) => hex,
});

const codecOf = (field: CommitmentField): Codec =>
  typeof field === 'string' ? integerCodec(INTEGER_SIZES[field], field === 'u64') : bytesCodec(field.bytes);

/**
 * Declares a commitment: `commitment({ status: 'u8', distributed: 'u64', recipient: bytes(20) })`.
 *
 * @throws RangeError when the fields take more than 40 bytes
 * @example
 * const state = commitment({ status: 'u8', paid: 'u32' });
 * state.encode({ status: 1, paid: 258 }); // '0102010000'
 * state.decode('0102010000'); // { status: 1, paid: 258 }
 */
export const commitment = <const Layout extends CommitmentLayout>(layout: Layout): Commitment<Layout> => {
  let size = 0;
  const fields = Object.entries(layout).map(([name, field]) => {
    const codec = codecOf(field);
    const offset = size;
    size += codec.size;
    return { name, offset, codec };
  });
  if (size > MAXIMUM_SIZE) throw new RangeError(`a commitment of ${size} bytes is above ${MAXIMUM_SIZE}`);

  const decode = remembered(KEPT_STATES, (hex): CommitmentState<Layout> | null => {
    if (hex.length !== size * 2 || !isHex(hex)) return null;
    const text = hex.toLowerCase();
    const values = fields.map(({ name, offset, codec }) => {
      const value = codec.decode(text.slice(offset * 2, (offset + codec.size) * 2));
      return [name, value] as const;
    });
    if (values.some(([, value]) => value === null)) return null;
    return Object.freeze(Object.fromEntries(values)) as CommitmentState<Layout>;
  });
  return {
    layout,
    size,
    offsets: Object.fromEntries(
      fields.map(({ name, offset, codec }) => [name, { offset, size: codec.size }]),
    ) as Commitment<Layout>['offsets'],
    encode: (state) => fields.map(({ name, codec }) => codec.encode(name, state[name])).join(''),
    decode,
    read: (hex) => {
      const state = decode(hex);
      if (state === null) throw new Error(`${hex} is not a state of ${Object.keys(layout).join(', ')}`);
      return state;
    },
  };
};
