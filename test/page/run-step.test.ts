/** A step that is signed on a phone, from building it to its end: what is shown, asked and sent, and in which order. */
import test from 'ava';
import { PageFailure } from '../../src/page/failure.js';
import type { Reply } from '../../src/page/replies.js';
import { beginStep, resumeStep } from '../../src/page/signing/run-step.js';
import type { Purpose, Stage, Step, StepPorts } from '../../src/page/signing/step.js';
import type { SignedAnswer } from '../../src/page/wallet/port.js';

const STEP: Step = {
  title: 'Claim',
  build: { path: '/claim', body: { a: 1 } },
  confirm: '/confirm',
  command: 'streams claim STREAM-0001',
  page: '/app/streams/STREAM-0001',
};

const wc = (digest: string) => ({ transaction: digest, sourceOutputs: [], broadcast: false, digest });
const built = (digest: string): Reply => ({ success: true, wcTransaction: wc(digest), view: [] });
const preparation: Reply = {
  success: false,
  requiresPreparation: true,
  preparationTransaction: wc('PREPARE'),
  view: [],
};
const signed = (txid: string): SignedAnswer => ({
  transaction: `raw ${txid}`,
  txid,
  isComplete: true,
  publicKey: '02',
});
const fails = (code: string, retryable = false) => new PageFailure(code, { code, retryable });

type Answer = Reply | Error;

/** A daemon and a phone that answer in turn; what they were asked. */
const play = (
  answers: Readonly<Record<string, readonly Answer[]>>,
  phone: readonly (SignedAnswer | Error)[] = [],
) => {
  const asked: string[] = [];
  const stages: Stage[] = [];
  const next = new Map(Object.entries(answers).map(([path, list]) => [path, [...list]]));
  const hand = [...phone];
  let pending: Purpose | null = null;
  const resume = (): Promise<SignedAnswer> => {
    asked.push('resume');
    return give(hand.shift());
  };
  const give = (one: SignedAnswer | Error | undefined): Promise<SignedAnswer> =>
    one === undefined || one instanceof Error
      ? Promise.reject(one ?? new Error('the phone was asked too often'))
      : Promise.resolve(one);
  const ports: StepPorts = {
    post: (path, body) => {
      asked.push(`${path} ${JSON.stringify(body)}`);
      const one = next.get(path)?.shift();
      return one === undefined || one instanceof Error
        ? Promise.reject(one ?? new Error(`${path} was asked too often`))
        : Promise.resolve(one);
    },
    login: () => Promise.resolve(),
    sign: ({ digest }, { turn }) => {
      asked.push(`sign ${digest ?? ''} ${turn ?? ''}`.trim());
      return give(hand.shift());
    },
    resumeOf: (purpose) => (JSON.stringify(purpose) === JSON.stringify(pending) ? resume : null),
    forget: () => {
      asked.push('forget');
      pending = null;
    },
    sleep: (milliseconds) => {
      asked.push(`sleep ${milliseconds}`);
      return Promise.resolve();
    },
    show: (stage) => void stages.push(stage),
  };
  return {
    ports,
    asked,
    kinds: () => stages.map(({ kind }) => kind),
    last: <K extends Stage['kind']>(kind: K) => {
      const stage = stages.at(-1);
      if (stage?.kind !== kind) throw new Error(`${stage?.kind ?? 'nothing'} is shown, not ${kind}`);
      return stage as Extract<Stage, { readonly kind: K }>;
    },
    /** Something is on the phone. */
    waits: (purpose: Purpose = { step: STEP, turn: null }) => {
      pending = purpose;
    },
  };
};

const BROADCAST = '/api/transactions/broadcast';

test('it is built, shown, and nothing is signed before it was agreed to', async (t) => {
  const { ports, asked, kinds, last } = play({ '/claim': [built('ONE')] });
  await beginStep(STEP, ports);
  t.deepEqual(asked, ['/claim {"a":1}']);
  t.deepEqual(kinds(), ['building', 'building', 'review']);
  t.is(last('review').digest, 'ONE');
  t.is(last('review').turn, null);
});

test('what was signed is sent, and confirmed once the chain knows it', async (t) => {
  const { ports, asked, kinds, last } = play(
    {
      '/claim': [built('ONE')],
      [BROADCAST]: [{ success: true }],
      '/confirm': [fails('tx_not_indexed', true), { success: true, message: 'claimed' }],
    },
    [signed('t1')],
  );
  await beginStep(STEP, ports);
  await last('review').agree();
  t.deepEqual(asked.slice(1), [
    'sign ONE',
    `${BROADCAST} {"transaction":"raw t1"}`,
    '/confirm {"txHash":"t1"}',
    'sleep 500',
    '/confirm {"txHash":"t1"}',
    'forget',
  ]);
  t.deepEqual(kinds().slice(3), ['waiting', 'sending', 'confirming', 'done']);
  t.like(last('done'), { txid: 't1', reply: { message: 'claimed' } });
});

test('a preparation comes first: the phone is asked twice, and is told which is which', async (t) => {
  const { ports, asked, last } = play(
    {
      '/claim': [preparation, preparation, built('TWO')],
      [BROADCAST]: [{ success: true }, { success: true }],
      '/confirm': [{ success: true }],
    },
    [signed('p1'), signed('t2')],
  );
  await beginStep(STEP, ports);
  t.is(last('review').turn, 'preparation');
  t.is(last('review').digest, 'PREPARE');
  await last('review').agree();
  t.is(last('review').turn, 'after-preparation');
  await last('review').agree();
  t.is(last('done').txid, 't2');
  t.deepEqual(
    asked.filter((one) => one.startsWith('sign')),
    ['sign PREPARE preparation', 'sign TWO after-preparation'],
  );
  t.false(
    asked.some((one) => one.includes('/confirm {"txHash":"p1"}')),
    'a preparation confirms nothing',
  );
});

test('declined: it is said, and tried again it is shown once more before the phone is asked', async (t) => {
  const { ports, asked, last } = play({ '/claim': [built('ONE')] }, [fails('wallet_declined')]);
  await beginStep(STEP, ports);
  await last('review').agree();
  t.is(last('failed').failure.code, 'wallet_declined');
  t.is(last('failed').sent, null);
  await last('failed').again();
  t.is(last('review').digest, 'ONE');
  t.deepEqual(asked, ['/claim {"a":1}', 'sign ONE']);
});

test('silence: trying again waits for what the phone was asked, and asks nothing new', async (t) => {
  const { ports, asked, last, waits } = play(
    { '/claim': [built('ONE')], [BROADCAST]: [{ success: true }], '/confirm': [{ success: true }] },
    [fails('wallet_silent', true), signed('t1')],
  );
  await beginStep(STEP, ports);
  await last('review').agree();
  waits();
  await last('failed').again();
  t.is(last('done').txid, 't1');
  t.is(asked.filter((one) => one.startsWith('sign')).length, 1);
  t.true(asked.includes('resume'));
});

test('what another step has on the phone is no answer to this one', async (t) => {
  const { ports, asked, last, waits } = play({ '/claim': [built('ONE')] }, [
    fails('unexpected'),
    signed('of-another'),
  ]);
  waits({ step: { ...STEP, build: { path: '/claim', body: { a: 2 } } }, turn: null });
  await beginStep(STEP, ports);
  await last('review').agree();
  await last('failed').again();
  t.is(last('review').digest, 'ONE');
  t.deepEqual(asked, ['/claim {"a":1}', 'sign ONE']);
});

test('whoever stops waiting sees again what was to be signed', async (t) => {
  const { ports, last } = play({ '/claim': [built('ONE')] }, [fails('interrupted')]);
  await beginStep(STEP, ports);
  await last('review').agree();
  t.is(last('review').digest, 'ONE');
});

test('nobody answers while it is sent: the same transaction is sent again, and the phone is not asked', async (t) => {
  const { ports, asked, last } = play(
    {
      '/claim': [built('ONE')],
      [BROADCAST]: [fails('service_unavailable', true), { success: true }],
      '/confirm': [{ success: true }],
    },
    [signed('t1')],
  );
  await beginStep(STEP, ports);
  await last('review').agree();
  t.is(last('failed').failure.code, 'service_unavailable');
  await last('failed').again();
  t.is(last('done').txid, 't1');
  t.deepEqual(
    asked.filter((one) => one.startsWith(BROADCAST)),
    [`${BROADCAST} {"transaction":"raw t1"}`, `${BROADCAST} {"transaction":"raw t1"}`],
  );
});

test('what the network will never take is built anew, and let go of', async (t) => {
  const { ports, asked, last } = play(
    { '/claim': [built('ONE'), built('TWO')], [BROADCAST]: [fails('tx_conflict')] },
    [signed('t1')],
  );
  await beginStep(STEP, ports);
  await last('review').agree();
  await last('failed').again();
  t.is(last('review').digest, 'TWO');
  t.true(asked.includes('forget'));
});

test('what was sent stays said when its confirmation fails, and that alone is tried again', async (t) => {
  const { ports, asked, last } = play(
    {
      '/claim': [built('ONE')],
      [BROADCAST]: [{ success: true }],
      '/confirm': [fails('chain_unavailable', true), { success: true }],
    },
    [signed('t1')],
  );
  await beginStep(STEP, ports);
  await last('review').agree();
  t.is(last('failed').sent, 't1');
  await last('failed').again();
  t.is(last('done').txid, 't1');
  t.is(asked.filter((one) => one.startsWith(BROADCAST)).length, 1);
});

test('a refusal of the build is said in its own words, and built again', async (t) => {
  const { ports, last } = play({ '/claim': [fails('nothing_claimable'), built('ONE')] });
  await beginStep(STEP, ports);
  t.is(last('failed').failure.code, 'nothing_claimable');
  await last('failed').again();
  t.is(last('review').digest, 'ONE');
});

test('a reply without a transaction has nothing to sign', async (t) => {
  const { ports, kinds } = play({ '/claim': [{ success: true, wcTransaction: null }] });
  await beginStep(STEP, ports);
  t.is(kinds().at(-1), 'nothing');
});

test('a signature that is handed in elsewhere needs no confirmation', async (t) => {
  const step: Step = {
    ...STEP,
    deliver: { path: '/signatures', field: 'signedTransaction' },
    confirm: null,
  };
  const { ports, asked, last } = play(
    { '/claim': [built('ONE')], '/signatures': [{ success: true, message: 'one of two' }] },
    [signed('t1')],
  );
  await beginStep(step, ports);
  await last('review').agree();
  t.like(last('done'), { txid: null, reply: { message: 'one of two' } });
  t.true(asked.includes('/signatures {"signedTransaction":"raw t1"}'));
});

test('a page that was left goes on with what the phone was asked; without that it begins anew', async (t) => {
  const answers = {
    '/claim': [built('ONE')],
    [BROADCAST]: [{ success: true }],
    '/confirm': [{ success: true }],
  };
  const left = play(answers, [signed('t1')]);
  left.waits();
  await resumeStep({ step: STEP, turn: null }, left.ports);
  t.is(left.last('done').txid, 't1');
  t.false(left.asked.includes('/claim {"a":1}'));
  const anew = play(answers);
  await resumeStep({ step: STEP, turn: null }, anew.ports);
  t.is(anew.last('review').digest, 'ONE');
});

test('a preparation that was on the phone when the page was left is followed by the step itself', async (t) => {
  const { ports, waits, last } = play({ '/claim': [built('TWO')], [BROADCAST]: [{ success: true }] }, [
    signed('p1'),
  ]);
  waits({ step: STEP, turn: 'preparation' });
  await resumeStep({ step: STEP, turn: 'preparation' }, ports);
  t.is(last('review').turn, 'after-preparation');
});
