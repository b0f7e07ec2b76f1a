/** What can be wrong with who acts, where and when: signatures, places of inputs, locktimes out of force. */
import { hexToBin } from '@bitauth/libauth';
import { OTHER, owned, plain, DUST } from '../../harness/coins.js';
import { signaturesOf } from '../../harness/move.js';
import { authority, outsider, owner, recipient } from '../../harness/parties.js';
import {
  changeArgument,
  FINAL,
  signedArgument,
  type Input,
  type Output,
  type Spend,
} from '../../harness/spend.js';
import type { Random } from '../random.js';
import { fit, type Fault } from './fault.js';
import { attemptAt, buildMove, buildSibling, thief, type Legit, type Scene } from './scene.js';

const PARTIES = [owner, recipient, authority, outsider, thief];

const withOutput = (spend: Spend): Spend =>
  fit({ ...spend, outputs: [...spend.outputs, plain(thief.lock, DUST)] }, thief);

/** Somebody else, nobody, or a signature that was given for something else. */
const signatureFaults = <Terms, State>(
  scene: Scene<Terms, State>,
  { spend, attempt }: Legit<State>,
): Fault[] =>
  signaturesOf(spend).flatMap(({ index, by, role }): Fault[] => {
    const signs = { invariant: 'I7', refusedBy: `the ${role} signs` } as const;
    const given = (from: Spend, at = index): Spend => changeArgument(spend, index, signedArgument(from, at));
    const elsewhere = [...new Set(scene.covenant.calls)].flatMap((call) => {
      if (call === attempt.call) return [];
      const other = buildMove(scene, attemptAt(scene, call));
      const found = signaturesOf(other).find((signature) => signature.by === by);
      return found === undefined ? [] : [{ other, at: found.index, call }];
    });
    return [
      ...PARTIES.filter((party) => party !== by).flatMap((party): Fault[] => [
        {
          name: `${party.name} signs for the ${role}`,
          ...signs,
          spend: changeArgument(spend, index, { sign: party }),
        },
        {
          name: `${party.name} signs with an own key for the ${role}`,
          invariant: 'I7',
          refusedBy: `the key is the ${role} key`,
          spend: changeArgument(changeArgument(spend, index, { sign: party }), index - 1, party.publicKey),
        },
      ]),
      { name: `the ${role} does not sign`, ...signs, spend: changeArgument(spend, index, new Uint8Array()) },
      {
        name: `the ${role} signed the same with another output`,
        ...signs,
        spend: given(withOutput(spend)),
      },
      {
        name: `the ${role} signed the same a second before`,
        ...signs,
        spend: given(buildMove(scene, attemptAt(scene, attempt.call, 'all', scene.now - 1), scene.now - 1)),
      },
      { name: `the ${role} signed for the sibling`, ...signs, spend: given(buildSibling(scene, attempt)) },
      ...elsewhere.map(({ other, at, call }): Fault => ({
        name: `the ${role} signed a ${call}`,
        ...signs,
        spend: given(other, at),
      })),
    ];
  });

/** Another coin at input 0, or another coin of the covenant behind it. */
const placeFaults = <Terms, State>(scene: Scene<Terms, State>, { spend, attempt }: Legit<State>): Fault[] => {
  const [thread] = spend.inputs as [Input];
  const token = thread.coin.token as NonNullable<Output['token']>;
  const isFirst = { invariant: 'I5', refusedBy: 'the thread is input 0', input: 1 } as const;
  const other = buildSibling(scene, attempt);
  const [sibling] = other.inputs as [Input];
  const forged = {
    ...thread,
    vout: 77,
    coin: { ...thread.coin, token: { ...token, category: hexToBin(OTHER) } },
  };
  const stray = { ...thread, vout: 78, coin: plain(thread.coin.lockingBytecode, 90_000n) };
  const own = other.outputs.slice(0, attempt.after === null ? 0 : 1);
  // A move that pays nothing has room for two inputs beside the thread.
  const kept = spend.inputs.slice(!attempt.opens && spend.inputs.length > 2 ? 2 : 1);
  const behind = (input: Input, outputs: readonly Output[]): Spend =>
    fit(
      {
        ...spend,
        inputs: [thread, input, ...kept],
        outputs: [...spend.outputs, ...outputs],
      },
      thief,
    );
  const before = (input: Input): Spend => fit({ ...spend, inputs: [input, ...spend.inputs] }, thief);
  return [
    { name: 'the sibling moves too', ...isFirst, spend: behind(sibling, own) },
    { name: 'a gift at the covenant is taken', ...isFirst, spend: behind(stray, []) },
    { name: 'a forged thread is taken along', ...isFirst, spend: behind(forged, []) },
    { name: 'the thread stands behind a coin of a thief', ...isFirst, spend: before(owned('first', thief)) },
    { name: 'the thread stands behind a forged one', ...isFirst, spend: before(forged) },
    { name: 'the thread stands behind its sibling', ...isFirst, spend: before(sibling) },
  ];
};

/** Functions that read no time. */
const TIMELESS: readonly string[] = ['transfer', 'refill', 'reward-campaign pause', 'reward-campaign cancel'];

const isTimeless = ({ product }: { readonly product: string }, call: string): boolean =>
  TIMELESS.includes(call) || TIMELESS.includes(`${product} ${call}`);

/** The spend with sequences that put its locktime out of force. */
export const withFinalSequences = (spend: Spend): Spend => ({
  ...spend,
  inputs: spend.inputs.map((input) => ({ ...input, sequence: FINAL })),
});

const sequenceFaults = <Terms, State>(
  scene: Scene<Terms, State>,
  { spend, attempt }: Legit<State>,
  random: Random,
): Fault[] => {
  if (isTimeless(scene, attempt.call)) return [];
  const later = scene.now + 1 + random.integer(1_000_000);
  const future = attemptAt(scene, attempt.call, 'all', later);
  const next = attemptAt(scene, attempt.call, 'all', scene.now + 1);
  const inForce = { invariant: 'I3', refusedBy: 'the locktime is in force' } as const;
  return [
    { name: 'the locktime is out of force', ...inForce, spend: withFinalSequences(spend) },
    {
      name: 'only the thread puts the locktime out of force',
      ...inForce,
      spend: {
        ...spend,
        inputs: spend.inputs.map((input, index) => (index === 0 ? { ...input, sequence: FINAL } : input)),
      },
    },
    ...(future.isAllowed
      ? [
          {
            name: 'as of a time to come, out of force',
            ...inForce,
            spend: withFinalSequences(buildMove(scene, future, later)),
          },
        ]
      : []),
    ...(next.isAllowed
      ? [
          {
            name: 'a second before its time',
            invariant: 'I3' as const,
            refusedBy: 'chain: the locktime has not passed',
            spend: buildMove(scene, next, scene.now + 1),
          },
        ]
      : []),
  ];
};

/** Somebody else acts, somewhere else, or at another time. */
export const signerFaults = <Terms, State>(
  scene: Scene<Terms, State>,
  legit: Legit<State>,
  random: Random,
): Fault[] => [
  ...signatureFaults(scene, legit),
  ...placeFaults(scene, legit),
  ...sequenceFaults(scene, legit, random),
];
