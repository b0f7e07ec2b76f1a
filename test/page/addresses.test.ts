/** Which page an address of the browser names. */
import test from 'ava';
import { PAGE_PATHS, pagePath, type PageName } from '../../src/page-paths.js';
import { matchPath } from '../../src/page/match-path.js';

const at = (path: string) => matchPath(path, PAGE_PATHS);

test('every page is found at the address that links name it by', (t) => {
  const parameters = { id: 'STREAM-0001', spendId: 'a b', address: 'bchtest:qq/x' };
  for (const page of Object.keys(PAGE_PATHS) as PageName[]) {
    const found = at(pagePath(page, parameters));
    t.is(found?.page, page);
    const names = [...PAGE_PATHS[page].matchAll(/:(\w+)/g)].map(([, name = '']) => name);
    t.deepEqual(Object.keys(found?.parameters ?? {}), names);
    for (const name of names)
      t.is(found?.parameters[name], parameters[name as keyof typeof parameters], page);
  }
});

test('a slash at the end says nothing', (t) => {
  t.is(at('/app')?.page, 'home');
  t.is(at('/app/')?.page, 'home');
  t.deepEqual(at('/app/streams/STREAM-0001/'), { page: 'stream', parameters: { id: 'STREAM-0001' } });
});

test('what is no page, or cannot be read, names none', (t) => {
  for (const path of ['/app/strims/1', '/app/streams', '/app/streams/1/2', '/', '/app/streams/%E0%A4%A'])
    t.is(at(path), null, path);
});
