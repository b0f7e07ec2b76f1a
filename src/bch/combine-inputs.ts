/**
 * One input as several copies of a transaction have it, joined. Signatures do not cover what unlocks the inputs, so
 * those that were made apart can be put together.
 */
import {
  binToHex,
  encodeAuthenticationInstructions,
  hexToBin,
  type AuthenticationInstruction,
} from '@bitauth/libauth';
import { readInstructions } from './instructions.js';

/** A Schnorr signature with its type byte, as it is pushed: 65 bytes. */
const SIGNATURE_BYTES = 65;
/** A compressed public key: 33 bytes. */
const PUBLIC_KEY_BYTES = 33;

/**
 * Where a signature is still to come: a placeholder (zeros), or the filler that keeps the place of another signer.
 *
 * @example
 * isOpenPush(new Uint8Array(65)); // true
 * isOpenPush(new Uint8Array(65).fill(1)); // false
 */
export const isOpenPush = (data: Uint8Array): boolean =>
  ([SIGNATURE_BYTES, PUBLIC_KEY_BYTES].includes(data.length) && data.every((byte) => byte === 0)) ||
  (data.length === SIGNATURE_BYTES && data.every((byte) => byte === 0xff));

const dataOf = (instruction: AuthenticationInstruction | undefined): Uint8Array =>
  instruction !== undefined && 'data' in instruction ? instruction.data : new Uint8Array();

/**
 * True for an input that waits for a signature: it is empty, or has the place of one open.
 *
 * @example
 * isOpenInput(Uint8Array.of()); // true
 * isOpenInput(Uint8Array.of(0x01, 0xff)); // false
 */
export const isOpenInput = (unlockingBytecode: Uint8Array): boolean =>
  unlockingBytecode.length === 0 ||
  (readInstructions(unlockingBytecode) ?? []).some((instruction) => isOpenPush(dataOf(instruction)));

/** A signature and the key after it, hex. */
type SignedSlot = { readonly signature: string; readonly key: string };

type Copy = readonly AuthenticationInstruction[];

/** Where a signature and its key stand: positions of signatures. */
const slotsOf = (copies: readonly Copy[]): readonly number[] =>
  (copies[0] ?? []).flatMap((_, position) =>
    copies.every(
      (copy) =>
        dataOf(copy[position]).length === SIGNATURE_BYTES &&
        dataOf(copy[position + 1]).length === PUBLIC_KEY_BYTES,
    )
      ? [position]
      : [],
  );

/** What a copy has in a slot; null while its signature is to come: then its key says nothing either. */
const slotAt = (copy: Copy, position: number): SignedSlot | null => {
  const signature = dataOf(copy[position]);
  if (isOpenPush(signature)) return null;
  return { signature: binToHex(signature), key: binToHex(dataOf(copy[position + 1])) };
};

const distinct = <Item>(items: readonly Item[], name: (item: Item) => string): readonly Item[] => [
  ...new Map(items.map((item) => [name(item), item])).values(),
];

const slotName = ({ signature, key }: SignedSlot): string => `${signature} ${key}`;

const ordersOf = <Item>(items: readonly Item[]): readonly (readonly Item[])[] =>
  items.length <= 1
    ? [items]
    : items.flatMap((item, index) =>
        ordersOf(items.filter((_, other) => other !== index)).map((rest) => [item, ...rest]),
      );

/** More slots than this are not put in every order. */
const MOST_SLOTS = 4;

/**
 * What may stand in the slots, in the order of the slots. Two signers whose documents give them the same place leave
 * the order open: then every order is an answer.
 */
const arrangeSlots = (
  copies: readonly Copy[],
  slots: readonly number[],
): readonly (readonly (SignedSlot | null)[])[] | null => {
  const held = slots.map((position) =>
    distinct(
      copies.map((copy) => slotAt(copy, position)).filter((slot) => slot !== null),
      slotName,
    ),
  );
  const all = distinct(held.flat(), slotName);
  if (distinct(all, ({ key }) => key).length < all.length) return null;
  if (held.every(({ length }) => length <= 1)) return [held.map(([slot]) => slot ?? null)];
  return all.length === slots.length && all.length <= MOST_SLOTS ? ordersOf(all) : null;
};

const pushName = (instruction: AuthenticationInstruction): string =>
  `${instruction.opcode} ${binToHex(dataOf(instruction))}`;

/** What stands at each position outside the slots; null when copies differ in more than open places. */
const joinRest = (
  copies: readonly Copy[],
  isInSlot: (position: number) => boolean,
): AuthenticationInstruction[] | null => {
  const [first = []] = copies;
  const joined: AuthenticationInstruction[] = [];
  for (const [position, own] of first.entries()) {
    const all = copies.map((copy) => copy[position] ?? own);
    const filled = distinct(
      all.filter((instruction) => !isOpenPush(dataOf(instruction))),
      pushName,
    );
    if (filled.length > 1 && !isInSlot(position)) return null;
    joined.push(filled[0] ?? own);
  }
  return joined;
};

const withSlots = (
  instructions: readonly AuthenticationInstruction[],
  first: Copy,
  slots: readonly number[],
  arrangement: readonly (SignedSlot | null)[],
): Uint8Array => {
  const result = [...instructions];
  for (const [index, position] of slots.entries()) {
    const slot = arrangement[index] ?? null;
    const data =
      slot === null
        ? [dataOf(first[position]), dataOf(first[position + 1])]
        : [hexToBin(slot.signature), hexToBin(slot.key)];
    for (const [offset, bytes] of data.entries()) {
      const instruction = result[position + offset];
      if (instruction !== undefined) result[position + offset] = { ...instruction, data: bytes };
    }
  }
  return encodeAuthenticationInstructions(result);
};

/**
 * What unlocks an input when the signatures of all copies are put together: one answer, several when only the VM can
 * tell the order of the signatures, none when the copies contradict each other.
 *
 * @example
 * joinInput([Uint8Array.of(), Uint8Array.of(0x51)]); // [Uint8Array.of(0x51)]
 * joinInput([Uint8Array.of(0x52), Uint8Array.of(0x51)]); // []
 */
export const joinInput = (copies: readonly Uint8Array[]): readonly Uint8Array[] => {
  const filled = distinct(
    copies.filter(({ length }) => length > 0),
    binToHex,
  );
  const [only = new Uint8Array(), ...others] = filled;
  if (others.length === 0) return [only];

  // Check: apart from the places of signatures, all say the same.
  const read = filled.map(readInstructions).filter((copy) => copy !== null);
  const [first = []] = read;
  const isAlike = read.length === filled.length && read.every(({ length }) => length === first.length);
  if (!isAlike) return [];
  const slots = slotsOf(read);
  const joined = joinRest(read, (position) => slots.includes(position) || slots.includes(position - 1));
  const arrangements = arrangeSlots(read, slots);
  if (joined === null || arrangements === null) return [];

  // Build:
  return arrangements.map((arrangement) => withSlots(joined, first, slots, arrangement));
};
