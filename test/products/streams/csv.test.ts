import test from 'ava';
import fc from 'fast-check';
import { csvCell, csvText } from '../../../src/products/streams/csv.js';

for (const formula of ['=1+1', '+cmd', '-2+3', '@SUM(A1)', '\t=1', ' =1', '\r\n=1', '＝1', '-x']) {
  test(`a cell that begins as ${JSON.stringify(formula)} is text to a spreadsheet`, (t) => {
    t.true(csvCell(formula).replace(/^"/, '').startsWith("'"));
  });
}

test('numbers, labels and addresses stay as they are', (t) => {
  for (const plain of ['0.1', '-12.5', '#STREAM-0001', 'bchtest:qq', '2026-06-01T00:00:00.000Z']) {
    t.is(csvCell(plain), plain);
  }
  t.is(csvCell(null), '');
  t.is(csvCell(12), '12');
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

test('whatever stands in the cells, every row has its columns, and nothing but a quoting apostrophe is added', (t) => {
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
