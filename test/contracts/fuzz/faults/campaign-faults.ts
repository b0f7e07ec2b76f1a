/** What the terms of a reward campaign forbid. */
import { authority, outsider, owner } from '../../harness/parties.js';
import { DUST, nft, owned, plain, TOKEN } from '../../harness/coins.js';
import type { Spend } from '../../harness/spend.js';
import type { CampaignState, CampaignTerms } from '../../invariants/campaign-model.js';
import type { Attempt } from '../../invariants/covenant.js';
import type { Random } from '../random.js';
import { insertAt } from '../mutation.js';
import { fit } from './fault.js';
import { inState, type Broken } from './rule-faults.js';
import { thief, type Scene } from './scene.js';

type CampaignScene = Scene<CampaignTerms, CampaignState>;
type BrokenCampaign = Broken<CampaignState>;

const DUST_OF_PAYOUT = 546n;

const distributeOf = ({ state }: CampaignScene, amount: bigint): Attempt<CampaignState> => ({
  call: 'distribute',
  args: [owner.publicKey, { sign: owner }, authority.publicKey, { sign: authority }, amount],
  after: { status: 0, distributed: state.distributed + amount, count: state.count + 1 },
  pays: [{ to: outsider.lock, amount }],
  adds: amount < 0n ? -amount : 0n,
  opens: true,
  by: owner,
  isWitnessed: false,
  isAllowed: false,
});

/** A payout of nothing: an output that carries data, or an NFT of the token's category without an amount. */
const payNothing =
  (asset: string, remaining: bigint) =>
  (spend: Spend): Spend => {
    const at = asset === 'tokens' && remaining > 0n ? 2 : 1;
    const payout =
      asset === 'BCH' ? plain(Uint8Array.of(0x6a), 0n) : nft(thief.lock, '', DUST, TOKEN, 'none');
    const inputs =
      asset === 'BCH'
        ? spend.inputs
        : [...spend.inputs, owned('nft', thief, nft(thief.lock, '', DUST, TOKEN))];
    return fit({ ...spend, inputs, outputs: insertAt(spend.outputs, at, payout) }, thief);
  };

const distributes = (scene: CampaignScene, random: Random): BrokenCampaign[] => {
  const { terms, state, covenant, now } = scene;
  const remaining = terms.total - state.distributed;
  const least = covenant.asset === 'BCH' ? DUST_OF_PAYOUT : 1n;
  const most = terms.maximum < remaining ? terms.maximum : remaining;
  const isPositive = { invariant: 'I3', refusedBy: 'the amount is positive' } as const;
  const active = { ...scene, state: { ...state, status: 0 } };
  const above = terms.maximum + 1n + random.amount(remaining - terms.maximum - 1n);
  const isOpen = most >= least && now >= terms.start;
  return [
    ...(now < terms.start || most < 1n
      ? []
      : [...new Set([terms.maximum + 1n, above])].flatMap((amount): BrokenCampaign[] =>
          amount <= terms.maximum || amount > remaining || amount < least
            ? []
            : [
                {
                  name: `${amount}, though ${terms.maximum} is the most`,
                  invariant: 'I8',
                  refusedBy: 'the amount is within the maximum reward',
                  state: active.state,
                  attempt: distributeOf(active, amount),
                },
              ],
        )),
    ...(now >= terms.start && remaining + 1n <= terms.maximum && remaining + 1n >= least
      ? [
          {
            name: `${remaining + 1n} of the ${remaining} that remain`,
            invariant: 'I8' as const,
            refusedBy: 'the amount is within the pool',
            state: active.state,
            attempt: { ...distributeOf(active, remaining + 1n) },
          },
        ]
      : []),
    ...(now >= terms.start
      ? [
          {
            name: 'nothing',
            ...isPositive,
            state: active.state,
            attempt: distributeOf(active, 0n),
            change: payNothing(covenant.asset, remaining),
          },
          ...(state.distributed > 0n
            ? [
                {
                  name: 'less than nothing',
                  ...isPositive,
                  state: active.state,
                  attempt: distributeOf(active, -1n),
                },
              ]
            : []),
        ]
      : []),
    ...(isOpen
      ? [
          {
            name: 'while it stands still',
            invariant: 'I6' as const,
            refusedBy: 'the campaign is active',
            state: { ...state, status: 1 },
            attempt: distributeOf(active, most),
          },
        ]
      : []),
    ...(most >= least
      ? [terms.start - 1, terms.start - 1 - random.integer(100_000)]
          .filter((at) => at <= now)
          .map((at): BrokenCampaign => ({
            name: 'before the start',
            invariant: 'I3',
            refusedBy: 'the campaign has started',
            state: active.state,
            at,
            attempt: distributeOf(active, most),
          }))
      : []),
  ];
};

/** What breaks one rule of a call in a scene. */
export const campaignRules = (scene: CampaignScene, call: string, random: Random): BrokenCampaign[] => {
  if (call === 'distribute') return distributes(scene, random);
  if (call === 'cancel') return [];
  return [
    inState(scene, { ...scene.state, status: 1 }, call, {
      name: 'what stands still already',
      invariant: 'I6',
      refusedBy: 'the campaign is active',
    }),
  ];
};
