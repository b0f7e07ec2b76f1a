/** Mutations of calls: arguments, signatures, and which function is called. */
import { bigIntToVmNumber } from '@bitauth/libauth';
import { isSigning, type Argument } from '../harness/bound.js';
import type { Input, Spend, Unlock } from '../harness/spend.js';
import type { Base } from './base.js';
import { replaceAt, type Mutation } from './mutation.js';
import type { Random } from './random.js';

/** Changes the call of an input that calls something. */
const someCall = (
  spend: Spend,
  random: Random,
  change: (unlock: Extract<Unlock, { call: string }>) => Unlock,
): Spend => {
  const callers = spend.inputs.flatMap(({ unlock }, index) => ('key' in unlock ? [] : [index]));
  if (callers.length === 0) return spend;
  const index = random.once(3) ? random.pick(callers) : (callers[0] ?? 0);
  const input = spend.inputs[index] as Input;
  if ('key' in input.unlock) return spend;
  return { ...spend, inputs: replaceAt(spend.inputs, index, { ...input, unlock: change(input.unlock) }) };
};

const numberArgument = (base: Base, random: Random): bigint =>
  random.pick([
    ...base.amounts,
    0n,
    -1n,
    2n,
    3n,
    BigInt(random.integer(8)),
    random.amount(random.pick(base.amounts)),
    -random.amount(random.pick(base.amounts)),
    2n ** 63n - 1n,
  ]);

const changeArgument = (argument: Argument, base: Base, random: Random): Argument => {
  if (isSigning(argument)) {
    return random.pick<Argument>([
      { sign: base.attacker },
      { ...argument, ecdsa: true },
      { ...argument, hashType: random.pick([0x41, 0x42, 0x43, 0xc1, 0xc2, 0xc3, 0x62, 0x63, 0xe1]) },
      new Uint8Array(),
      new Uint8Array(65).fill(random.integer(256)),
    ]);
  }
  const kind = random.integer(5);
  if (typeof argument === 'bigint') {
    if (kind > 0) return kind < 3 ? argument + BigInt(random.integer(5) - 2) : numberArgument(base, random);
    return Uint8Array.from([...bigIntToVmNumber(argument), 0]);
  }
  // A signature that was replaced before: CashScript makes no script with one of another length.
  const isSignature = argument.length === 0 || argument.length === 65;
  if (isSignature) return argument.map((byte) => byte ^ random.integer(2));
  if (kind === 0) return Uint8Array.from([...argument, random.integer(2)]);
  if (kind === 1) return argument.slice(0, -1);
  if (kind === 2) return base.attacker.publicKey;
  if (kind === 3) return base.attacker.hash;
  const at = random.integer(argument.length);
  return argument.map((byte, index) => (index === at ? byte ^ (1 << random.integer(8)) : byte));
};

export const argument: Mutation = (spend, base, random) =>
  someCall(spend, random, (unlock) => {
    if (unlock.args.length === 0) return unlock;
    const index = random.integer(unlock.args.length);
    const changed = changeArgument(unlock.args[index] as Argument, base, random);
    return { ...unlock, args: replaceAt(unlock.args, index, changed) };
  });

/** Key and signature of somebody else in the place of a party's. */
export const impersonate: Mutation = (spend, base, random) =>
  someCall(spend, random, (unlock) => {
    const signatures = unlock.args.flatMap((item, index) => (index > 0 && isSigning(item) ? [index] : []));
    if (signatures.length === 0) return unlock;
    const at = random.pick(signatures);
    const by = random.pick([base.attacker, base.attacker, ...Object.values(base.roles)]);
    const args = replaceAt<Argument>(
      replaceAt<Argument>(unlock.args, at, { sign: by }),
      at - 1,
      by.publicKey,
    );
    return { ...unlock, args };
  });

/** Another function of the contract, called as it wants to be called. */
export const otherCall: Mutation = (spend, base, random) =>
  someCall(spend, random, (unlock) => {
    const { call, inputs } = random.pick(base.calls);
    if (!unlock.contract.artifact.abi.some(({ name }) => name === call)) return unlock;
    const args = inputs.map((name): Argument => {
      const role = name.replace(/^key|^sig/, '').replace(/Key$|Sig$/, '');
      const party = base.roles[role] ?? base.attacker;
      if (/^sig|Sig$/.test(name)) return { sign: party };
      if (/^key|Key$/.test(name)) return party.publicKey;
      return name.endsWith('Hash') ? base.attacker.hash : numberArgument(base, random);
    });
    return { ...unlock, call, args };
  });
