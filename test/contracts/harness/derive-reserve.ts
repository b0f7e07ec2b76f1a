/** Attacks on the reserve: skimmed, replaced by a decoy, riding along. */
import { hexToBin } from '@bitauth/libauth';
import type { Attack, Move } from './cases.js';
import { fungible, OTHER, owned, reserveCoin, reserveLockOf, thief, TOKEN } from './coins.js';
import { outsider } from './parties.js';
import { addInputs, addOutputs, callAt, changeOutput, type Output, type Spend } from './spend.js';

/** Whether a move leaves a reserve behind, which is then output 1. */
const leavesReserve = (spend: Spend): boolean => {
  const lock = reserveLockOf(spend.inputs[0]?.coin.lockingBytecode as Uint8Array);
  return spend.outputs.some(({ lockingBytecode }) => Buffer.compare(lockingBytecode, lock) === 0);
};

const amountOf = (spend: Spend, index: number): bigint => spend.outputs[index]?.token?.amount ?? 0n;

/** The reserve with less in it, and the difference with a thief. */
const skimReserve = (spend: Spend, amount: bigint): Spend => {
  const reserve = spend.outputs[1] as Output;
  const token = { category: hexToBin(TOKEN), amount: amountOf(spend, 1) - amount };
  return addOutputs(changeOutput(spend, 1, { ...reserve, token }), fungible(thief.lock, amount));
};

const withDecoy = (spend: Spend, amount: bigint): Spend => {
  const { contract } = callAt(spend);
  return addInputs(spend, [reserveCoin(contract, amount, 'decoy')], 1);
};

/** Moves the true reserve (behind the decoy at input 1) to a later input. */
const reserveAt = (spend: Spend, at: number): Spend => {
  const [thread, decoy, reserve, ...rest] = spend.inputs;
  if (thread === undefined || decoy === undefined || reserve === undefined) throw new Error('no reserve');
  const later = [...rest.slice(0, at - 2), reserve, ...rest.slice(at - 2)];
  return { ...spend, inputs: [thread, decoy, ...later] };
};

export const reserveAttacks = ({ build }: Move): Attack[] => {
  if (!leavesReserve(build())) return [];
  const holdsRest = 'the reserve holds what remains';
  const { call } = callAt(build());
  const isRefill = call === 'refill';
  // What is brought for the attack is a coin too many for a push.
  const tooMany = call === 'push' ? 'at most two inputs join' : null;
  const positions = build()
    .inputs.slice(2)
    .map((_, index) => index + 2);
  return [
    {
      attack: 'skim-reserve',
      name: '1 token is skimmed from the reserve',
      build: () => skimReserve(build(), 1n),
      refusedBy: isRefill ? 'the pool grows by whole periods' : holdsRest,
    },
    {
      attack: 'skim-reserve',
      name: "the reserve goes to a thief's address",
      build: () => changeOutput(build(), 1, { lockingBytecode: thief.lock }),
      refusedBy: 'output 1 is the reserve',
    },
    {
      attack: 'skim-reserve',
      name: "the reserve goes to a sibling's reserve",
      build: () => {
        const sibling = build({ sibling: true }).inputs[0]?.coin.lockingBytecode as Uint8Array;
        return changeOutput(build(), 1, { lockingBytecode: reserveLockOf(sibling) });
      },
      refusedBy: 'output 1 is the reserve',
    },
    {
      attack: 'other-token',
      name: 'the reserve is filled with another token',
      build: () => {
        const spend = build();
        const amount = amountOf(spend, 1);
        const other = fungible(outsider.lock, amount, OTHER);
        const swapped = changeOutput(spend, 1, { token: { category: hexToBin(OTHER), amount } });
        return addOutputs(
          addInputs(swapped, [owned('other tokens', outsider, other)]),
          fungible(thief.lock, amount),
        );
      },
      refusedBy: tooMany ?? 'the reserve holds the token',
    },
    ...(isRefill
      ? []
      : positions.map((at) => ({
          attack: 'decoy' as const,
          name: `a decoy at input 1 accounts for the reserve, the true one rides at input ${at}`,
          build: () => {
            const spend = build();
            return reserveAt(skimReserve(withDecoy(spend, 1n), amountOf(spend, 1) - 1n), at);
          },
          refusedBy: tooMany ?? holdsRest,
        }))),
  ];
};

export const passengerAttacks = ({ asset, build }: Move): Attack[] => {
  const ride = (at: number) => () => {
    const spend = build();
    const { contract } = callAt(spend);
    const [thread, ...others] = spend.inputs;
    if (thread === undefined) throw new Error('no thread');
    const coins = others.filter((input) => input.coin.token === undefined).slice(0, 2);
    const filled = [...coins, owned('a second fee', thief)].slice(0, Math.max(coins.length, at - 1));
    const ridden = [...filled.slice(0, at - 1), reserveCoin(contract, 5_000n), ...filled.slice(at - 1)];
    const inputs = at < 3 ? ridden.slice(0, 2) : ridden;
    return addOutputs({ ...spend, inputs: [thread, ...inputs] }, fungible(thief.lock, 5_000n));
  };
  const stray = asset === 'BCH' ? 'a stray token coin' : 'the reserve';
  return [
    {
      attack: 'passenger',
      name: `${stray} rides at input 1`,
      build: ride(1),
      refusedBy: 'input 1 has no token',
    },
    {
      attack: 'passenger',
      name: `${stray} rides at input 2`,
      build: ride(2),
      refusedBy: 'input 2 has no token',
    },
    {
      attack: 'passenger',
      name: `${stray} rides at input 3`,
      build: ride(3),
      refusedBy: 'at most two inputs join',
    },
  ];
};
