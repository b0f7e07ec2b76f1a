/** The builders against the covenant itself in the VM, and the observer against the builders. Pure: no chain, no store. */
import test from 'ava';
import fc from 'fast-check';
import { newestFingerprint } from '../../../src/covenant/artifact.js';
import { alice, authority, bob, carol } from '../../../fixtures/people.js';
import type { Coin } from '../../../src/bch/coins.js';
import { decodeTransaction } from '../../../src/bch/transaction.js';
import {
  preflight,
  signWalletTransaction,
  encodeWalletTransaction,
} from '../../../src/bch/wallet-transaction.js';
import { reserveContract } from '../../../src/covenant/reserve.js';
import type { UnsignedTransaction } from '../../../src/covenant/spend.js';
import { witnessOf } from '../../../src/covenant/ticket.js';
import { TreasuryError } from '../../../src/errors.js';
import { recurringContract, type RecurringTerms } from '../../../src/covenant/recurring/contract.js';
import { observeRecurring } from '../../../src/covenant/recurring/observe.js';
import { settledPeriods } from '../../../src/covenant/recurring/rules.js';
import { recurringState, type RecurringState } from '../../../src/covenant/recurring/state.js';
import {
  buildRecurringCancel,
  buildRecurringClaim,
  buildRecurringPause,
  buildRecurringRefill,
  buildRecurringResume,
  type RecurringSpend,
} from '../../../src/covenant/recurring/transactions.js';

const [ALICE, BOB, CAROL] = [alice.address('local'), bob.address('local'), carol.address('local')];
const AUTHORITY = { ...authority, address: authority.address('local') };
const THREAD = 'a1'.repeat(32);
const TOKEN = 'b2'.repeat(32);
const NOW = 1_800_000_000;

const coin = (seed: number, fields: Omit<Coin, 'txid' | 'vout' | 'height'>): Coin => ({
  txid: seed.toString(16).padStart(64, '0'),
  vout: 1,
  height: 1,
  ...fields,
});

type Scene = {
  readonly asset: 'BCH' | 'tokens';
  readonly intervalSeconds: number;
  readonly amountPerPeriod: bigint;
  readonly periods: number;
  readonly paid: number;
  readonly funded: number;
  readonly sinceDue: number;
  readonly status?: number;
};

const termsOf = ({ asset, amountPerPeriod, intervalSeconds, periods }: Scene): RecurringTerms => ({
  artifactFingerprint: newestFingerprint('recurring-payment'),
  onChainId: '5a'.repeat(32),
  sender: ALICE.text,
  authorityPublicKey: Buffer.from(authority.publicKey).toString('hex'),
  tokenCategory: asset === 'BCH' ? null : TOKEN,
  amountPerPeriod,
  intervalSeconds,
  periods,
  pushMinimum: 0n,
});

/** A covenant in the middle of its life, and what everybody has. `state.pool` is what is left in either asset. */
const stage = (scene: Scene): { spend: RecurringSpend; state: RecurringState } => {
  const terms = termsOf(scene);
  const { lockingBytecode } = recurringContract(terms, 'local');
  const pool = BigInt(scene.funded) * scene.amountPerPeriod;
  const state: RecurringState = {
    status: scene.status ?? 0,
    nextDue: NOW - scene.sinceDue,
    paid: scene.paid,
    pool,
    recipient: BOB.hash,
    flags: 5,
  };
  const isToken = scene.asset === 'tokens';
  const commitment = recurringState.encode({ ...state, pool: isToken ? pool : 0n });
  const nft = { capability: 'mutable', commitment } as const;
  const thread = coin(1, {
    lockingBytecode,
    satoshis: isToken ? 1_000n : 1_000n + pool,
    token: { category: THREAD, amount: 0n, nft },
  });
  const reserve = coin(2, {
    lockingBytecode: reserveContract(THREAD, lockingBytecode, 'local').lockingBytecode,
    satoshis: 1_000n,
    token: { category: TOKEN, amount: pool },
  });
  return {
    state,
    spend: {
      terms,
      network: 'local',
      thread: { category: THREAD, txid: thread.txid, vout: 1, commitment },
      coins: { thread, reserve: isToken && pool > 0n ? [reserve] : [] },
      payerCoins: [],
      locktime: NOW,
    },
  };
};

const fees = (who: typeof ALICE): Coin =>
  coin(3, { lockingBytecode: who.lockingBytecode, satoshis: 5_000_000_000n });
const gems = (amount: bigint): Coin =>
  coin(4, { lockingBytecode: ALICE.lockingBytecode, satoshis: 1_000n, token: { category: TOKEN, amount } });
const ticket = () =>
  witnessOf(coin(5, { lockingBytecode: AUTHORITY.address.lockingBytecode, satoshis: 10_000n }), AUTHORITY);

/** True when the VM accepts it once this party has signed. */
const isAccepted = ({ transaction, sourceOutputs }: UnsignedTransaction, signer: typeof ALICE): boolean => {
  try {
    preflight({ transaction, sourceOutputs: [...sourceOutputs] }, signer, { medianTimePast: NOW + 1 });
    return true;
  } catch (error) {
    if (error instanceof TreasuryError && error.code === 'tx_script_failed') return false;
    throw error;
  }
};

/** What the observer makes of a built transaction, as its wallet would send it. */
const observe = (
  { spend, state }: ReturnType<typeof stage>,
  unsigned: UnsignedTransaction,
  signer: typeof alice,
) => {
  const { transaction, sourceOutputs } = unsigned;
  const request = { transaction, sourceOutputs: [...sourceOutputs], broadcast: false, userPrompt: '' };
  const signed = signWalletTransaction(encodeWalletTransaction(request), signer);
  return observeRecurring(
    { terms: spend.terms, network: 'local' },
    { thread: spend.thread, pool: state.pool },
    { transaction: decodeTransaction(signed.transaction), height: null, blockTime: null },
  );
};

const scenes: fc.Arbitrary<Scene> = fc
  .record({
    asset: fc.constantFrom('BCH' as const, 'tokens' as const),
    intervalSeconds: fc.integer({ min: 2, max: 31_536_000 }),
    amountPerPeriod: fc.bigInt(546n, 5_000_000n),
    periods: fc.option(fc.integer({ min: 2, max: 20 }), { nil: 0 }),
    paid: fc.nat({ max: 18 }),
    funded: fc.integer({ min: 1, max: 12 }),
    boundary: fc.nat({ max: 14 }),
    shift: fc.constantFrom(-1, 0, 1),
  })
  .map(({ boundary, shift, ...scene }) => {
    const paid = scene.periods === 0 ? scene.paid : Math.min(scene.paid, scene.periods - 1);
    const funded = scene.periods === 0 ? scene.funded : Math.min(scene.funded, scene.periods - paid);
    return { ...scene, paid, funded, sinceDue: boundary * scene.intervalSeconds + shift };
  });

test('the script accepts a claim of what is settled and refuses one period more, at every boundary', (t) => {
  fc.assert(
    fc.property(scenes, (scene) => {
      const { spend, state } = stage(scene);
      const payer = { ...spend, payerCoins: [fees(BOB)] };
      const settled = settledPeriods(spend.terms, state, NOW);
      const claimOf = (periods: number) => isAccepted(buildRecurringClaim(payer, { periods }), BOB);
      if (settled > 0 && !claimOf(settled)) return false;
      // A pool that would be overdrawn cannot even be written down.
      if (settled >= scene.funded) return true;
      return !claimOf(settled + 1);
    }),
    { numRuns: 40 },
  );
  t.pass();
});

test('the observer reads back what a claim paid and where it leaves the covenant', (t) => {
  fc.assert(
    fc.property(scenes, (scene) => {
      const staged = stage(scene);
      const { spend, state } = staged;
      const settled = settledPeriods(spend.terms, state, NOW);
      if (settled === 0) return;
      const unsigned = buildRecurringClaim({ ...spend, payerCoins: [fees(BOB)] }, { periods: settled });
      const seen = observe(staged, unsigned, bob);
      const isLast = scene.paid + settled === scene.periods;
      t.is(seen.status, isLast ? 'COMPLETED' : 'ACTIVE');
      t.is(seen.thread === null, isLast);
      t.is(seen.state.paid, scene.paid + settled);
      t.is(seen.state.pool, BigInt(scene.funded - settled) * scene.amountPerPeriod);
      t.is(seen.state.nextDue, state.nextDue + settled * scene.intervalSeconds);
      t.like(seen.moves[0], {
        type: 'claimed',
        amount: BigInt(settled) * scene.amountPerPeriod,
        actorLock: BOB.lockingBytecode,
        details: { periods: settled, recipient: BOB.text },
      });
    }),
    { numRuns: 25 },
  );
});

for (const status of [0, 1]) {
  test(`the script accepts the cancellation of ${status === 0 ? 'an active' : 'a paused'} covenant, and it is read back`, (t) => {
    fc.assert(
      fc.property(scenes, (scene) => {
        const staged = stage({ ...scene, status });
        const { spend, state } = staged;
        const unsigned = buildRecurringCancel({ ...spend, payerCoins: [fees(ALICE)] }, ticket());
        t.true(isAccepted(unsigned, ALICE));
        const seen = observe(staged, unsigned, alice);
        const settled = status === 1 ? 0 : settledPeriods(spend.terms, state, NOW);
        t.is(seen.status, 'CANCELLED');
        t.is(seen.thread, null);
        t.is(seen.state.paid, scene.paid + settled);
        t.is(seen.moves[0]?.amount, BigInt(settled) * scene.amountPerPeriod);
      }),
      { numRuns: 20 },
    );
  });
}

test('the script accepts a pause that pays what is settled, and a resumption an interval from now', (t) => {
  fc.assert(
    fc.property(scenes, (scene) => {
      const staged = stage(scene);
      const { spend, state } = staged;
      const unsigned = buildRecurringPause({ ...spend, payerCoins: [fees(ALICE)] }, ticket());
      t.true(isAccepted(unsigned, ALICE));
      const paused = observe(staged, unsigned, alice);
      const settled = settledPeriods(spend.terms, state, NOW);
      t.is(paused.status, 'PAUSED');
      t.is(paused.state.pool, BigInt(scene.funded - settled) * scene.amountPerPeriod);
      t.like(paused.moves[0], { type: 'paused', details: { periods: settled } });

      const again = stage({ ...scene, status: 1 });
      const resumption = buildRecurringResume({ ...again.spend, payerCoins: [fees(ALICE)] });
      t.true(isAccepted(resumption, ALICE));
      const resumed = observe(again, resumption, alice);
      t.is(resumed.status, 'ACTIVE');
      t.is(resumed.state.nextDue, NOW + scene.intervalSeconds);
      t.is(resumed.state.pool, again.state.pool);
      t.like(resumed.moves[0], { type: 'resumed', amount: 0n });
    }),
    { numRuns: 20 },
  );
});

test('the script accepts a refill to the end of the term and refuses one period more', (t) => {
  fc.assert(
    fc.property(scenes, (scene) => {
      const staged = stage(scene);
      const { spend } = staged;
      const left = scene.periods === 0 ? 7 : scene.periods - scene.paid - scene.funded;
      const payerCoins = [fees(ALICE), gems(1_000_000_000n)];
      const refillOf = (periods: number) => buildRecurringRefill({ ...spend, payerCoins }, { periods });
      if (left > 0) {
        t.true(isAccepted(refillOf(left), ALICE));
        const seen = observe(staged, refillOf(left), alice);
        t.is(seen.state.pool, BigInt(scene.funded + left) * scene.amountPerPeriod);
        t.like(seen.moves[0], { type: 'refilled', amount: BigInt(left) * scene.amountPerPeriod });
      }
      if (scene.periods !== 0) t.false(isAccepted(refillOf(left + 1), ALICE));
    }),
    { numRuns: 20 },
  );
});

const due: Scene = {
  asset: 'BCH',
  intervalSeconds: 86_400,
  amountPerPeriod: 100_000n,
  periods: 0,
  paid: 0,
  funded: 5,
  sinceDue: 2 * 86_400,
};

test('a claim can pay somebody else than the recipient, who signs', (t) => {
  const { spend } = stage(due);
  const unsigned = buildRecurringClaim({ ...spend, payerCoins: [fees(BOB)] }, { periods: 2, to: CAROL });
  t.true(isAccepted(unsigned, BOB));
  t.like(unsigned.outputs[1], { lockingBytecode: CAROL.lockingBytecode, satoshis: 200_000n });
});

test('a claim in BCH without coins of its own pays its fee out of the payout; one in tokens cannot', (t) => {
  const { spend } = stage(due);
  const unsigned = buildRecurringClaim(spend, { periods: 1 });
  t.true(isAccepted(unsigned, BOB));
  t.is(unsigned.outputs.length, 2);
  t.is((unsigned.outputs[1]?.satoshis ?? 0n) + unsigned.fee, 100_000n);
  const inTokens = stage({ ...due, asset: 'tokens' });
  t.throws(() => buildRecurringClaim(inTokens.spend, { periods: 1 }), { code: 'insufficient_funds' });
});

test('a paused covenant pays no claim', (t) => {
  const { spend } = stage({ ...due, status: 1 });
  t.false(isAccepted(buildRecurringClaim({ ...spend, payerCoins: [fees(BOB)] }, { periods: 1 }), BOB));
});

test('tokens that go in pay for their signatures, and the change of tokens and satoshis comes back', (t) => {
  const { spend } = stage({ ...due, asset: 'tokens' });
  const unsigned = buildRecurringRefill(
    { ...spend, payerCoins: [fees(ALICE), gems(500_000n)] },
    { periods: 3 },
  );
  const { size, fee } = preflight(
    { transaction: unsigned.transaction, sourceOutputs: [...unsigned.sourceOutputs] },
    ALICE,
    { medianTimePast: NOW + 1 },
  );
  t.is(fee, unsigned.fee);
  t.true(fee >= BigInt(size) && fee < BigInt(size) + 100n, `${fee} for ${size}`);
  t.is(unsigned.outputs[2]?.token?.amount, 200_000n);
});
