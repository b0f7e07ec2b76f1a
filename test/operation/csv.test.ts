import test from 'ava';
import fc from 'fast-check';
import { csvCell, csvText, viewCsv } from '../../src/operation/csv.js';

const FORMULAS = [
  '=1+1',
  '+cmd',
  '+1',
  '-2+3',
  '-x',
  '-1e5',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '\n=1',
  '\r\n=1',
  ' =1',
  ' \t1',
  '|cmd',
  '%0A',
  '＝1',
  '＋1',
  '－1',
  '＠SUM(A1)',
];

for (const formula of FORMULAS) {
  test(`csv › given ${JSON.stringify(formula)} › no spreadsheet takes it for a formula`, (t) => {
    t.regex(csvCell(formula), /^"'/);
  });
}

for (const plain of ['0.1', '-1', '-12.5', '#STREAM-0001', 'bchtest:qq', '2026-06-01T00:00:00.000Z', 'a=b']) {
  test(`csv › given ${plain} › it stays as it is`, (t) => {
    t.is(csvCell(plain), plain);
  });
}

test('csv › given a number, or nothing › it stays a number, or nothing', (t) => {
  t.deepEqual([12, -0.5, null].map(csvCell), ['12', '-0.5', '']);
});

test('csv › given what needs quotes › it is quoted, and quotes are doubled', (t) => {
  t.is(
    csvText(
      ['a,b', 'c'],
      [
        ['say "hi"', 'two\nlines'],
        ['one;two', ''],
      ],
    ),
    '"a,b",c\r\n"say ""hi""","two\nlines"\r\n"one;two",\r\n',
  );
  t.is(csvCell('=HYPERLINK("http://x","y")'), `"'=HYPERLINK(""http://x"",""y"")"`);
});

test('csv › given a terminal, which ends the last line › what is redirected is the file', (t) => {
  const csv = csvText(['a'], [['1']]);
  const [block] = viewCsv(csv);
  t.is(block?.kind === 'file' ? `${block.text}\n` : '', csv);
});

/** Reads a text as RFC 4180 says. */
const readCsv = (text: string): string[][] =>
  [...text.matchAll(/("(?:[^"]|"")*"|[^,\r\n]*)(,|\r\n)/g)].reduce<string[][]>(
    (rows, [, cell = '', end]) => {
      const value = cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
      rows.at(-1)?.push(value);
      if (end === '\r\n') rows.push([]);
      return rows;
    },
    [[]],
  );

test('csv › property › every row has its columns, and nothing but an apostrophe is added', (t) => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string(), fc.string()), { minLength: 1 }), (rows) => {
      const read = readCsv(csvText(['a', 'b'], rows)).slice(1, -1);
      t.is(read.length, rows.length);
      for (const [index, row] of rows.entries()) {
        for (const [column, value] of row.entries()) {
          t.true([value, `'${value}`].includes(read[index]?.[column] ?? '-'));
        }
      }
    }),
    { seed: 4180 },
  );
});
