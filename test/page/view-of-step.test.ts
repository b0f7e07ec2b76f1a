/** What is to be signed, in the words of the command line: who asks the API for blocks reads it before a phone is asked. */
import test from 'ava';
import { serve } from '../acceptance/client.js';
import { openTreasury } from '../treasury.js';

type Block = {
  readonly kind: string;
  readonly text?: string;
  readonly rows?: readonly (readonly string[])[];
  readonly head?: readonly { readonly title: string }[];
};

test('a transaction that is handed out › with x-treasury-view › who receives what, the fee, the digest, and no name of the operator’s', async (t) => {
  const treasury = await openTreasury(t);
  const { alice, bob } = treasury.people;
  const [sender, recipient] = [alice, bob].map((who) => treasury.addressOf(who).text) as [string, string];
  // Two coins: nothing has to be prepared.
  for (let coin = 0; coin < 2; coin += 1) await treasury.give(alice, 200_000_000n);
  const { call, url } = await serve(t, treasury, { naming: 'given' });
  const { body } = await call(
    'POST',
    '/api/streams/create',
    { recipient, totalAmount: '1', scheduleTemplate: 'linear-open' },
    { address: sender },
  );
  const { id } = body['stream'] as { readonly id: string };
  const ask = async (headers: Readonly<Record<string, string>>) => {
    const response = await fetch(`${url}/api/streams/${id}/funding-info`, {
      headers: { 'x-treasury-view': 'blocks', ...headers },
    });
    return (await response.json()) as {
      readonly wcTransaction: { readonly digest: string; readonly userPrompt: string };
      readonly view: readonly Block[];
    };
  };
  const mine = await ask({ 'x-user-address': sender });
  const facts = new Map(
    mine.view.flatMap(({ kind, rows = [] }) => (kind === 'facts' ? rows : [])) as [string, string][],
  );
  t.is(facts.get('Digest'), mine.wcTransaction.digest);
  t.regex(facts.get('Fee') ?? '', /^0\.0000\d+ BCH$/);
  t.regex(facts.get('You pay in all') ?? '', /^1\.0000\d+ BCH$/);
  t.true(mine.view.some(({ text }) => text === mine.wcTransaction.userPrompt));
  const table = mine.view.find(({ head = [] }) => head[0]?.title === 'Receives');
  t.true(table?.rows?.some(([to = '']) => to === `${sender} (you)`));
  t.true(
    table?.rows?.some(([to = '', bch = '']) => to.endsWith('(contract)') && /^1(?:\.0000\d+)?$/.test(bch)),
  );
  // The home has wallets of these names: they are the operator's.
  t.notRegex(JSON.stringify(mine.view), /alice|bob/);

  const others = await ask({});
  t.false(JSON.stringify(others.view).includes('(you)'));
  t.notRegex(JSON.stringify(others.view), /in all/);
});
