/** Which function of its contract an input called. Source: CashScript, the selector is pushed before the redeem script. */
import { hexToBin, vmNumberToBigInt, type AuthenticationInstruction } from '@bitauth/libauth';
import { readInstructions } from '../bch/instructions.js';
import { loadArtifact } from './artifact.js';
import type { PinnedContract } from './covenant-contract.js';

const OP_1 = 0x51;
const OP_16 = 0x60;

/**
 * The number that a push leaves on the stack, or null when it leaves none.
 *
 * @example
 * pushedNumber({ opcode: 0x53 }); // 3n
 * pushedNumber({ opcode: 0x87 }); // null
 */
export const pushedNumber = (instruction: AuthenticationInstruction): bigint | null => {
  if (instruction.opcode >= OP_1 && instruction.opcode <= OP_16) return BigInt(instruction.opcode - OP_1 + 1);
  if (!('data' in instruction)) return null;
  const number = vmNumberToBigInt(instruction.data);
  return typeof number === 'bigint' ? number : null;
};

/**
 * The name of the function that an unlocking bytecode (hex) of a contract with several calls; null when it calls none.
 *
 * @example
 * const { transaction } = mined(buildRecurringClaim({ ...spend, payerCoins: [] }, { periods: 1 }));
 * calledFunction(
 *   { name: 'recurring-payment', pinned: null },
 *   transaction.inputs[0].unlockingBytecode,
 * ); // 'claim'
 */
export const calledFunction = (
  { name, pinned }: PinnedContract,
  unlockingBytecode: string,
): string | null => {
  const selector = readInstructions(hexToBin(unlockingBytecode))?.at(-2);
  const index = selector === undefined ? null : pushedNumber(selector);
  return index === null ? null : (loadArtifact(name, pinned).abi[Number(index)]?.name ?? null);
};
