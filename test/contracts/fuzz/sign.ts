/** Who signs a mutated spend: the hostile ones of those whose signature it needs. The others signed the base only. */
import { isSigning, type Argument, type Signing } from '../harness/bound.js';
import { plain } from '../harness/coins.js';
import { authority, type Party } from '../harness/parties.js';
import { buildTransaction, type Built, type Input, type Spend } from '../harness/spend.js';
import { decodeAuthenticationInstructions } from '@bitauth/libauth';
import type { Base } from './base.js';
import type { Random } from './random.js';

const CARELESS = [0x61, 0x41, 0x42, 0x43, 0xc1, 0xc2, 0xc3, 0x62, 0x63] as const;

/** A party's signature at an input of the base, if it ever gave one. */
const givenSignature = (
  base: Base,
  { txid, vout }: Input,
  signing: Signing,
  hashType: number,
): Uint8Array => {
  const at = base.spend.inputs.findIndex((input) => input.txid === txid && input.vout === vout);
  const unlock = base.spend.inputs[at]?.unlock;
  if (unlock === undefined || 'key' in unlock) return new Uint8Array();
  const index = unlock.args.findIndex((argument) => isSigning(argument) && argument.sign === signing.sign);
  if (index === -1) return new Uint8Array();
  const args = unlock.args.map((argument, number) =>
    number === index ? { sign: signing.sign, hashType } : argument,
  );
  const inputs = base.spend.inputs.map((input, number) =>
    number === at ? { ...input, unlock: { ...unlock, args } } : input,
  );
  const { transaction } = buildTransaction({ ...base.spend, inputs });
  const pushes = decodeAuthenticationInstructions(
    transaction.inputs[at]?.unlockingBytecode ?? new Uint8Array(),
  );
  const push = pushes[args.length - 1 - index];
  return push !== undefined && 'data' in push ? push.data : new Uint8Array();
};

/** Those whose signature the calls of a spend need. */
const neededBy = ({ inputs }: Spend): Party[] => [
  ...new Set(
    inputs.flatMap(({ unlock }) =>
      'key' in unlock ? [] : unlock.args.flatMap((argument) => (isSigning(argument) ? [argument.sign] : [])),
    ),
  ),
];

export type Signed = {
  readonly spend: Spend;
  readonly built: Built;
  /** Names, for the report. */
  readonly hostile: readonly string[];
  readonly isWitnessHonest: boolean;
};

/** All that are needed, most often; else one of them, or none. */
const drawHostile = (needed: readonly Party[], base: Base, random: Random): Party[] => {
  const shuffled = [...needed].sort((a, b) => (a.name < b.name ? -1 : 1));
  if (!random.once(4)) return shuffled.slice(0, Math.max(base.mostHostile, 0));
  return random.once(3) || shuffled.length === 0 ? [] : [random.pick(shuffled)];
};

const flipByte = (built: Built, random: Random): Built => {
  const at = random.integer(built.transaction.inputs.length);
  const inputs = built.transaction.inputs.map((input, index) => {
    if (index !== at || input.unlockingBytecode.length === 0) return input;
    const byte = random.integer(input.unlockingBytecode.length);
    const unlockingBytecode = Uint8Array.from(input.unlockingBytecode);
    unlockingBytecode[byte] = (unlockingBytecode[byte] ?? 0) ^ (1 << random.integer(8));
    return { ...input, unlockingBytecode };
  });
  return { ...built, transaction: { ...built.transaction, inputs } };
};

/** Signs a mutated spend, and sometimes changes a byte of what was signed. */
export const signMutant = (base: Base, draft: Spend, now: number, random: Random): Signed => {
  const hostile = new Set([...drawHostile(neededBy(draft), base, random), base.attacker]);
  const isWitnessHonest = !random.once(3);
  const signs = (party: Party): boolean =>
    hostile.has(party) && (party !== authority || !isWitnessHonest || draft.locktime === now);
  const hashType = base.isCareless ? random.pick(CARELESS) : 0x61;
  const frozen = (input: Input, argument: Argument): Argument =>
    isSigning(argument) && !signs(argument.sign) ? givenSignature(base, input, argument, hashType) : argument;
  const inputs = draft.inputs.map((input): Input => {
    const { unlock, coin } = input;
    if ('key' in unlock) {
      if (signs(unlock.key)) return input;
      const own = { ...plain(base.attacker.lock, coin.valueSatoshis), ...tokenOf(coin) };
      return { ...input, coin: own, unlock: { key: base.attacker } };
    }
    return { ...input, unlock: { ...unlock, args: unlock.args.map((argument) => frozen(input, argument)) } };
  });
  const spend = { ...draft, inputs };
  const built = buildTransaction(spend);
  return {
    spend,
    built: random.once(25) ? flipByte(built, random) : built,
    hostile: [...hostile].map(({ name }) => name),
    isWitnessHonest,
  };
};

const tokenOf = ({ token }: Input['coin']): Pick<Input['coin'], 'token'> =>
  token === undefined ? {} : { token };
