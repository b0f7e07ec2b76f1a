import test from 'ava';
import fc from 'fast-check';
import { TreasuryError } from '../../../src/errors.js';
import { csvText, readCsv } from '../../../src/operation/csv.js';
import { readBatchCsv } from '../../../src/products/streams/batch-csv.js';

const RECORDS: readonly (readonly [title: string, csv: string, records: string[][]])[] = [
  [
    'cells and lines',
    'a,b\r\n1,2\r\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'no line end after the last record',
    'a,b\n1,2',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'empty cells, the last one too',
    'a,,\n,,b',
    [
      ['a', '', ''],
      ['', '', 'b'],
    ],
  ],
  [
    'commas, quotes and line ends in a quoted cell',
    '"a,b","say ""hi""","x\r\ny"',
    [['a,b', 'say "hi"', 'x\r\ny']],
  ],
  ['an empty quoted cell', '""\n"",""', [[''], ['', '']]],
  ['spaces, which are part of a cell', ' a , b ', [[' a ', ' b ']]],
  ['a byte order mark', '\uFEFFa\n1', [['a'], ['1']]],
  ['empty lines', 'a\n\n \n1\n\n', [['a'], ['1']]],
  ['what looks like a formula', '=1+1,@x,-2,"\'=1"', [['=1+1', '@x', '-2', "'=1"]]],
  ['nothing', '', []],
  [
    'semicolons, and commas in cells',
    'a;b\r\n0,25;"x;y"',
    [
      ['a', 'b'],
      ['0,25', 'x;y'],
    ],
  ],
  [
    'tabs',
    'a\tb\n1\t2, 3',
    [
      ['a', 'b'],
      ['1', '2, 3'],
    ],
  ],
  [
    'line ends of one character, as old programs write them',
    'a,b\r1,2\r',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'what Excel is told of its delimiter',
    'sep=;\r\na,1;b\r\n1;2',
    [
      ['a,1', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'lines of empty cells',
    'a;b\n;;\n ; \n1;2\n;;;;',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
];

const cellsOf = (csv: string) => readCsv(csv).map(({ cells }) => cells);

for (const [title, csv, records] of RECORDS) {
  test(`records › ${title}`, (t) => {
    t.deepEqual(cellsOf(csv), records);
  });
}

test('records › each has the line of the file on which it begins', (t) => {
  const csv = '\uFEFFa;b\r\n1;"x\r\ny\nz"\r\n\r\n;;\r\n2;3\r\n';
  t.deepEqual(
    readCsv(csv).map(({ line }) => line),
    [1, 2, 7],
  );
});

test('records › given a spreadsheet of another encoding › it is refused with what to save it as', (t) => {
  // As Excel saves "Unicode text", and "CSV" for one country alone; both are read as UTF-8.
  const utf16 = Buffer.from('\uFEFFrecipient\tamount\r\n', 'utf16le').toString('utf8');
  const latin = Buffer.from('recipient;amount\r\nJürgen;1', 'latin1').toString('utf8');
  t.regex(t.throws(() => readCsv(utf16)).message, /UTF-16 .* save it as "CSV UTF-8"/);
  t.regex(
    t.throws(() => readCsv(latin)).message,
    /line 2 has a character that is no UTF-8: save it as "CSV UTF-8"/,
  );
});

test('records › whatever was written is read back', (t) => {
  // What begins with a line end is written with an apostrophe before it.
  const cell = fc.stringMatching(/^[\w,"][\w ,"\n]*$/);
  const record = fc.array(cell, { minLength: 2, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(record, { minLength: 1 }), ([header = [], ...rows]) => {
      t.deepEqual(cellsOf(csvText(header, rows)), [header, ...rows]);
    }),
    { numRuns: 200 },
  );
});

const DAMAGED: readonly (readonly [title: string, csv: string, reason: RegExp])[] = [
  ['a quote that is not closed', 'a,b\n1,"2\n3,4', /line 2: a quote is not closed/],
  ['a quote in a bare cell', 'a\nsay "hi"', /line 2: a quote stands where none may/],
  ['text after a closing quote', '"a"b', /line 1: a quote stands where none may/],
];

for (const [title, csv, reason] of DAMAGED) {
  test(`records › given ${title} › invalid_file names the line`, (t) => {
    const error = t.throws(() => readCsv(csv), { instanceOf: TreasuryError });
    t.is(error.code, 'invalid_file');
    t.regex(error.message, reason);
  });
}

const HEADER = 'recipient,amount,type,template,start,end,interval,cliff,unlock,upfront,tranches,description';

/** A file of one good row, one with some cells set, and one more good row. */
const fileWith = (cells: Record<string, string>): string => {
  const columns = HEADER.split(',');
  const lineOf = (values: Record<string, string>) => columns.map((column) => values[column] ?? '');
  const good = { recipient: 'bob', amount: '1', type: 'LINEAR' };
  return csvText(columns, [lineOf(good), lineOf({ ...good, ...cells }), lineOf(good)]);
};

test('rows › given every column › each becomes the field of a creation', (t) => {
  const { rows } = readBatchCsv(
    fileWith({
      amount: '0.10',
      type: 'step',
      template: 'step-monthly',
      start: '2026-07-01T00:00:00Z',
      end: '2026-07-01T02:00+02:00',
      interval: '30d',
      cliff: '2026-07-01t00:00:30z',
      unlock: '1970-01-01T00:00:00-01:00',
      upfront: '12.5 %',
      tranches: '2026-07-01T00:00:00Z=0.1; 2026-08-01T00:00:00Z = 0.2',
      description: 'Design, first half',
    }),
  );
  t.deepEqual(rows[1], {
    line: 3,
    entry: {
      recipient: 'bob',
      totalAmount: '0.10',
      streamType: 'STEP',
      scheduleTemplate: 'step-monthly',
      startTime: 1_782_864_000,
      endTime: 1_782_864_000,
      intervalSeconds: 2_592_000,
      cliffTimestamp: 1_782_864_030,
      hybridUnlockTimestamp: 3_600,
      hybridUpfrontPercentage: '12.5',
      trancheSchedule: [
        { unlockTime: 1_782_864_000, amount: '0.1' },
        { unlockTime: 1_785_542_400, amount: '0.2' },
      ],
      description: 'Design, first half',
    },
  });
});

test('rows › what is left empty › is not given', (t) => {
  const { rows } = readBatchCsv('Recipient, AMOUNT ,template\nbob,1,linear-open\n');
  t.deepEqual(rows, [
    { line: 2, entry: { recipient: 'bob', totalAmount: '1', scheduleTemplate: 'linear-open' } },
  ]);
});

test('rows › what looks like a formula › is just text', (t) => {
  const { rows } = readBatchCsv('recipient,amount,type,description\n@bob,=1+1,+x,"=HYPERLINK(""a"")"\n');
  t.deepEqual(rows, [
    {
      line: 2,
      entry: { recipient: '@bob', totalAmount: '=1+1', streamType: '+X', description: '=HYPERLINK("a")' },
    },
  ]);
});

const BAD_CELLS: readonly (readonly [column: string, text: string, message: RegExp])[] = [
  ['start', '2026-07-01', /"2026-07-01" must be a date with its offset/],
  ['start', '2026-07-01T00:00:00', /with its offset/],
  ['start', '1782864000', /with its offset/],
  ['end', '2026-02-30T00:00:00Z', /with its offset/],
  ['end', '2026-07-01T24:00:00Z', /with its offset/],
  ['cliff', '2026-07-01T00:00:00+25:00', /with its offset/],
  ['unlock', 'tomorrow', /"tomorrow" must be a date/],
  ['interval', '30', /"30" is not a duration/],
  ['interval', '1mo', /is not a duration/],
  ['tranches', '2026-07-01T00:00:00Z', /must be a date and an amount/],
  ['tranches', '2026-07-01T00:00:00Z=1=2', /must be a date and an amount/],
  ['tranches', '2026-07-01=1', /with its offset/],
];

for (const [column, text, message] of BAD_CELLS) {
  test(`rows › given ${column} "${text}" › only that row is refused, by its column`, (t) => {
    const { rows } = readBatchCsv(fileWith({ [column]: text }));
    t.deepEqual(
      rows.map((row) => 'issues' in row),
      [false, true, false],
    );
    const [issue, ...others] = rows.flatMap((row) => ('issues' in row ? row.issues : []));
    t.deepEqual(others, []);
    t.is(issue?.path, column);
    t.regex(issue?.message ?? '', message);
  });
}

test('rows › given too many or too few cells › that row is refused', (t) => {
  const { rows } = readBatchCsv('recipient,amount,type\nbob,1\nbob,1,LINEAR\nbob,1,LINEAR,x\n');
  t.deepEqual(
    rows.map((row) => ('issues' in row ? row.issues[0]?.message : 'good')),
    ['has 2 cells, and the header 3', 'good', 'has 4 cells, and the header 3'],
  );
});

const BAD_HEADERS: readonly (readonly [title: string, csv: string, reason: RegExp])[] = [
  ['no header', 'bob,1,LINEAR\n', /unknown column "bob", "1", "linear"/],
  ['nothing at all', '', /lacks recipient, amount, type or template/],
  ['an unknown column', 'recipient,amount,type,salary\n', /unknown column "salary"/],
  ['two kinds of delimiters', 'recipient;amount,type\n', /unknown column "recipient/],
  ['a column twice', 'recipient,amount,type,Amount\n', /column amount twice/],
  ['no amount', 'recipient,template\n', /lacks amount;/],
];

for (const [title, csv, reason] of BAD_HEADERS) {
  test(`header › given ${title} › invalid_file says so`, (t) => {
    const error = t.throws(() => readBatchCsv(csv), { instanceOf: TreasuryError });
    t.is(error.code, 'invalid_file');
    t.regex(error.message, reason);
  });
}
