/** Attacks on who acts: another's signature, none, one made for something else. */
import { secp256k1 } from '@bitauth/libauth';
import type { Attack, Move } from './cases.js';
import { DUST, plain, thief } from './coins.js';
import { authority, outsider, owner, recipient } from './parties.js';
import { addOutputs, changeArgument, signedArgument, type Spend } from './spend.js';
import { functionOf, signaturesOf } from './move.js';

const PARTIES = [owner, recipient, authority, outsider];

export const signerAttacks = ({ build }: Move): Attack[] =>
  signaturesOf(build()).flatMap(({ index, by, role }): Attack[] => [
    ...PARTIES.filter((party) => party !== by).flatMap((party): Attack[] => [
      {
        attack: 'signer',
        name: `${party.name} signs in place of the ${role}`,
        build: () => changeArgument(build(), index, { sign: party }),
        refusedBy: `the ${role} signs`,
      },
      {
        attack: 'signer',
        name: `${party.name} signs with an own key in place of the ${role}`,
        build: () =>
          changeArgument(changeArgument(build(), index, { sign: party }), index - 1, party.publicKey),
        refusedBy: `the key is the ${role} key`,
      },
    ]),
    {
      attack: 'signer',
      name: `the ${role} does not sign`,
      build: () => changeArgument(build(), index, new Uint8Array()),
      refusedBy: `the ${role} signs`,
    },
    {
      attack: 'length',
      name: `the ${role} key comes in its long encoding`,
      build: () =>
        changeArgument(build(), index - 1, secp256k1.uncompressPublicKey(by.publicKey) as Uint8Array),
      refusedBy: `the key is the ${role} key`,
    },
  ]);

export const replayAttacks = (move: Move, others: readonly Move[]): Attack[] =>
  signaturesOf(move.build()).flatMap(({ index, by, role }): Attack[] => {
    const replay = (from: () => Spend, at: number) => () =>
      changeArgument(move.build(), index, signedArgument(from(), at));
    const elsewhere = others.flatMap((other) => {
      const found = signaturesOf(other.build()).find((signature) => signature.by === by);
      return found === undefined || functionOf(other) === functionOf(move)
        ? []
        : [{ other, index: found.index }];
    });
    return [
      {
        attack: 'replay',
        name: `the ${role} signature comes from a sibling deployment`,
        build: replay(() => move.build({ sibling: true }), index),
        refusedBy: `the ${role} signs`,
      },
      {
        attack: 'replay',
        name: `the ${role} signature comes from the same move with other outputs`,
        build: replay(() => addOutputs(move.build(), plain(thief.lock, DUST)), index),
        refusedBy: `the ${role} signs`,
      },
      ...elsewhere.map(({ other, index: at }) => ({
        attack: 'replay' as const,
        name: `the ${role} signature comes from ${functionOf(other)}`,
        build: replay(() => other.build(), at),
        refusedBy: `the ${role} signs`,
      })),
    ];
  });
