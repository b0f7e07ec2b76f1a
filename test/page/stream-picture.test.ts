import test from 'ava';
import type { z } from 'zod';
import { shorten } from '../../src/page/amounts.js';
import { figureOf } from '../../src/page/pictures/figure.js';
import { amountAt } from '../../src/page/pictures/steps.js';
import { claimedLine, shapeOfStream, type StreamShown } from '../../src/page/pictures/stream-shape.js';
import { drawStream } from '../../src/page/pictures/stream.js';
import type { show } from '../../src/products/streams/operations/show.js';
import { showDay, showMoment } from '../../src/page/say.js';
import { Table } from '../../src/page/ui/table.js';
import { all, elementsIn, textIn } from './walk.js';

const DAY = 86_400;
const START = 1_780_272_000;
const ANN = 'bchtest:qpm2qsznhks23z7629mms6s4cwef74vcwvqcw003ap';
const BOB = 'bchtest:qr6m7j9njldwwzlg9v7v53unlr4jkmx6ey65nvtks5';
const BCH = { category: null, decimals: 8 };
const TEAM = { category: 'ab'.repeat(32), decimals: 0, symbol: 'TEAM' };

/** The reply of `GET /api/streams/:id` is what is drawn. */
type Reply = z.output<(typeof show)['output']>;
const draw = drawStream satisfies (shown: Reply, asset: typeof BCH, width: number) => unknown;

const claim = (day: number, amountOnChain: string, recipient = ANN) => ({
  recipient,
  to_address: recipient,
  amountOnChain,
  claimed_at: START + day * DAY,
  tx_hash: 'ab'.repeat(32),
});

/** 100 units in 100 days from the start on, with a claim of 20. */
const linear: StreamShown = {
  stream: {
    stream_id: '#STREAM-0001',
    status: 'ACTIVE',
    total_amountOnChain: '100',
    withdrawn_amountOnChain: '20',
    returned_amountOnChain: '0',
    claimable_amountOnChain: '30',
    shift_seconds: 0,
    next_unlock: START + 51 * DAY,
    decimals: 0,
    updated_at: START,
  },
  chainTime: START + 50 * DAY,
  curve: [
    { time: START, amountOnChain: '0' },
    { time: START + 100 * DAY, amountOnChain: '100' },
  ],
  pauses: [],
  claims: [claim(30, '20')],
  events: [],
};

/** The same after a pause of ten days from day 20 on: the reply's curve is later by them as a whole. */
const paused: StreamShown = {
  ...linear,
  stream: { ...linear.stream, shift_seconds: 10 * DAY, claimable_amountOnChain: '20' },
  curve: linear.curve.map((corner) => ({ ...corner, time: corner.time + 10 * DAY })),
  pauses: [{ from: START + 20 * DAY, until: START + 30 * DAY, movedBySeconds: 10 * DAY }],
};

const at = (shown: StreamShown, day: number) => amountAt(shapeOfStream(shown).curve, START + day * DAY);

test('a finished pause is flat, and only what came after it is later', (t) => {
  t.is(shapeOfStream(paused).curve[0]?.time, START);
  t.deepEqual(
    [0, 10, 20, 25, 30, 40, 110].map((day) => at(paused, day)),
    [0n, 10n, 20n, 20n, 20n, 30n, 100n],
  );
});

test('a pause that lasts is flat up to now, and the rest is drawn as if it ended now', (t) => {
  const shown = {
    ...linear,
    stream: { ...linear.stream, status: 'PAUSED' },
    pauses: [{ from: START + 40 * DAY, until: null, movedBySeconds: null }],
  };
  t.deepEqual(
    [40, 45, 50, 60, 110].map((day) => at(shown, day)),
    [40n, 40n, 40n, 50n, 100n],
  );
  t.deepEqual(shapeOfStream(shown).pauses, [
    { from: START + 40 * DAY, until: START + 50 * DAY, lasts: true },
  ]);
});

test('a jump at the very begin of a pause stands before it', (t) => {
  const curve = [
    { time: START + 10 * DAY, amountOnChain: '0' },
    { time: START + 30 * DAY, amountOnChain: '0' },
    { time: START + 30 * DAY, amountOnChain: '100' },
  ];
  const shown = { ...paused, curve };
  t.is(at(shown, 20), 100n);
  t.is(amountAt(shapeOfStream(shown).curve, START + 20 * DAY - 1), 0n);
});

test('where only the sum of several pauses is known, the curve stays as the reply has it', (t) => {
  const shown = {
    ...paused,
    pauses: [
      { from: START + 20 * DAY, until: START + 23 * DAY, movedBySeconds: null },
      { from: START + 40 * DAY, until: START + 43 * DAY, movedBySeconds: null },
    ],
  };
  t.is(shapeOfStream(shown).curve[0]?.time, START + 10 * DAY);
});

test('claims rise in their order, oldest first', (t) => {
  const shown = {
    ...linear,
    stream: { ...linear.stream, withdrawn_amountOnChain: '45' },
    claims: [claim(48, '25', BOB), claim(30, '20')],
  };
  const shape = shapeOfStream(shown);
  t.deepEqual(
    shape.claims.map(({ sum, by }) => [sum, by]),
    [
      [20n, ANN],
      [45n, BOB],
    ],
  );
  const line = claimedLine(shape, START);
  t.deepEqual(
    [29, 30, 47, 48, 50].map((day) => amountAt(line, START + day * DAY)),
    [0n, 20n, 20n, 45n, 45n],
  );
});

test('what was claimed before the claims that are known follows the curve', (t) => {
  const shown = { ...linear, stream: { ...linear.stream, withdrawn_amountOnChain: '25' } };
  const shape = shapeOfStream(shown);
  t.is(shape.earlier, 5n);
  const line = claimedLine(shape, START);
  t.deepEqual(
    [3, 10, 30].map((day) => amountAt(line, START + day * DAY)),
    [3n, 5n, 25n],
  );
});

test('a claim in a block that is later than chain time is drawn today', (t) => {
  const shown = { ...linear, chainTime: START + 29 * DAY };
  const line = claimedLine(shapeOfStream(shown), START);
  t.is(line.at(-1)?.time, START + 29 * DAY);
  t.is(line.at(-1)?.amount, 20n);
});

test('a cancelled stream ends when it was cancelled', (t) => {
  const shown = {
    ...linear,
    stream: {
      ...linear.stream,
      status: 'CANCELLED',
      withdrawn_amountOnChain: '40',
      returned_amountOnChain: '60',
      claimable_amountOnChain: '0',
    },
    claims: [claim(40, '20'), claim(30, '20')],
    events: [{ event_type: 'cancelled', created_at: START + 40 * DAY }],
  };
  t.is(shapeOfStream(shown).until, START + 40 * DAY);
  const picture = draw(shown, TEAM, 340);
  t.is(
    picture.caption,
    `Cancelled on ${showDay(START + 40 * DAY)}: 40 TEAM went to the recipient, 60 TEAM back to the sender.`,
  );
  t.true(picture.keys.some(({ text }) => text === 'returned to the sender: 60 TEAM'));
});

for (const width of [280, 340, 720]) {
  test(`nothing of it leaves a picture of ${width} pixels`, (t) => {
    const { drawing, height } = draw(paused, BCH, width);
    for (const { props } of all(drawing, 'rect')) {
      t.true(Number(props['x']) >= 0 && Number(props['x']) + Number(props['width']) <= width);
      t.true(Number(props['y']) + Number(props['height']) <= height);
    }
    for (const { props } of all(drawing, 'circle'))
      t.true(Number(props['cx']) <= width && Number(props['cy']) <= height);
    for (const { props } of all(drawing, 'path'))
      for (const [, x, y] of String(props['d']).matchAll(/[ML](-?[\d.]+) (-?[\d.]+)/g))
        t.true(Number(x) >= 0 && Number(x) <= width && Number(y) >= 0 && Number(y) <= height);
  });
}

const on = (day: number) => showMoment(START + day * DAY);

test('its table says the same figures: each claim, each pause, what is claimed and what can be', (t) => {
  const { table, keys, drawing } = draw(paused, BCH, 720);
  const said = table.rows.map((row) => row.join(' | '));
  t.deepEqual(said, [
    `Begin | ${on(0)} |  |  | `,
    `Pause | ${on(20)} – ${on(30)} |  |  | `,
    `Claim 1 | ${on(30)} | 0.0000002 BCH | 0.0000002 BCH | ${ANN}`,
    `today | ${on(50)} | can be claimed: 0.0000002 BCH | 0.0000002 BCH | `,
    `End | ${on(110)} | 0.000001 BCH |  | `,
  ]);
  t.is(keys[0]?.text, `claimed: 0.0000002 BCH, by ${shorten(ANN)}`);
  t.is(all(drawing, 'circle').length, 1);
  t.regex(textIn(drawing), /0\.0000002 BCH/);
});

test('it is a picture with a name, its point in words, and a table behind it', (t) => {
  const figure = figureOf(draw(linear, BCH, 340));
  const [svg] = all(figure, 'svg');
  t.is(svg?.props['role'], 'img');
  t.is(textIn(all(svg, 'title')[0]), 'What vests and was claimed of #STREAM-0001');
  t.is(textIn(all(svg, 'desc')[0]), textIn(all(figure, 'figcaption')[0]));
  t.is(textIn(all(figure, 'summary')[0]), 'Show as a table');
  t.true(elementsIn(figure).some(({ type }) => type === Table));
});
