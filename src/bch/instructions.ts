/** What unlocks an input, read. */
import {
  authenticationInstructionsAreMalformed,
  decodeAuthenticationInstructions,
  type AuthenticationInstruction,
} from '@bitauth/libauth';

/**
 * The pushes and operations of an input; null when they cannot be read.
 *
 * @example
 * readInstructions(Uint8Array.of(0x51)); // [{ opcode: 0x51 }]
 * readInstructions(Uint8Array.of(0x02, 0xff)); // null
 */
export const readInstructions = (unlockingBytecode: Uint8Array): AuthenticationInstruction[] | null => {
  const instructions = decodeAuthenticationInstructions(unlockingBytecode);
  return authenticationInstructionsAreMalformed(instructions) ? null : instructions;
};

/**
 * What an input pushes, in order; nothing when it cannot be read.
 *
 * @example
 * pushesOf(Uint8Array.of(0x01, 0xff)); // [Uint8Array.of(0xff)]
 */
export const pushesOf = (unlockingBytecode: Uint8Array): Uint8Array[] =>
  (readInstructions(unlockingBytecode) ?? []).flatMap((instruction) =>
    'data' in instruction ? [instruction.data] : [],
  );
