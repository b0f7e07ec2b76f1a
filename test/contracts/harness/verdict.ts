/** What the network says to a spend: libauth's VM of 2025, the standard one of 2026, and the chain's finality. */
import {
  createVirtualMachineBch2025,
  createVirtualMachineBch2026,
  OpcodesBch,
  type AuthenticationProgramStateBch,
  type Output,
  type Transaction,
} from '@bitauth/libauth';
import type { Bound } from './bound.js';
import { buildTransaction, FINAL, type Built, type Spend } from './spend.js';

type Machine = {
  readonly verify: (built: { transaction: Transaction; sourceOutputs: Output[] }) => string | true;
  readonly evaluate: (program: Built & { inputIndex: number }) => AuthenticationProgramStateBch;
  readonly debug: (program: Built & { inputIndex: number }) => AuthenticationProgramStateBch[];
  readonly stateSuccess: (state: AuthenticationProgramStateBch) => string | true;
};

/**
 * The rules that a spend is tried under. Of 2025 it is what blocks may hold: what nodes relayed ended at unlocking scripts
 * of 1,650 bytes, which contracts with a push are above.
 */
export const MACHINES: Readonly<Record<'2025' | '2026', Machine>> = {
  '2025': createVirtualMachineBch2025(false),
  '2026': createVirtualMachineBch2026(true),
};
export type Rules = keyof typeof MACHINES;

const FIRST_TIME = 500_000_000;
const CHAIN_HEIGHT = 950_000;

/** Null when the locktime has passed, or does not count. Source: BIP113. */
const refusedByChain = ({ inputs, locktime, chainTime }: Spend): string | null => {
  if (locktime === 0 || inputs.every(({ sequence }) => sequence === FINAL)) return null;
  const limit = locktime < FIRST_TIME ? CHAIN_HEIGHT : chainTime;
  return locktime < limit ? null : 'chain: the locktime has not passed';
};

const opcodeName = (opcode: number): string => OpcodesBch[opcode] ?? `opcode ${opcode}`;

/** Ends of branches and of functions: what runs after the last check of a function. */
const CLEANUP = new Set<number | undefined>([
  undefined,
  OpcodesBch.OP_ENDIF,
  OpcodesBch.OP_ELSE,
  OpcodesBch.OP_NIP,
  OpcodesBch.OP_DROP,
  OpcodesBch.OP_2DROP,
]);

const messageAt = ({ artifact }: Bound, ip: number): string | undefined => {
  const found = artifact.debug?.requires.find((statement) => statement.ip === ip);
  return found === undefined ? undefined : (found.message ?? `line ${found.line}`);
};

/** Which `require` ended a run with an error. */
export const messageOfError = (
  { ip, instructions }: AuthenticationProgramStateBch,
  contract: Bound,
): string => {
  const opcode = instructions[ip - 1]?.opcode ?? -1;
  const isLastSignature = opcode === (OpcodesBch.OP_CHECKSIG as number);
  return messageAt(contract, isLastSignature ? ip : ip - 1) ?? `vm: ${opcodeName(opcode)}`;
};

/** False in a branch that is not taken. */
const isExecuting = ({ controlStack }: AuthenticationProgramStateBch): boolean =>
  (controlStack as unknown[]).every((item) => item === true);

/**
 * Which `require` of a contract refused, by its message; `vm: …` where an operation failed that is none.
 * The instruction that fails is the one before the state that carries the error; the last check of a function has
 * no OP_VERIFY of its own, and counts at the instruction after it.
 */
const nameRefusal = (machine: Machine, built: Built, inputIndex: number, contract: Bound): string | null => {
  // Most often the last state tells, and the others, copied one by one, cost ten times the run.
  const end = machine.evaluate({ ...built, inputIndex });
  if (isExecuting(end)) {
    if (end.error !== undefined) return messageOfError(end, contract);
    if (machine.stateSuccess(end) === true) return null;
  }
  const states = machine.debug({ ...built, inputIndex });
  const begin = states.findLastIndex(({ ip }) => ip === 0);
  const executed = states.slice(begin).filter(isExecuting);
  const last = executed.at(-1);
  if (last === undefined) throw new Error('nothing was executed');
  if (last.error !== undefined) return messageOfError(last, contract);
  const success = machine.stateSuccess(last);
  if (success === true) return null;
  const check = executed.findLast(({ instructions, ip }) => !CLEANUP.has(instructions[ip]?.opcode));
  return messageAt(contract, (check?.ip ?? 0) + 1) ?? `vm: ${success}`;
};

export type Verdict = {
  readonly accepted: boolean;
  /** By input: the message of the `require` that refused, or null; for inputs that call contracts. */
  readonly inputs: readonly (string | null)[];
  /** What the chain or the rules of transactions say, or null. */
  readonly transaction: string | null;
  readonly built: Built;
};

/** Tries a spend under the rules of a year; `built` when it is signed already. */
export const tryTransaction = (
  spend: Spend,
  rules: Rules,
  built: Built = buildTransaction(spend),
): Verdict => {
  const machine = MACHINES[rules];
  const chain = refusedByChain(spend);
  const verified = machine.verify(built);
  if (verified === true && chain === null) {
    return { accepted: true, inputs: spend.inputs.map(() => null), transaction: null, built };
  }
  const inputs = spend.inputs.map(({ unlock }, index) =>
    verified === true || 'key' in unlock ? null : nameRefusal(machine, built, index, unlock.contract),
  );
  return { accepted: false, inputs, transaction: chain ?? (verified === true ? null : verified), built };
};

/** Who refused, in one word: the contract at `input`, else the transaction's own rules. */
export const refusalOf = (verdict: Verdict, input = 0): string =>
  verdict.accepted ? 'accepted' : (verdict.inputs[input] ?? verdict.transaction ?? 'nobody');
