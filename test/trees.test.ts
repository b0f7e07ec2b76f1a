import test from 'ava';
import {
  compareTree,
  filesOfOperations,
  filesWithTrees,
  readTree,
  titlesByFile,
  writeTree,
} from '../scripts/trees.js';

const TITLES = [
  'create › given nothing › it is refused',
  'create › given a name › it is kept',
  'create › given a name › it is kept › once',
  'show',
];

test('trees › written of titles › they tell those titles', (t) => {
  const tree = writeTree(TITLES);
  t.is(
    tree,
    `create
├── given nothing
│   └── it is refused
└── given a name
    ├── it is kept
    └── it is kept
        └── once
show
`,
  );
  t.deepEqual(readTree(tree), TITLES);
});

test('trees › given a line without a test, and a test without a line › each is named', (t) => {
  t.deepEqual(compareTree('x.tree', ['a › b', 'a › c'], ['a › c', 'a › d']), [
    'x.tree: no test is called "a › b"',
    'x.tree: it lacks "a › d"',
  ]);
  t.deepEqual(compareTree('x.tree', TITLES, TITLES), []);
});

test('trees › given titles of a run › each goes to the file that it is named after', (t) => {
  const files = ['test/home/sync.test.ts', 'test/errors.test.ts'];
  const found = titlesByFile(files, [
    'home › sync › sync › it ends',
    'errors › errors › it is one',
    'other › x',
  ]);
  t.deepEqual(found.get('test/home/sync.test.ts'), ['sync › it ends']);
  t.deepEqual(found.get('test/errors.test.ts'), ['errors › it is one']);
});

test('trees › given the tests of operations › each file has one', (t) => {
  const files = filesOfOperations();
  t.true(files.length > 20);
  t.deepEqual(
    files.filter((file) => !filesWithTrees().includes(file)),
    [],
  );
});
