/** Views as text: by the width of a terminal, and with nothing in them that steers it. */
import test from 'ava';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { drawView, layOutView, nextSteps } from '../../src/cli/draw-view.js';
import type { Painter } from '../../src/cli/output.js';
import { plainJson, styledLines } from '../../src/cli/plain-text.js';
import { NO_SCREEN, showsLinks, type Screen } from '../../src/cli/screen.js';
import { toneOf } from '../../src/cli/states.js';
import { column } from '../../src/operation/columns.js';
import type { View } from '../../src/operation/define.js';

const ADDRESS = 'bchtest:qrm6f2mw6z8yramlhkjzwvx8ezvur22hmvljfa0g7z';
const TXID = '09c69604808a6cb0919eddbcae333a2d40d20636c0b39e3ba48a73fc844a7fb0';

const plainOn = (screen: Partial<Screen>): Painter =>
  Object.assign<Painter, { screen: Screen }>((_paint, text) => text, { screen: { ...NO_SCREEN, ...screen } });

const markedOn = (screen: Partial<Screen>): Painter =>
  Object.assign<Painter, { screen: Screen }>((paint, text) => `<${paint}>${text}</>`, {
    screen: { ...NO_SCREEN, ...screen },
  });

const table: View = [
  {
    kind: 'table',
    head: [
      column.key('Label'),
      column.state('Status'),
      column.text('Recipient'),
      column.amount('Amount'),
      column.text('Asset', 2),
      column.txid('Transaction'),
    ],
    rows: [
      ['#PAY-0001', 'ACTIVE', ADDRESS, '0.05', 'BCH', TXID],
      ['#PAY-0002', 'PAUSED', 'Somebody', '12', 'BCH', ''],
    ],
  },
];

const titles = (columns: number, names = new Map<string, string>()): readonly string[] =>
  (drawView(table, plainOn({ columns, names })).split('\n')[0] ?? '')
    .split(/\s{2,}/)
    .filter((title) => title !== '');

test('table › off a terminal › everything stands there whole', (t) => {
  const text = drawView(table, plainOn({ columns: null, names: new Map([[ADDRESS, 'ben']]) }));
  t.true(text.includes(`ACTIVE  ${ADDRESS}    0.05  BCH    ${TXID}`));
  t.notRegex(text, /ben|…/);
});

test('table › given ever less room › hashes are shortened, then columns go by their rank, and never what a row is called by', (t) => {
  const all = ['Label', 'Status', 'Recipient', 'Amount', 'Asset', 'Transaction'];
  t.deepEqual(titles(200), all);
  t.deepEqual(titles(80), all, 'shortened');
  t.deepEqual(titles(56), all.slice(0, 5), 'detail goes first');
  t.deepEqual(titles(40), all.slice(0, 4), 'then what is more about it');
  t.deepEqual(titles(20), ['Label', 'Status']);
  t.deepEqual(layOutView(table, plainOn({ columns: 56 })).hidden, ['Transaction']);
});

test('table › given a name of an address › it stands beside it, and in its place where there is less room', (t) => {
  const names = new Map([[ADDRESS, '@cleo']]);
  t.regex(drawView(table, plainOn({ columns: 80, names })), /@cleo qrm6f…0g7z/);
  t.regex(drawView(table, plainOn({ columns: 36, names })), /@cleo {2}/);
});

test('table › given amounts › they end in one column', (t) => {
  const lines = drawView(table, plainOn({ columns: 56 })).split('\n');
  t.is(lines[1]?.indexOf('0.05 '), (lines[2]?.indexOf('12 ') ?? 0) - 2);
});

test('table › given any texts and widths › no line is wider, rows of short words stay one line', (t) => {
  const cell = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.constantFrom(ADDRESS, TXID, '虫の賞金 é👩‍👩‍👧'),
  );
  fc.assert(
    fc.property(
      fc.integer({ min: 20, max: 200 }),
      fc.array(fc.tuple(cell, cell, cell), { maxLength: 5 }),
      (columns, rows) => {
        const view: View = [
          { kind: 'table', head: [column.key('A'), column.text('B'), column.amount('C', 2)], rows },
        ];
        const lines = drawView(view, plainOn({ columns })).split('\n');
        t.true(lines.every((line) => stringWidth(line) <= columns));
        if (rows.length > 0) t.is(lines.length, rows.length + 1);
      },
    ),
    { numRuns: 200 },
  );
});

test('table › given wide characters › columns stand below each other', (t) => {
  const view: View = [
    {
      kind: 'table',
      head: ['Title', 'Next'],
      rows: [
        ['虫の賞金', 'x'],
        ['Käfer', 'y'],
        ['e\u0301', 'z'],
      ],
    },
  ];
  const lines = drawView(view, plainOn({ columns: 40 })).split('\n');
  t.deepEqual(lines, ['Title     Next', '虫の賞金  x', 'Käfer     y', 'e\u0301         z']);
});

test('table › given what is agreed to › who is paid is never shortened, however little room there is', (t) => {
  const view: View = [
    {
      kind: 'table',
      head: [column.whole('Receives'), column.amount('BCH', 0)],
      rows: [[`${ADDRESS} (you)`, '0.05']],
    },
  ];
  for (const columns of [30, 40, 60, 80]) {
    const text = drawView(view, plainOn({ columns, names: new Map([[ADDRESS, 'ben']]) }));
    const written = text
      .split('\n')
      .slice(1)
      .map((line) => line.trim())
      .join('');
    t.true(written.replaceAll(' ', '').startsWith(ADDRESS), `${columns}: ${text}`);
    t.true(text.split('\n').every((line) => line.length <= columns));
  }
});

test('table › given sentences › they wrap within their column', (t) => {
  const view: View = [
    {
      kind: 'table',
      head: [column.key('Check'), column.prose('What was found')],
      rows: [['store', 'it opens and has what it should have']],
    },
  ];
  t.deepEqual(drawView(view, plainOn({ columns: 30 })).split('\n'), [
    'Check  What was found',
    'store  it opens and has what',
    '       it should have',
  ]);
});

test('facts › given less room than a value wants › it has lines of its own, and an address that fits none its ends', (t) => {
  const view: View = [
    {
      kind: 'facts',
      rows: [
        ['Contract', ADDRESS],
        ['Paid', '0 in 0 periods'],
      ],
    },
  ];
  t.is(drawView(view, plainOn({ columns: 58 })), `Contract\n  ${ADDRESS}\nPaid      0 in 0 periods`);
  t.is(drawView(view, plainOn({ columns: 40 })), 'Contract\n  qrm6f…0g7z\nPaid      0 in 0 periods');
  t.is(drawView(view, plainOn({ columns: null })), `Contract  ${ADDRESS}\nPaid      0 in 0 periods`);
});

test('facts › given a rate › BCH is shown with what it is worth, and with how old that is', (t) => {
  const view: View = [
    {
      kind: 'facts',
      rows: [
        ['Balance', '0.2 BCH, of which 0.1 BCH can be spent'],
        ['Dust', '0.00000546 BCH'],
        ['Tokens', '5 GEMS'],
      ],
    },
  ];
  const fresh = drawView(view, plainOn({ columns: 100, rate: { usd: 500, age: null } }));
  t.regex(fresh, /0\.2 BCH \(~ 100\.00 USD\), of which 0\.1 BCH can/);
  t.regex(fresh, /0\.00000546 BCH \(< 0\.01 USD\)/);
  t.regex(fresh, /5 GEMS$/);
  const old = drawView(view, plainOn({ columns: 100, rate: { usd: 500, age: '3 hours old' } }));
  t.regex(old, /\(~ 100\.00 USD, rate 3 hours old\)/);
  t.notRegex(drawView(view, plainOn({ columns: null, rate: { usd: 500, age: null } })), /USD/);
});

const HOSTILE = 'Tea\u001b[2J\u001b]0;title\u0007\u009b31m\r\n\u202eevil\u2066\nNext: treasury wallet send';

// eslint-disable-next-line no-control-regex
const STEERING = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

test('what strangers wrote › in a table, facts or a heading › steers no terminal and makes no line of its own', (t) => {
  for (const columns of [null, 80]) {
    const paint = plainOn({ columns });
    const inTable = drawView(
      [{ kind: 'table', head: ['Title', 'Status'], rows: [[HOSTILE, 'ACTIVE']] }],
      paint,
    );
    t.notRegex(inTable, STEERING);
    t.is(inTable.split('\n').length, 2);
    const inFacts = drawView([{ kind: 'facts', rows: [['Title', HOSTILE]] }], plainOn({ columns: null }));
    t.notRegex(inFacts, STEERING);
    t.is(inFacts.split('\n').length, 1);
  }
  const quoted = drawView([{ kind: 'text', text: HOSTILE, from: 'others' }], plainOn({ columns: 80 }));
  t.notRegex(quoted, STEERING);
  t.true(
    quoted.split('\n').every((line) => line.startsWith('| ')),
    'set apart',
  );
});

test('what strangers wrote › in a message or a document › is written out, and a document means the same', (t) => {
  t.is(styledLines('\u001b[31mred\u001b[39m and \u001b[2J'), '\u001b[31mred\u001b[39m and \\u001b[2J');
  const json = plainJson(JSON.stringify({ title: HOSTILE }));
  t.notRegex(json, STEERING);
  t.deepEqual(JSON.parse(json), { title: HOSTILE });
});

test('states › of every product › have one colour for one meaning', (t) => {
  const meanings = [
    ['green', ['ACTIVE', 'active', 'LOCKED', 'PASSED', '+ operational', 'ok', '+ ok']],
    ['yellow', ['PENDING', 'pending', 'READY', 'releasable', '! degraded']],
    ['cyan', ['PAUSED', '~ maintenance']],
    ['red', ['DAMAGED', 'GONE', 'x outage', 'FAIL', 'REJECTED']],
    ['dim', ['COMPLETED', 'CANCELLED', 'SPENT', 'UNLOCKED', 'EXPIRED', 'returned']],
  ] as const;
  for (const [tone, words] of meanings) for (const word of words) t.is(toneOf(word), tone, word);
  t.is(toneOf('Bug bounties'), undefined);
  t.regex(drawView(table, markedOn({ columns: 120 })), /<green>ACTIVE<\/>/);
  t.regex(drawView(table, markedOn({ columns: 120 })), /<cyan>PAUSED<\/>/);
});

test('links › on a terminal that shows them › an address and a transaction lead to the explorer', (t) => {
  const linkTo = (kind: string, id: string) => `https://explorer.example.org/${kind}/${id}`;
  const text = drawView(table, plainOn({ columns: 80, linkTo }));
  t.true(
    text.includes(`\u001b]8;;https://explorer.example.org/tx/${TXID}\u001b\\09c69…7fb0\u001b]8;;\u001b\\`),
  );
  t.true(text.includes(`\u001b]8;;https://explorer.example.org/address/${ADDRESS}\u001b\\qrm6f…0g7z`));
  t.notRegex(drawView(table, plainOn({ columns: 80 })), /\]8;;/);
});

test('links › given a terminal that would print what they are made of › there are none', (t) => {
  const stdout = { isTTY: true, write: () => true };
  t.true(showsLinks(stdout, { TERM: 'xterm-256color', VTE_VERSION: '6003' }));
  t.true(showsLinks(stdout, { TERM: 'xterm-kitty' }));
  t.true(showsLinks(stdout, { TERM_PROGRAM: 'WezTerm' }));
  t.false(showsLinks(stdout, { TERM: 'xterm-256color' }));
  t.false(showsLinks(stdout, { TERM: 'dumb', VTE_VERSION: '6003' }));
  t.false(showsLinks(stdout, { TERM: 'xterm-kitty', FORCE_HYPERLINK: '0' }));
  t.false(showsLinks({ ...stdout, isTTY: false }, { TERM: 'xterm-kitty' }));
});

test('next steps › given who reads › only what they or a wallet of theirs may do, with that wallet', (t) => {
  const view: View = [
    { kind: 'next', command: 'streams fund STREAM-0001', why: 'to put the money in', by: [ADDRESS] },
  ];
  const stepsFor = (address: string | null, wallets = new Map<string, string>()) =>
    nextSteps(view, { ...NO_SCREEN, reader: { address, wallets } });
  t.deepEqual(stepsFor(ADDRESS), ['Next: treasury streams fund STREAM-0001  (to put the money in)']);
  t.deepEqual(stepsFor('bchtest:other', new Map([[ADDRESS, 'ben']])), [
    'Next: treasury streams fund STREAM-0001 --wallet ben  (to put the money in)',
  ]);
  t.deepEqual(stepsFor('bchtest:other'), []);
  t.deepEqual(nextSteps(view), ['Next: treasury streams fund STREAM-0001  (to put the money in)']);
});

test('next steps › given less room than one wants › its command has lines that a shell takes for one', (t) => {
  const view: View = [
    { kind: 'next', command: 'streams fund STREAM-0001 --wallet ben', why: 'to put the money in' },
  ];
  t.deepEqual(nextSteps(view, { ...NO_SCREEN, columns: 40 }), [
    'Next, to put the money in:',
    '  treasury streams fund STREAM-0001 \\',
    '  --wallet ben',
  ]);
});

test('tasks › each has its command below it, and what is left out is counted', (t) => {
  const view: View = [
    {
      kind: 'tasks',
      title: 'Can be claimed now: 0.05 BCH',
      items: [{ label: '#PAY-0001', text: `0.05 BCH  from ${ADDRESS}`, command: 'payments claim PAY-0001' }],
      more: 'and 3 more: treasury streams claimable',
    },
  ];
  t.is(
    drawView(view, plainOn({ columns: 80, names: new Map([[ADDRESS, '@cleo']]) })),
    [
      'Can be claimed now: 0.05 BCH',
      '  #PAY-0001  0.05 BCH  from @cleo',
      '    treasury payments claim PAY-0001',
      '  and 3 more: treasury streams claimable',
    ].join('\n'),
  );
});
