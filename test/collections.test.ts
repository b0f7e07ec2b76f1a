import test from 'ava';
import { collections } from '../src/collections.js';

test('every collection is listed once, so that doctor counts no record twice', (t) => {
  const names = collections.map(({ name }) => name);
  t.deepEqual(
    names.filter((name, index) => names.indexOf(name) !== index),
    [],
  );
});
