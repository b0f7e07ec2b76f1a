/** Attacks on what a contract promises: something glued to it that its receiver cannot shed, or too little to move it. */
import { hexToBin } from '@bitauth/libauth';
import type { Attack, Move } from './cases.js';
import { nft, OTHER, owned, reserveLockOf, TOKEN } from './coins.js';
import { outsider, recipient } from './parties.js';
import { addInputs, callAt, changeOutput, type Output, type Spend } from './spend.js';

/** Functions that pay a party who does not sign, or that the contract pays whoever signs. */
const PAYING: readonly string[] = ['distribute', 'pause', 'cancel'];

type Promised = { readonly index: number; readonly name: 'reserve' | 'payout' | 'refund' };

const isLock = (output: Output, lock: Uint8Array): boolean =>
  Buffer.compare(output.lockingBytecode, lock) === 0;

/** The outputs of a move that the contract promises, the thread apart. */
const promisedIn = (spend: Spend): readonly Promised[] => {
  const { call, contract } = callAt(spend);
  const reserve = reserveLockOf(contract.lock);
  const payee = contract.name === 'reward-campaign' && call === 'cancel' ? 'refund' : 'payout';
  return spend.outputs.flatMap((output, index): Promised[] => {
    if (isLock(output, reserve)) return [{ index, name: 'reserve' }];
    const isPaid = isLock(output, recipient.lock) || isLock(output, outsider.lock);
    return PAYING.includes(call) && isPaid ? [{ index, name: payee }] : [];
  });
};

/** What refuses another category: in tokens an NFT that can change has one. */
const OTHER_CATEGORY = {
  reserve: 'the reserve holds the token',
  refund: 'the refund is in the token',
  payout: 'the recipient gets the token',
} as const;

type Glued = {
  readonly name: string;
  readonly capability: 'none' | 'mutable' | 'minting';
  readonly commitment: string;
};
const GLUED: readonly Glued[] = [
  { name: 'an immutable NFT with a commitment of 5 bytes', capability: 'none', commitment: '0100000000' },
  { name: 'an immutable NFT with a commitment of 1 byte', capability: 'none', commitment: '00' },
  { name: 'a mutable NFT with the state of a vault', capability: 'mutable', commitment: '0100000000' },
  { name: 'a minting NFT', capability: 'minting', commitment: '' },
];

/** The output with an NFT glued to it, of the token that it holds or else of any, and the coin that brings the NFT. */
const glue = (spend: Spend, index: number, { capability, commitment }: Glued): Spend => {
  const output = spend.outputs[index] as Output;
  const category = output.token === undefined ? OTHER : TOKEN;
  const token = {
    category: hexToBin(category),
    amount: output.token?.amount ?? 0n,
    nft: { capability, commitment: hexToBin(commitment) },
  };
  const brought = owned('an NFT', outsider, nft(outsider.lock, '', 1_000n, category, 'minting'));
  return changeOutput(addInputs(spend, [brought]), index, { token });
};

const gluedTo = (build: Move['build'], { index, name }: Promised): Attack[] => {
  const spend = build();
  const isToken = spend.outputs[index]?.token !== undefined;
  const category =
    name === 'payout' && callAt(spend).call === 'distribute'
      ? 'the payout is in the token'
      : OTHER_CATEGORY[name];
  const refusedBy = ({ capability }: Glued): string => {
    if (!isToken) return `the ${name} carries no token`;
    if (capability !== 'none') return category;
    return name === 'reserve' ? 'the reserve holds no NFT' : `the ${name} carries no NFT`;
  };
  return GLUED.map((glued) => ({
    attack: 'glued',
    name: `${glued.name} is glued to the ${name}`,
    build: () => glue(build(), index, glued),
    refusedBy: refusedBy(glued),
  }));
};

/** A push takes no coin that could be glued: what it is tried with instead stands in test/contracts/pushes. */
const isPush = (spend: Spend): boolean => callAt(spend).call === 'push';

export const promiseAttacks = ({ build }: Move): Attack[] =>
  (isPush(build()) ? [] : promisedIn(build())).flatMap((promised): Attack[] => {
    const { index, name } = promised;
    const isToken = build().outputs[index]?.token !== undefined;
    const tokens = { category: hexToBin(OTHER), amount: 7n };
    return [
      ...gluedTo(build, promised),
      ...(isToken
        ? [0n, 546n, 999n].map((valueSatoshis): Attack => ({
            attack: 'too-light',
            name: `the ${name} has ${valueSatoshis} satoshis`,
            build: () => changeOutput(build(), index, { valueSatoshis }),
            refusedBy: `the ${name} has satoshis of its own`,
          }))
        : [
            {
              attack: 'glued',
              name: `tokens are glued to the ${name}`,
              build: () =>
                changeOutput(
                  addInputs(build(), [
                    owned('tokens', outsider, {
                      lockingBytecode: outsider.lock,
                      valueSatoshis: 1_000n,
                      token: tokens,
                    }),
                  ]),
                  index,
                  { token: tokens },
                ),
              refusedBy: `the ${name} carries no token`,
            } satisfies Attack,
          ]),
    ];
  });
