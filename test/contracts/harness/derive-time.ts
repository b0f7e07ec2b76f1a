/** Attacks with the clock, and with the authority's witness of it. */
import type { Attack, Move } from './cases.js';
import { DUST, NOW, owned, plain } from './coins.js';
import { authority, outsider, owner } from './parties.js';
import { addInputs, changeArgument, FINAL, signedArgument, type Spend } from './spend.js';
import { signaturesOf } from './move.js';

const FUTURE = NOW + 1_000_000;
const BLOCK_HEIGHT = 900_000;

export const timeAttacks = ({ atHeight, build }: Move): Attack[] =>
  atHeight === undefined
    ? []
    : [
        {
          attack: 'future-time',
          name: 'a locktime in the future',
          build: () => build({ now: FUTURE }),
          refusedBy: 'chain: the locktime has not passed',
        },
        {
          attack: 'final-sequences',
          name: 'a locktime in the future and final sequences',
          build: () => {
            const spend = build({ now: FUTURE });
            return { ...spend, inputs: spend.inputs.map((input) => ({ ...input, sequence: FINAL })) };
          },
          refusedBy: 'the locktime is in force',
        },
        {
          attack: 'block-height',
          name: 'a block height as locktime',
          build: () => build({ now: BLOCK_HEIGHT }),
          refusedBy: atHeight,
        },
      ];

const EARLIER = NOW - 1_000;

export const witnessAttacks = ({ witnessed, build }: Move): Attack[] => {
  if (witnessed !== true) return [];
  const witness = (spend: Spend) => signaturesOf(spend).find(({ role }) => role === 'authority')?.index ?? -1;
  const withoutTicket = (spend: Spend): Spend => {
    const at = witness(spend);
    const kept = changeArgument(spend, at, signedArgument(spend, at));
    return { ...kept, inputs: kept.inputs.filter(({ coin }) => coin.lockingBytecode !== authority.lock) };
  };
  return [
    {
      attack: 'no-witness',
      name: "an old locktime, the sender's signature twice",
      build: () => {
        const spend = build({ now: EARLIER });
        return changeArgument(spend, witness(spend), { sign: owner });
      },
      refusedBy: 'the authority signs',
    },
    {
      attack: 'no-witness',
      name: "an old locktime, the sender's key in the authority's place",
      build: () => {
        const spend = build({ now: EARLIER });
        const at = witness(spend);
        return changeArgument(changeArgument(spend, at, { sign: owner }), at - 1, owner.publicKey);
      },
      refusedBy: 'the key is the authority key',
    },
    {
      attack: 'other-witness',
      name: "an old locktime, the authority's signature of the same move now",
      build: () => {
        const spend = build({ now: EARLIER });
        const at = witness(spend);
        return changeArgument(spend, at, signedArgument(build(), at));
      },
      refusedBy: 'the authority signs',
    },
    {
      attack: 'ticket',
      name: 'the ticket is spent elsewhere, so it is left out',
      build: () => withoutTicket(build({ now: EARLIER })),
      refusedBy: 'the authority signs',
    },
    {
      attack: 'ticket',
      name: 'the ticket is spent elsewhere, so another coin stands in its place',
      build: () => {
        const spend = build({ now: EARLIER });
        const at = spend.inputs.findIndex(({ coin }) => coin.lockingBytecode === authority.lock);
        const kept = withoutTicket(spend);
        return addInputs(kept, [owned('another ticket', outsider, plain(outsider.lock, DUST))], at);
      },
      refusedBy: 'the authority signs',
    },
  ];
};
