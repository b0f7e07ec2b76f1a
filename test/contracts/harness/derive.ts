/** The attacks that follow from a move alone, whatever the product: the same for every covenant. */
import type { Attack, Move, StateLayout } from './cases.js';
import { functionOf } from './move.js';
import { timeAttacks, witnessAttacks } from './derive-time.js';
import { commitmentAttacks, continuationAttacks, leakAttacks, placeAttacks } from './derive-thread.js';
import { promiseAttacks } from './derive-promises.js';
import { passengerAttacks, reserveAttacks } from './derive-reserve.js';
import { replayAttacks, signerAttacks } from './derive-signer.js';

/** The first move of every function, in BCH where there is one. */
const oneOfEach = (moves: readonly Move[]): Move[] => [
  ...new Map(moves.toReversed().map((move) => [functionOf(move), move])).values(),
];

/** All attacks that follow from a covenant's moves. */
export const deriveAttacks = (moves: readonly Move[], layout: StateLayout | null): Attack[] => {
  const label = (move: Move, derived: readonly Attack[]): Attack[] =>
    derived.map((attack) => ({ ...attack, name: `${move.name} (${move.asset}) › ${attack.name}` }));
  const each = oneOfEach(moves);
  return [
    ...moves.flatMap((move) =>
      label(move, [
        ...timeAttacks(move),
        ...witnessAttacks(move),
        ...(move.kind === 'pays' || move.kind === 'keeps' ? continuationAttacks(move) : []),
        ...(move.kind !== 'ends' && move.kind !== 'other' && layout !== null
          ? commitmentAttacks(move, layout)
          : []),
        ...(move.kind === 'pays' && move.asset === 'tokens' ? reserveAttacks(move) : []),
        ...(move.kind === 'keeps' ? passengerAttacks(move) : []),
        ...(move.kind === 'ends' ? leakAttacks(move) : []),
        ...(move.kind === 'other' ? [] : [...promiseAttacks(move), ...placeAttacks(move)]),
      ]),
    ),
    ...each.flatMap((move) => label(move, [...signerAttacks(move), ...replayAttacks(move, each)])),
  ];
};
