/** TokenReserve: opens for its own thread only. The covenant beside it is a campaign. */
import { sha256, utf8ToBin } from '@bitauth/libauth';
import { campaignState } from '../../src/products/rewards/state.js';
import { reserveAttacks, reserveMoves } from './boundaries/token-reserve.js';
import { AUDITED, VAULT_ONLY, VOTE_LOCK_ONLY } from './harness/absent.js';
import { bind, type Bound } from './harness/bound.js';
import type { Attack, ContractCases, Move } from './harness/cases.js';
import {
  called,
  categoryOf,
  DUST,
  feeFrom,
  fungible,
  nft,
  NOW,
  OTHER,
  owned,
  plain,
  reserveCoin,
  reserveOutput,
  thief,
} from './harness/coins.js';
import { authority, outsider, owner } from './harness/parties.js';
import { addOutputs, type Input, type Spend } from './harness/spend.js';

const POOL = 9_000n;

const covenant = (member: string): Bound =>
  bind('reward-campaign', [
    sha256.hash(utf8ToBin(member)),
    owner.hash,
    authority.hash,
    owner.lock,
    categoryOf('tokens'),
    POOL,
    POOL,
    BigInt(NOW - 1),
  ]);

const state = (distributed: bigint, count: number) => campaignState.encode({ status: 0, distributed, count });

const thread = (contract: Bound, coin = nft(contract.lock, state(0n, 0), DUST)): Input =>
  called('thread', coin, contract, 'distribute', [
    owner.publicKey,
    { sign: owner },
    authority.publicKey,
    { sign: authority },
    1_000n,
  ]);

/** A distribution of 1,000 by a campaign, with `others` behind its thread. */
const distribution = (contract: Bound, others: readonly Input[], first = thread(contract)): Spend => ({
  inputs: [first, ...others],
  outputs: [
    nft(contract.lock, state(1_000n, 1), DUST),
    reserveOutput(contract, 8_000n),
    fungible(outsider.lock, 1_000n),
  ],
  locktime: NOW,
  chainTime: NOW + 1,
});

const mine = (): Bound => covenant('member one');
const sibling = (): Bound => covenant('member two');

const moves: Move[] = [
  {
    name: 'spend › one reserve coin at input 1',
    asset: 'tokens',
    kind: 'other',
    build: () => distribution(mine(), [reserveCoin(mine(), POOL), feeFrom(owner)]),
  },
  {
    name: 'spend › two reserve coins behind the fee',
    asset: 'tokens',
    kind: 'other',
    build: () =>
      distribution(mine(), [
        feeFrom(owner),
        reserveCoin(mine(), 5_000n, 'one'),
        reserveCoin(mine(), 4_000n, 'two'),
      ]),
  },
];

/** The reserve's tokens go to a thief; what stands at input 0 is up to the attack. */
const robbery = (first: Input): Spend => ({
  inputs: [first, reserveCoin(mine(), POOL), feeFrom(thief)],
  outputs: [fungible(thief.lock, POOL)],
  locktime: NOW,
  chainTime: NOW + 1,
});

/** The reserve is robbed beside a distribution that is in order. */
const ride = (spend: Spend): Spend =>
  addOutputs(
    { ...spend, inputs: [...spend.inputs.slice(0, 1), reserveCoin(mine(), POOL), ...spend.inputs.slice(1)] },
    fungible(thief.lock, POOL),
  );

const held = (coin: ReturnType<typeof nft>): Input => owned('thread', thief, coin);
const noThread = 'input 0 carries the thread';
const elsewhere = 'input 0 is locked by the covenant';

const attacks: Attack[] = [
  {
    attack: 'alone',
    name: 'spend › at input 0 itself',
    build: () => {
      const { inputs, ...spend } = robbery(feeFrom(thief));
      return { ...spend, inputs: inputs.slice(1) };
    },
    refusedBy: noThread,
  },
  {
    attack: 'alone',
    name: "spend › behind a person's coin",
    build: () => robbery(owned('first', thief)),
    refusedBy: noThread,
    input: 1,
  },
  {
    attack: 'alone',
    name: 'spend › with the thread at a later input',
    build: () => {
      const { inputs, ...spend } = distribution(mine(), [reserveCoin(mine(), POOL), feeFrom(owner)]);
      return { ...spend, inputs: inputs.toReversed() };
    },
    refusedBy: noThread,
    input: 1,
  },
  {
    attack: 'alone',
    name: "spend › with an NFT of the thread's category at a thief's address",
    build: () => robbery(held(nft(thief.lock, state(0n, 0), DUST))),
    refusedBy: elsewhere,
    input: 1,
  },
  {
    attack: 'batch',
    name: "spend › beside another member's distribution",
    build: () => ride(distribution(sibling(), [reserveCoin(sibling(), POOL, 'its own'), feeFrom(thief)])),
    refusedBy: elsewhere,
    input: 1,
  },
  ...(['none', 'minting'] as const).map((capability): Attack => ({
    attack: 'forged-nft',
    name: `spend › an NFT of the thread's category with capability ${capability} at the covenant`,
    build: () => robbery(thread(mine(), nft(mine().lock, state(0n, 0), DUST, undefined, capability))),
    refusedBy: noThread,
    input: 1,
  })),
  {
    attack: 'forged-nft',
    name: 'spend › a mutable NFT of another category at the covenant',
    build: () => robbery(thread(mine(), nft(mine().lock, state(0n, 0), DUST, OTHER))),
    refusedBy: noThread,
    input: 1,
  },
  {
    attack: 'forged-nft',
    name: 'spend › an NFT that the creator minted to the covenant as an empty campaign, cancelled',
    build: () => {
      const forged = nft(mine().lock, state(POOL, 9), DUST, OTHER);
      return robbery(called('thread', forged, mine(), 'cancel', [owner.publicKey, { sign: owner }]));
    },
    refusedBy: noThread,
    input: 1,
  },
  {
    attack: 'forged-nft',
    name: 'spend › a coin without token at the covenant',
    build: () => robbery(thread(mine(), plain(mine().lock, DUST))),
    refusedBy: noThread,
    input: 1,
  },
];

const covenantDecides = 'tried on every covenant, whose rules decide it';
const noState = 'no state, no time, no signer of its own';

export const cases: ContractCases = {
  contract: 'token-reserve',
  source: 'token-reserve.cash',
  layout: null,
  moves: [...moves, ...reserveMoves],
  attacks: [...attacks, ...reserveAttacks],
  absent: {
    'over-claim': covenantDecides,
    amount: covenantDecides,
    'future-time': noState,
    'final-sequences': noState,
    'block-height': noState,
    'no-witness': noState,
    'other-witness': noState,
    ticket: noState,
    'skim-value': covenantDecides,
    'skim-reserve': covenantDecides,
    decoy: covenantDecides,
    passenger: covenantDecides,
    commitment: covenantDecides,
    length: 'no arguments',
    address: covenantDecides,
    category: covenantDecides,
    leak: covenantDecides,
    forged: covenantDecides,
    'two-threads': covenantDecides,
    twin: AUDITED,
    'other-token': covenantDecides,
    signer: noState,
    replay: noState,
    status: noState,
    finished: noState,
    segment: noState,
    flag: noState,
    payout: covenantDecides,
    glued: covenantDecides,
    'too-light': covenantDecides,
    terms: noState,
    ...VAULT_ONLY,
    ...VOTE_LOCK_ONLY,
  },
};
