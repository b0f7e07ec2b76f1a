import test from 'ava';
import { alice, bob, carol, erin, type Person } from '../../fixtures/people.js';
import { encodeWif } from '../../src/bch/keys.js';
import { add, list, remove, show, type ContactReply } from '../../src/home/contacts.js';
import { create, importWallet } from '../../src/home/wallets/secrets.js';
import { openTestHome, type TestHome } from '../home.js';

const of = (who: Person) => who.address('local').text;

const names = async (home: TestHome): Promise<string[]> =>
  ((await home.ask(list))['contacts'] as ContactReply[]).map(({ name }) => name);

test('add › given a name and an address › it is kept in lower case, and list and show have it', async (t) => {
  const home = await openTestHome(t);
  const { contact } = await home.ask(add, { name: ' @Ann ', address: erin.address('local').tokenText });
  t.like(contact, { name: 'ann', address: of(erin), tokenAddress: erin.address('local').tokenText });
  t.deepEqual(await names(home), ['ann']);
  t.deepEqual((await home.ask(show, { name: '@ann' }))['contact'], contact);
});

test('add › given an address of another network › it is invalid_address, and nothing is kept', async (t) => {
  const home = await openTestHome(t);
  const address = erin.address('mainnet').text;
  await home.refusal(t, 'invalid_address', add, { name: 'ann', address });
  t.deepEqual(await names(home), []);
});

for (const name of ['', '-ann', 'ann smith', 'änn', 'a'.repeat(41)]) {
  test(`add › given the name "${name}" › it is invalid_input`, async (t) => {
    const home = await openTestHome(t);
    await home.refusal(t, 'invalid_input', add, { name, address: of(erin) });
  });
}

test('add › given the name or the address of a wallet of this home › it is invalid_input', async (t) => {
  const home = await openTestHome(t);
  await home.ask(importWallet, { name: 'main', secret: encodeWif(alice.privateKey, 'local') });
  await home.refusal(t, 'invalid_input', add, { name: 'main', address: of(erin) });
  const { message } = await home.refusal(t, 'invalid_input', add, { name: 'ann', address: of(alice) });
  t.regex(message, /that of your wallet "main"/);
});

test('add › given an address that has another name › it is invalid_input and names it', async (t) => {
  const home = await openTestHome(t);
  await home.ask(add, { name: 'ann', address: of(erin) });
  const { message } = await home.refusal(t, 'invalid_input', add, { name: 'anna', address: of(erin) });
  t.regex(message, /contact @ann/);
});

test('add › given a name that is there › it has the new address, and says since when', async (t) => {
  const home = await openTestHome(t);
  const { contact: first } = await home.ask(add, { name: 'ann', address: of(erin) });
  home.pass(60);
  const { contact: second } = await home.ask(add, { name: 'ann', address: of(bob) });
  const { createdAt } = first as ContactReply;
  t.like(second, { address: of(bob), createdAt, updatedAt: createdAt + 60 });
  t.deepEqual(await names(home), ['ann']);
});

test('remove › given a contact › it is forgotten', async (t) => {
  const home = await openTestHome(t);
  await home.ask(add, { name: 'ann', address: of(erin) });
  t.like(await home.ask(remove, { name: 'ann' }), { contact: { address: of(erin) } });
  t.deepEqual(await names(home), []);
});

test('show › given a name that is none › it is contact_not_found, with the nearest name', async (t) => {
  const home = await openTestHome(t);
  await home.ask(add, { name: 'annabel', address: of(erin) });
  await home.ask(add, { name: 'bernard', address: of(carol) });
  const near = await home.refusal(t, 'contact_not_found', show, { name: 'anabel' });
  t.like(near.details, { name: 'anabel', nearest: 'annabel' });
  const far = await home.refusal(t, 'contact_not_found', show, { name: 'zed' });
  t.is(far.details['nearest'], null);
});

test('wallet create, import › given the name of a contact › it is invalid_input, and no wallet is made', async (t) => {
  const home = await openTestHome(t);
  await home.ask(add, { name: 'ann', address: of(erin) });
  await home.refusal(t, 'invalid_input', create, { name: 'ann' });
  const secret = encodeWif(bob.privateKey, 'local');
  await home.refusal(t, 'invalid_input', importWallet, { name: 'ann', secret });
  t.deepEqual(await home.keys.list(), []);
});
