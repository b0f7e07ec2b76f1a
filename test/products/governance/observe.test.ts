/** Which transactions are votes: what a lock promises, and every forgery of it. Nobody signs here. */
import test from 'ava';
import { newestFingerprint } from '../../../src/covenant/artifact.js';
import { alice, bob } from '../../../fixtures/people.js';
import type { Coin, Outpoint, Output } from '../../../src/bch/coins.js';
import { fromLibauthTransaction, type Transaction } from '../../../src/bch/transaction.js';
import { voteLockContract } from '../../../src/products/governance/contract.js';
import {
  countVoter,
  readUnlock,
  type Fault,
  type LockTerms,
  type SeenTransaction,
} from '../../../src/products/governance/observe.js';
import { acceptanceTime, nextAcceptanceTime } from '../../../src/products/governance/rules.js';
import { encodeBallot, proposalHash } from '../../../src/products/governance/state.js';
import {
  buildLock,
  buildUnlock,
  lockedCoins,
  lockOutputs,
} from '../../../src/products/governance/transactions.js';
import { coinOf, makeTransaction, onChain } from '../../covenant/scripted-chain.js';

const END = 1_780_272_000;
const TOKEN = 'cc'.repeat(32);
const voter = alice.address('local');

const lockTerms = {
  artifact_fingerprint: newestFingerprint('vote-lock'),
  proposal_id: 'proposal-1',
  voter: voter.text,
  unlock_time: END,
};
const { lockingBytecode } = voteLockContract(lockTerms, 'local');
const stake = { choice: 'FOR', tokenCategory: TOKEN, amount: 700n } as const;

const terms: LockTerms = {
  proposalId: 'proposal-1',
  lockingBytecode,
  voterLock: voter.lockingBytecode,
  end: END,
  tokenCategory: null,
};

const GENESIS = 'a1'.repeat(32);
const OTHER_GENESIS = 'a2'.repeat(32);
const genesis: Outpoint = { txid: GENESIS, vout: 0 };
const ownCoin: Output = { lockingBytecode: voter.lockingBytecode, satoshis: 10_000n };

const [promisedStake, promisedBallot] = lockOutputs(
  { terms: lockTerms, stake, network: 'local' },
  GENESIS,
) as [Output, Output];

const ballotWith = (changes: Parameters<typeof encodeBallot>[0] | string, category = GENESIS): Output => ({
  ...promisedBallot,
  token: {
    category,
    amount: 0n,
    nft: { capability: 'none', commitment: typeof changes === 'string' ? changes : encodeBallot(changes) },
  },
});

/** Seen in time, at a height, its ballot minted from a coin of the voter's. */
const seen = (
  transaction: Transaction,
  {
    acceptedAt = END - 1,
    height = 1,
    from = ownCoin,
  }: { acceptedAt?: number; height?: number | null; from?: Output | null } = {},
): SeenTransaction => ({ chain: onChain(transaction, height), acceptedAt, genesis: from });

const lockTransaction = makeTransaction([genesis], [promisedStake, promisedBallot]);
const count = (...history: SeenTransaction[]) => countVoter(terms, history);

test('count › given the lock that is promised › it is the vote', (t) => {
  const { lock, unlock, ignored } = count(seen(lockTransaction));
  t.like(lock, {
    txid: lockTransaction.txid,
    choice: 'FOR',
    token_category: TOKEN,
    stake: 700n,
    stake_vout: 0,
    ballot_category: GENESIS,
    ballot_vout: 1,
  });
  t.is(unlock, null);
  t.deepEqual(ignored, []);
});

test('count › given the lock that the builder makes › it is the vote, whatever change follows', (t) => {
  const wallet = (index: number, vout: number, more: Partial<Coin>): Coin => ({
    ...ownCoin,
    txid: index.toString(16).padStart(64, 'e'),
    vout,
    height: 1,
    ...more,
  });
  const coins = [
    wallet(1, 0, { satoshis: 50_000n }),
    wallet(2, 1, { satoshis: 1_000n, token: { category: TOKEN, amount: 1_000n } }),
  ];
  const plan = { terms: lockTerms, stake, voter, voterCoins: coins, network: 'local' } as const;
  const built = buildLock(plan);
  t.is(built.kind, 'ready');
  const transaction = fromLibauthTransaction(built.payment.transaction);
  t.deepEqual(transaction.inputs[0]?.vout, 0);
  t.is(count(seen(transaction)).lock?.stake, 700n);
  const change = transaction.outputs.filter((output) => output.lockingBytecode === voter.lockingBytecode);
  t.is(change.find(({ token }) => token?.category === TOKEN)?.token?.amount, 300n);
});

const forgeries: readonly (readonly [name: string, fault: Fault, inputs: Outpoint[], outputs: Output[]])[] = [
  ['no ballot', 'ballot', [genesis], [promisedStake]],
  ['no stake', 'stake', [genesis], [promisedBallot]],
  ['a plain coin', 'stake', [genesis], [{ lockingBytecode, satoshis: 1_000n }]],
  ['two stakes', 'stake', [genesis], [promisedStake, promisedStake, promisedBallot]],
  [
    'two ballots for one stake',
    'ballot',
    [genesis, { txid: OTHER_GENESIS, vout: 0 }],
    [
      promisedStake,
      promisedBallot,
      ballotWith({ choice: 'AGAINST', stake: 700n, proposal: proposalHash('proposal-1') }, OTHER_GENESIS),
    ],
  ],
  [
    'a second NFT of the ballot’s category elsewhere',
    'minted',
    [genesis],
    [promisedStake, promisedBallot, { ...promisedBallot, lockingBytecode: voter.lockingBytecode }],
  ],
  [
    'a ballot minted elsewhere',
    'minted',
    [{ txid: OTHER_GENESIS, vout: 0 }],
    [promisedStake, promisedBallot],
  ],
  [
    'a ballot moved in from another output',
    'minted',
    [{ txid: GENESIS, vout: 1 }],
    [promisedStake, promisedBallot],
  ],
  [
    'a ballot that says more than the stake',
    'amount',
    [genesis],
    [promisedStake, ballotWith({ choice: 'FOR', stake: 701n, proposal: proposalHash('proposal-1') })],
  ],
  [
    'a ballot for another proposal',
    'proposal',
    [genesis],
    [promisedStake, ballotWith({ choice: 'FOR', stake: 700n, proposal: proposalHash('proposal-2') })],
  ],
  ['an NFT that is no ballot', 'content', [genesis], [promisedStake, ballotWith('00')]],
  [
    'a ballot that can be changed',
    'content',
    [genesis],
    [
      promisedStake,
      {
        ...promisedBallot,
        token: {
          category: GENESIS,
          amount: 0n,
          nft: { capability: 'mutable', commitment: promisedBallot.token?.nft?.commitment ?? '' },
        },
      },
    ],
  ],
];

for (const [name, fault, inputs, outputs] of forgeries) {
  test(`count › given ${name} › it does not count`, (t) => {
    const transaction = makeTransaction(inputs, outputs);
    const { lock, ignored } = count(seen(transaction));
    t.is(lock, null);
    t.deepEqual(ignored, [{ txid: transaction.txid, fault }]);
  });
}

test('count › given a lock that somebody else made at the voter’s address › it does not count', (t) => {
  const from = { ...ownCoin, lockingBytecode: bob.address('local').lockingBytecode };
  t.like(count(seen(lockTransaction, { from })), { lock: null, ignored: [{ fault: 'voter' }] });
  t.like(count(seen(lockTransaction, { from: null })), { lock: null, ignored: [{ fault: 'voter' }] });
});

test('count › given a lock at the second of the end › it does not count', (t) => {
  t.like(count(seen(lockTransaction, { acceptedAt: END })), { lock: null, ignored: [{ fault: 'late' }] });
});

test('count › given another token than the proposal’s › it does not count', (t) => {
  const history = [seen(lockTransaction)];
  t.like(countVoter({ ...terms, tokenCategory: 'dd'.repeat(32) }, history), {
    lock: null,
    ignored: [{ fault: 'token' }],
  });
  t.truthy(countVoter({ ...terms, tokenCategory: TOKEN }, history).lock);
});

test('count › given two locks › the first in the chain counts, in whatever order they are read', (t) => {
  const later = makeTransaction(
    [{ txid: OTHER_GENESIS, vout: 0 }],
    [
      promisedStake,
      ballotWith({ choice: 'AGAINST', stake: 700n, proposal: proposalHash('proposal-1') }, OTHER_GENESIS),
    ],
  );
  const both = [seen(later, { height: null }), seen(lockTransaction, { height: 5 })];
  for (const history of [both, [...both].reverse()]) {
    const { lock, ignored } = count(...history);
    t.is(lock?.choice, 'FOR');
    t.deepEqual(ignored, [{ txid: later.txid, fault: 'second' }]);
  }
});

const spender = makeTransaction(
  [
    { txid: lockTransaction.txid, vout: 1 },
    { txid: lockTransaction.txid, vout: 0 },
  ],
  [{ ...promisedStake, lockingBytecode: voter.lockingBytecode }],
);

test('count › given a stake that returned after the end › the vote stays, and says by what', (t) => {
  const { lock, unlock } = count(
    seen(lockTransaction),
    seen(spender, { acceptedAt: END + 1, height: 9, from: null }),
  );
  t.is(lock?.stake, 700n);
  t.is(unlock?.transaction.txid, spender.txid);
});

test('count › given a stake that moved before the end › it does not count', (t) => {
  const history = [seen(lockTransaction), seen(spender, { acceptedAt: END - 1, height: 9, from: null })];
  t.like(count(...history), { lock: null, ignored: [{ fault: 'moved' }] });
});

test('readUnlock › it says what was taken and how much of it the voter has back', (t) => {
  const spent = [promisedBallot, promisedStake, ownCoin];
  t.deepEqual(readUnlock(spender, spent, terms), [{ category: TOKEN, taken: 700n, returned: 700n }]);
  const elsewhere = makeTransaction([genesis], [promisedStake]);
  t.deepEqual(readUnlock(elsewhere, spent, terms), [{ category: TOKEN, taken: 700n, returned: 0n }]);
  t.deepEqual(readUnlock(spender, [ownCoin], terms), []);
});

test('unlock › it takes stake and ballot, returns every token, and leaves other NFTs alone', (t) => {
  const stranger: Coin = {
    ...coinOf(lockTransaction, 1),
    txid: 'f0'.repeat(32),
    token: { category: 'f1'.repeat(32), amount: 0n, nft: { capability: 'none', commitment: 'beef' } },
  };
  const coins = lockedCoins([coinOf(lockTransaction, 0), coinOf(lockTransaction, 1), stranger], TOKEN);
  t.deepEqual([coins.stakes.length, coins.ballots.length], [1, 1]);
  const { outputs, inputs } = buildUnlock({
    terms: lockTerms,
    tokenCategory: TOKEN,
    coins,
    voter,
    voterCoins: [],
    locktime: END,
    network: 'local',
  });
  t.is(inputs.length, 2);
  t.is(outputs[0]?.lockingBytecode, voter.lockingBytecode);
  t.deepEqual(outputs[0]?.token, { category: TOKEN, amount: 700n });
  t.false(outputs.some(({ token }) => token?.nft !== undefined));
});

test('unlock › given larger stakes and forged ballots of strangers › its own stake and ballot are taken first', (t) => {
  const [stake, ballot] = [coinOf(lockTransaction, 0), coinOf(lockTransaction, 1)];
  const decoys = Array.from({ length: 30 }, (_, index) => {
    const txid = (index + 1).toString(16).padStart(64, '0');
    const token = { category: TOKEN, amount: 900n };
    return [
      { ...stake, txid, token },
      { ...ballot, txid },
    ];
  }).flat();
  const { stakes, ballots } = lockedCoins([...decoys, ballot, stake], TOKEN, lockTransaction.txid);
  t.deepEqual([stakes[0], ballots[0]], [stake, ballot]);
  t.deepEqual([stakes.length, ballots.length], [20, 20]);
});

test('acceptance › it is the time of the block, and in the mempool that of the tip', (t) => {
  const tip = { time: END + 5 };
  t.is(acceptanceTime({ blockTime: END - 1 }, tip), END - 1);
  t.is(acceptanceTime({ blockTime: null }, tip), END + 5);
  t.is(nextAcceptanceTime(tip), END + 5);
});
