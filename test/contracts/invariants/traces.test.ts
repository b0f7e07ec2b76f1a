/** I1, I3, I4, I5, I6, I8: random terms, random moves over time, both assets. */
import test from 'ava';
import { atLength } from '../../at-length.js';
import { buildTransaction, type Input, type Output, type Spend } from '../harness/spend.js';
import { called, DUST, fungible, nft, owned, plain, reserveOf } from '../harness/coins.js';
import { authority, outsider, signers } from '../harness/parties.js';
import { coinsAt, submit, verify, waitUntil, type Chain } from './chain.js';
import type { BudgetState } from './budget-model.js';
import { hasVested } from './exact.js';
import type { PaymentState, PaymentTerms } from './payment-model.js';
import type { StreamState, StreamTerms } from './stream-model.js';
import { partOf, spendOf, tokensIn, type Order } from './covenant.js';
import {
  acceptedIn,
  everyTrace,
  faultsOf,
  PRODUCT_NAMES,
  SCHEDULED,
  splitAt,
  type AnyState,
  type AnyTrace,
  type AnyTried,
} from './every-trace.js';

const [thief] = signers;
const ALL: Omit<Order, 'call'> = { asked: 'all', share: 0 };

const isRefused = (spend: Spend): boolean =>
  (['2025', '2026'] as const).every((rules) => verify(buildTransaction(spend), rules) !== 'accepted');

/** What a covenant holds on a chain, in its asset. */
const lockedOn = (chain: Chain, { covenant }: AnyTrace, category: string): bigint => {
  const reserve = reserveOf(covenant.contract, category);
  if (covenant.asset === 'tokens') return tokensIn(coinsAt(chain, reserve.lock));
  return coinsAt(chain, covenant.contract.lock).reduce(
    (sum, { coin }) => sum + coin.valueSatoshis - DUST,
    0n,
  );
};

const receivedAt = (lock: Uint8Array, { asset }: AnyTrace['covenant'], { outputs }: Spend): bigint => {
  const own = outputs.filter(({ lockingBytecode }) => Buffer.compare(lockingBytecode, lock) === 0);
  return asset === 'tokens'
    ? tokensIn(own.map((coin) => ({ coin })))
    : own.reduce((sum, { valueSatoshis }) => sum + valueSatoshis, 0n);
};

for (const product of PRODUCT_NAMES) {
  test(`invariants › ${product} › given any move › the VM accepts it exactly when the second implementation does`, (t) => {
    everyTrace(product, ({ tried }) => {
      for (const { attempt, accepted, verdict } of tried)
        if ((accepted !== null) !== attempt.isAllowed) throw new Error(`${attempt.call}: ${verdict}`);
    });
    t.pass();
  });

  test(`invariants › ${product} › given an accepted move › the oracle finds it in the table`, (t) => {
    everyTrace(product, (trace) => {
      for (const tried of acceptedIn(trace)) {
        const [fault] = faultsOf(trace, tried);
        if (fault !== undefined) throw new Error(`${fault.invariant}: ${fault.what}`);
      }
    });
    t.pass();
  });

  test(`I1 › ${product} › given any sequence of moves › funded = paid out + refunded + still locked`, (t) => {
    everyTrace(product, (trace) => {
      const { covenant, start } = trace;
      let put = lockedOn(start.chain, trace, start.position.category);
      if (put !== covenant.remaining(covenant.first)) throw new Error('it is not funded with its pool');
      let paid = 0n;
      for (const { attempt, spend, chainAfter, before } of acceptedIn(trace)) {
        put += attempt.adds;
        for (const { to, amount } of attempt.pays) {
          if (receivedAt(to, covenant, spend) < amount) throw new Error('somebody gets too little');
          paid += amount;
        }
        const locked = lockedOn(chainAfter, trace, before.category);
        if (put !== paid + locked) throw new Error(`${put} put in, ${paid} paid, ${locked} locked`);
      }
    });
    t.pass();
  });

  test(`I4 › ${product} › after any move › one mutable thread lies at the covenant, and none once it has ended`, (t) => {
    everyTrace(product, (trace) => {
      const { lock } = trace.covenant.contract;
      for (const { after, chainAfter, spend } of acceptedIn(trace)) {
        const minted = spend.outputs.filter(
          ({ token }) =>
            token?.nft !== undefined && Buffer.from(token.category).toString('hex') === after.category,
        );
        const expected = after.thread === null ? 0 : 1;
        const atCovenant = coinsAt(chainAfter, lock).length;
        if (minted.length !== expected || atCovenant !== expected)
          throw new Error(`${minted.length} threads`);
        if (minted.some((output) => Buffer.compare(output.lockingBytecode, lock) !== 0))
          throw new Error('the thread has left');
      }
    });
    t.pass();
  });

  test(`I4 › ${product} › given an end › no output takes the thread along`, (t) => {
    everyTrace(product, (trace) => {
      const { covenant, sibling } = trace;
      const end = acceptedIn(trace).find(({ after }) => after.thread === null);
      if (end === undefined) return;
      const { category } = end.before;
      const state = covenant.encode(end.before.state);
      const locks = [thief.lock, covenant.contract.lock, sibling.contract.lock];
      const threads = locks.map((lock) => nft(lock, state, DUST, category));
      const { outputs } = end.spend;
      for (let at = 0; at <= outputs.length; at += 1) {
        const thread = threads[at % threads.length] as Output;
        const added = [...outputs.slice(0, at), thread, ...outputs.slice(at)];
        const replaced = outputs.map((output, index) => (index === at ? thread : output));
        if (!isRefused({ ...end.spend, outputs: added })) throw new Error(`a thread leaves at output ${at}`);
        if (at < outputs.length && !isRefused({ ...end.spend, outputs: replaced }))
          throw new Error(`the thread leaves at output ${at}`);
      }
    });
    t.pass();
  });

  test(`I5 › ${product} › given tokens › after any move the reserve holds what the state says`, (t) => {
    everyTrace(product, (trace) => {
      const { covenant } = trace;
      if (covenant.asset === 'BCH') return;
      for (const { after, chainAfter } of acceptedIn(trace)) {
        const expected = after.thread === null ? 0n : covenant.remaining(after.state);
        const held = lockedOn(chainAfter, trace, after.category);
        if (held !== expected) throw new Error(`the reserve holds ${held}, the state says ${expected}`);
      }
    });
    t.pass();
  });

  test(`I5 › ${product} › given tokens › the reserve moves with no other coin, and not beside the sibling's thread`, (t) => {
    everyTrace(
      product,
      (trace) => {
        const { covenant, sibling, start } = trace;
        if (covenant.asset === 'BCH') return;
        const { chain, position } = start;
        const { category } = position;
        const reserve = reserveOf(covenant.contract, category);
        const riders = coinsAt(chain, reserve.lock).map((coin): Input => ({
          ...called('', coin.coin, reserve, 'spend'),
          txid: coin.txid,
          vout: coin.vout,
        }));
        const loot = tokensIn(coinsAt(chain, reserve.lock));
        const rob = (spend: Spend): Spend => ({
          ...spend,
          inputs: [...spend.inputs, ...riders],
          outputs: [...spend.outputs, fungible(thief.lock, loot)],
        });
        const alone: Spend = {
          inputs: [owned('first', thief)],
          outputs: [plain(thief.lock, 10_000n)],
          locktime: 0,
          chainTime: chain.medianTime,
        };
        if (!isRefused(rob(alone))) throw new Error('the reserve moves behind a coin of a thief');

        const later = waitUntil(chain, covenant.span.to + 10);
        const [thread] = coinsAt(later, sibling.contract.lock);
        if (thread === undefined) throw new Error('the sibling has no thread');
        const now = later.medianTime - 1;
        for (const call of new Set(sibling.calls)) {
          const attempt = sibling.attempt(sibling.first, { call, ...ALL }, now);
          if (!attempt.isAllowed) continue;
          const spend = spendOf(later, sibling, { category, thread, state: sibling.first }, attempt, now);
          if (!submit(later, spend, () => false).accepted) throw new Error(`the sibling cannot ${call}`);
          if (!isRefused(rob(spend))) throw new Error(`the reserve moves beside the sibling's ${call}`);
        }
      },
      8,
    );
    t.pass();
  });

  test(`I5 › ${product} › given tokens and a move that pays nothing › the reserve stays closed`, (t) => {
    everyTrace(product, (trace) => {
      const { covenant } = trace;
      if (covenant.asset === 'BCH') return;
      const keeping = acceptedIn(trace).filter(({ attempt }) => !attempt.opens);
      for (const { spend, before, chain } of keeping) {
        const reserve = reserveOf(covenant.contract, before.category);
        const riders = coinsAt(chain, reserve.lock).map((coin): Input => ({
          ...called('', coin.coin, reserve, 'spend'),
          txid: coin.txid,
          vout: coin.vout,
        }));
        const [thread, ...others] = spend.inputs;
        if (riders.length === 0 || thread === undefined) continue;
        const outputs = [...spend.outputs, fungible(thief.lock, tokensIn(coinsAt(chain, reserve.lock)))];
        const places: Input[][] = [
          [thread, ...riders, ...others],
          [thread, ...others, ...riders],
          [thread, ...riders],
        ];
        if (!places.every((inputs) => isRefused({ ...spend, inputs, outputs })))
          throw new Error('the reserve rides along');
      }
    });
    t.pass();
  });
}

const atEach = (trace: AnyTrace, check: (tried: AnyTried, now: number) => void): void => {
  for (const tried of acceptedIn(trace)) check(tried, tried.chain.medianTime - 1);
};

/** A time after all that a covenant waits for, and some before it. */
const laterTimes = ({ covenant: { span } }: AnyTrace, now: number): number[] =>
  [0n, 250n, 500n, 999n].map(
    (share) => now + Number(partOf(BigInt(span.to - span.from + 10), Number(share))),
  );

/** The move, signed by the sender as of the time of `tried`, from coins of its own. */
const signEarly = (trace: AnyTrace, { chain, before }: AnyTried, call: string) => {
  const now = chain.medianTime - 1;
  const attempt = trace.covenant.attempt(before.state, { call, ...ALL }, now);
  const apart: Chain = { ...chain, newOutpoint: (name) => chain.newOutpoint(`early ${name}`) };
  return { attempt, spend: spendOf(apart, trace.covenant, before, attempt, now) };
};

/** The authority spends the ticket of a transaction elsewhere. */
const withdraw = (chain: Chain, { inputs }: Spend): Chain => {
  const ticket = inputs.find(({ unlock }) => 'key' in unlock && unlock.key === authority);
  if (ticket === undefined) return chain;
  const spend = { inputs: [ticket], outputs: [plain(authority.lock, 546n)], locktime: 0, chainTime: 0 };
  return submit(chain, spend, () => false).chain;
};

const TICKET_SECONDS = 600;

/** What was released had vested: of a stream so much, of a plan its milestone, of a payment its last period paid. */
const isReleasedInTime = (trace: AnyTrace, state: AnyState, now: number): boolean => {
  const time = state.status === 1 && trace.product !== 'recurring-payment' ? (state.pausedAt ?? now) : now;
  if (trace.product === 'stream') {
    const { segments } = trace.terms as StreamTerms;
    const { released, start } = state as unknown as StreamState;
    return hasVested(segments, time - start, released);
  }
  if (trace.product === 'budget-plan') {
    const { current, anchor } = state as unknown as BudgetState;
    return current === 0 || anchor <= time;
  }
  const { interval } = trace.terms as PaymentTerms;
  const { paid, nextDue } = state as unknown as PaymentState;
  return paid === 0 || nextDue - interval <= time;
};

for (const product of SCHEDULED) {
  test(`I3 › ${product} › at all times › no more is released than has vested`, (t) => {
    everyTrace(product, (trace) => {
      atEach(trace, ({ after }, now) => {
        for (const time of [now, ...laterTimes(trace, now)])
          if (after.thread !== null && !isReleasedInTime(trace, after.state, time))
            throw new Error('more is released than has vested');
      });
    });
    t.pass();
  });

  test(`I3 › ${product} › given any move › the sender can take back no more than before, now`, (t) => {
    everyTrace(product, (trace) => {
      atEach(trace, ({ attempt, before, after }, now) => {
        if (after.thread === null) return;
        const [was, is] = [splitAt(trace, before.state, now), splitAt(trace, after.state, now)];
        if (is.back > was.back + attempt.adds)
          throw new Error(`${attempt.call} gives back ${is.back - was.back}`);
      });
    });
    t.pass();
  });

  test(`I3 › ${product} › given a move signed long ago › it is refused, or gives the sender nothing back`, (t) => {
    let refused = 0;
    everyTrace(product, (trace) => {
      atEach(trace, (tried, now) => {
        const { chain, before } = tried;
        for (const call of ['pause', 'resume', 'cancel']) {
          const { attempt, spend } = signEarly(trace, tried, call);
          if (!attempt.isAllowed) continue;
          const soon = waitUntil(chain, now + TICKET_SECONDS);
          if (submit(soon, spend, () => false).accepted === null)
            throw new Error(`${call} is refused in time`);

          const [, , , long = now] = laterTimes(trace, now + TICKET_SECONDS);
          const late = withdraw(waitUntil(chain, long), spend);
          const { accepted } = submit(late, spend, () => false);
          refused += accepted === null ? 1 : 0;
          if (accepted === null) continue;
          const was = splitAt(trace, before.state, late.medianTime - 1);
          const is = splitAt(trace, attempt.after as AnyState, late.medianTime - 1);
          if (attempt.after === null || is.back > was.back) throw new Error(`an old ${call} takes back`);
        }
      });
    });
    t.true(refused > atLength(20, 6), 'a withdrawn ticket refuses');
  });

  test(`I6 › ${product} › given a pause › it costs the recipient nothing, and nothing vests while it lasts`, (t) => {
    let pauses = 0;
    everyTrace(product, (trace) => {
      atEach(trace, ({ attempt, before, after, spend }, now) => {
        if (attempt.call !== 'pause') return;
        pauses += 1;
        const { owed } = splitAt(trace, before.state, now);
        const paid = attempt.pays.reduce((sum, { amount }) => sum + amount, 0n);
        const [to] = attempt.pays;
        if (to !== undefined && receivedAt(to.to, trace.covenant, spend) < paid) throw new Error('unpaid');
        for (const time of laterTimes(trace, now)) {
          const later = splitAt(trace, after.state, time);
          if (later.owed + paid !== owed) throw new Error(`${owed} was owed, ${later.owed + paid} is`);
        }
      });
    });
    t.true(pauses > atLength(5, 1));
  });

  test(`I6 › ${product} › given a pause › the VM pays what was owed then, and never a unit more`, (t) => {
    let tried = 0;
    everyTrace(product, (trace) => {
      const { covenant } = trace;
      const call = product === 'budget-plan' ? 'release' : 'claim';
      for (const { attempt, after, chainAfter } of acceptedIn(trace)) {
        if (attempt.call !== 'pause') continue;
        const later = waitUntil(chainAfter, covenant.span.to + 1_000_000);
        const now = later.medianTime - 1;
        for (const asked of ['all', 'more'] as const) {
          const claim = covenant.attempt(after.state, { call, asked, share: 0 }, now);
          const spend = spendOf(later, covenant, after, claim, now);
          const { accepted } = submit(later, spend, () => false);
          if ((accepted !== null) !== claim.isAllowed || (asked === 'more' && accepted !== null))
            throw new Error(`${asked}: ${claim.isAllowed}`);
          tried += 1;
        }
      }
    });
    t.true(tried > atLength(10, 2));
  });
}

const campaigns = 'reward-campaign';

test('I6 › reward-campaign › given a pause › no reward is ever paid again', (t) => {
  let tried = 0;
  everyTrace(campaigns, (trace) => {
    for (const { attempt, after, chainAfter } of acceptedIn(trace)) {
      if (attempt.call !== 'pause') continue;
      const later = waitUntil(chainAfter, trace.covenant.span.to + 1_000_000);
      const now = later.medianTime - 1;
      for (const asked of ['all', 'part', 'one'] as const) {
        const pay = trace.covenant.attempt(after.state, { call: 'distribute', asked, share: 500 }, now);
        if (submit(later, spendOf(later, trace.covenant, after, pay, now), () => false).accepted !== null)
          throw new Error('a paused campaign pays');
        tried += 1;
      }
    }
  });
  t.true(tried > atLength(10, 2));
});

test('I8 › reward-campaign › given any sequence of moves › the caps hold, and a unit more is refused', (t) => {
  let paid = 0;
  everyTrace(campaigns, (trace) => {
    const { total, maximum } = trace.terms as { readonly total: bigint; readonly maximum: bigint };
    let sum = 0n;
    for (const { attempt, after, chainAfter } of acceptedIn(trace)) {
      if (attempt.call !== 'distribute') continue;
      const reward = attempt.pays.reduce((all, { amount }) => all + amount, 0n);
      paid += 1;
      sum += reward;
      if (reward > maximum || sum > total || after.state.distributed !== sum)
        throw new Error('a cap is broken');
      const now = chainAfter.medianTime - 1;
      const more = trace.covenant.attempt(after.state, { call: 'distribute', asked: 'more', share: 0 }, now);
      const spend = spendOf(chainAfter, trace.covenant, after, more, now);
      const { accepted } = submit(chainAfter, spend, () => false);
      if (accepted !== null) throw new Error('a unit more is paid');
    }
  });
  t.true(paid > atLength(20, 6));
});

test('I4 › reward-campaign › given an end › what an outsider sends to the address later is no campaign', (t) => {
  everyTrace(campaigns, (trace) => {
    const end = acceptedIn(trace).find(({ after }) => after.thread === null);
    if (end === undefined) return;
    const { contract } = trace.covenant;
    const stray = called('stray', plain(contract.lock, 5_000n), contract, 'cancel', end.attempt.args);
    const spend: Spend = {
      inputs: [stray, owned('fee', outsider)],
      outputs: [plain(outsider.lock, 10_000n)],
      locktime: 0,
      chainTime: end.chain.medianTime,
    };
    if (!isRefused(spend)) throw new Error('a coin without a thread moves');
  });
  t.pass();
});
