/** The covenants that hold a pool, in random states of random terms, and what can be wrong with each of their moves. */
import fc from 'fast-check';
import { anyBudgetTerms, budgetCovenant } from '../../invariants/budget-model.js';
import { anyCampaignTerms, campaignCovenant } from '../../invariants/campaign-model.js';
import type { Covenant } from '../../invariants/covenant.js';
import { anyPaymentTerms, paymentCovenant } from '../../invariants/payment-model.js';
import { anyStreamTerms, streamCovenant } from '../../invariants/stream-model.js';
import type { Spend } from '../../harness/spend.js';
import type { ProductName } from '../../invariants/trace.js';
import type { Random } from '../random.js';
import type { FaultBase } from './base.js';
import { budgetRules } from './budget-faults.js';
import { campaignRules } from './campaign-faults.js';
import { moneyFaults } from './money-faults.js';
import { paymentRules } from './payment-faults.js';
import { toFault, type Broken } from './rule-faults.js';
import { attemptAt, buildMove, walk, type Scene } from './scene.js';
import { signerFaults } from './signer-faults.js';
import { streamRules } from './stream-faults.js';
import { threadFaults } from './thread-faults.js';

type Setting<Terms, State> = {
  readonly anyTerms: fc.Arbitrary<Terms>;
  readonly make: (terms: Terms) => Covenant<State>;
  /** All flags that a state can have. */
  readonly flags: number;
  readonly rules: (scene: Scene<Terms, State>, call: string, random: Random) => readonly Broken<State>[];
};

type AnySetting = Setting<{ readonly id: Uint8Array }, unknown>;

const setting = <Terms extends { readonly id: Uint8Array }, State>(of: Setting<Terms, State>): AnySetting =>
  of as unknown as AnySetting;

const SETTINGS: Readonly<Record<ProductName, AnySetting>> = {
  'reward-campaign': setting({
    anyTerms: anyCampaignTerms,
    make: campaignCovenant,
    flags: 0,
    rules: campaignRules,
  }),
  'budget-plan': setting({ anyTerms: anyBudgetTerms, make: budgetCovenant, flags: 1, rules: budgetRules }),
  stream: setting({ anyTerms: anyStreamTerms, make: streamCovenant, flags: 3, rules: streamRules }),
  'recurring-payment': setting({
    anyTerms: anyPaymentTerms,
    make: paymentCovenant,
    flags: 5,
    rules: paymentRules,
  }),
};

type AnyScene = Scene<{ readonly id: Uint8Array }, unknown>;

const TRIES = 8;

/** A scene in which a call is allowed, and mostly one in which it owes something to all whom it can pay. */
const sceneFor = (call: string, start: Omit<AnyScene, 'state' | 'now'>, random: Random): AnyScene => {
  const isGood = (scene: AnyScene): boolean => {
    const { isAllowed, pays } = attemptAt(scene, call);
    return isAllowed && (pays.every(({ amount }) => amount > 0n) || random.once(TRIES));
  };
  let scene = walk(start, random);
  for (let tries = 0; tries < TRIES && !isGood(scene); tries += 1) scene = walk(start, random);
  return scene;
};

/** The scene with every flag set, so that no missing flag hides what else is wrong. */
const flagged = (scene: AnyScene, flags: number): AnyScene =>
  flags === 0 ? scene : { ...scene, state: { ...(scene.state as object), flags } };

const MOST_OF_PUSH = 3;

/** Three inputs and nobody's tokens make a push: what brings more to fit otherwise falls to that rule, and not to its own. */
const canJoin = ({ inputs }: Spend): boolean =>
  inputs.length <= MOST_OF_PUSH &&
  inputs.every(({ unlock, coin }) => !('key' in unlock) || coin.token === undefined);

/** Every function of the product, each in a state of random terms, and what can be wrong with it there. */
export const poolFaults = (product: ProductName, seed: number, random: Random): FaultBase[] => {
  const { anyTerms, make, rules, flags } = SETTINGS[product];
  const [terms] = fc.sample(anyTerms, { numRuns: 1, seed });
  if (terms === undefined) return [];
  const covenant = make(terms);
  const sibling = make({ ...terms, id: terms.id.map((byte) => byte ^ 0xff) });
  return [...new Set(covenant.calls)].map((call): FaultBase => {
    const scene = sceneFor(call, { product, terms, covenant, sibling }, random);
    const order = { call, asked: random.pick(['all', 'part'] as const), share: random.integer(1_000) };
    const attempt = covenant.attempt(scene.state, order, scene.now);
    const legit = attempt.isAllowed ? { attempt, spend: buildMove(scene, attempt) } : null;
    const free = flagged(scene, flags);
    return {
      label: `${product} ${call} ${covenant.asset}`,
      contract: covenant.name,
      legit: legit?.spend ?? null,
      faults: [
        ...rules(free, call, random).map((broken) => toFault(free, broken)),
        ...(legit === null
          ? []
          : [
              ...threadFaults(scene, legit, random),
              ...moneyFaults(scene, legit, random),
              ...signerFaults(scene, legit, random),
            ].filter(({ spend }) => attempt.isPush !== true || canJoin(spend))),
      ],
    };
  });
};
