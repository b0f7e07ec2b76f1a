/** What people see at terminals of some widths: nothing is wider, and what there is no room for is said. */
import test from 'ava';
import { playStory } from '../acceptance/story.js';
import type { App } from '../../src/app.js';
import type { Stage } from '../../src/demo/stage.js';
import { runAt, tooWide } from './drawn-terminal.js';

let stage: Stage;

test.before(async () => {
  stage = await playStory();
});
test.after.always(() => stage.app.close());

/** The ids of the first record of each product, by its noun. */
const commandsOf = async (app: App): Promise<readonly string[][]> => {
  const json = async (...words: string[]) => {
    const { stdout } = await runAt(app, [...words, '--json'], { columns: 80 });
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  const first = (reply: Record<string, unknown>, name: string, field: string): string =>
    String((reply[name] as readonly Record<string, unknown>[] | undefined)?.[0]?.[field]);
  const { all: vaults } = (await json('vaults', 'list', '--as', 'tara')) as {
    all: { id: string; name: string }[];
  };
  const common = vaults.find(({ name }) => name === 'Common funds')?.id ?? '';
  const voted = vaults.find(({ name }) => name === 'The commons')?.id ?? '';
  const creator = ['--as', 'ann'];
  const campaign = first(await json('rewards', 'list', ...creator), 'campaigns', 'campaign_id');
  const stream = first(await json('streams', 'list', '--status', 'ACTIVE'), 'streams', 'stream_id');
  const payment = first(await json('payments', 'list'), 'payments', 'payment_id');
  const plan = first(await json('budgets', 'list'), 'plans', 'budget_id');
  const proposal = first(await json('governance', 'list', voted, '--as', 'vic'), 'proposals', 'id');
  const spend = first(await json('vaults', 'spend', 'list', common, '--as', 'tara'), 'spends', 'label');
  return [
    ['overview'],
    ['wallet', 'list'],
    ['wallet', 'balance', '--wallet', 'ann'],
    ['contacts', 'list'],
    ['tokens', 'list'],
    ['status'],
    ['chain', 'status'],
    ['config', 'list', '--show-origin'],
    ['deployments', 'list'],
    ['help', 'exit-codes'],
    ['vaults', 'list', '--as', 'tara'],
    ['vaults', 'show', common, '--as', 'tara'],
    ['vaults', 'spend', 'list', common, '--as', 'tara'],
    ['vaults', 'spend', 'show', spend, '--as', 'tara'],
    ['rewards', 'list', ...creator],
    ['rewards', 'show', campaign, ...creator],
    ['streams', 'list'],
    ['streams', 'show', stream],
    ['streams', 'activity'],
    ['streams', 'runs'],
    ['streams', 'templates'],
    ['payments', 'list'],
    ['payments', 'show', payment],
    ['budgets', 'list'],
    ['budgets', 'show', plan],
    ['governance', 'list', voted, '--as', 'vic'],
    ['governance', 'show', proposal, '--as', 'vic'],
  ];
};

for (const columns of [40, 80, 120, 200]) {
  test.serial(
    `screens › given ${columns} columns › no line of a list, a show or the overview is wider`,
    async (t) => {
      for (const words of await commandsOf(stage.app)) {
        const { exit, stdout, stderr } = await runAt(stage.app, words, { columns });
        t.is(exit, 0, `${words.join(' ')}: ${stderr}`);
        t.not(stdout.trim(), '', words.join(' '));
        t.deepEqual(tooWide(stdout, columns), [], words.join(' '));
        t.deepEqual(tooWide(stderr, columns), [], words.join(' '));
        t.notRegex(stdout, /undefined|\[object|NaN/, words.join(' '));
      }
    },
  );
}

test.serial(
  'screens › given less room than a list wants › what is left out is said, and had by a wider terminal',
  async (t) => {
    const narrow = await runAt(stage.app, ['streams', 'list'], { columns: 40 });
    t.regex(narrow.stdout, /^Label/);
    t.regex(
      narrow.stderr.replace(/\n/g, ' '),
      /No room for: .*Claimable.*\(--columns, --json or a wider terminal\)/,
    );
    const wide = await runAt(stage.app, ['streams', 'list'], { columns: 200 });
    t.regex(wide.stdout, /^Label .*Claimable$/m);
    t.notRegex(wide.stderr, /No room/);
  },
);

test.serial(
  'screens › given --columns › these columns in this order, and an unknown one is refused',
  async (t) => {
    const { stdout, stderr } = await runAt(
      stage.app,
      ['payments', 'list', '--columns', 'status,next-payment,Label'],
      {
        columns: 200,
      },
    );
    t.regex(stdout, /^Status +Next payment +Label\n/);
    t.notRegex(stderr, /No room/);
    const refused = await runAt(stage.app, ['payments', 'list', '--columns', 'colour'], { columns: 80 });
    t.is(refused.exit, 2);
    t.is(refused.stdout, '');
    t.regex(refused.stderr, /--columns: "colour" is no column: expected some of label, recipient/);
    const json = await runAt(stage.app, ['payments', 'list', '--columns', 'label', '--json'], {
      columns: 80,
    });
    t.is(json.exit, 2);
  },
);

test.serial(
  'screens › given an address of a wallet here › it is shortened, and its name stands beside it',
  async (t) => {
    const { stdout } = await runAt(stage.app, ['streams', 'list'], { columns: 110 });
    t.regex(stdout, /\bemil q[a-z0-9]{4}…[a-z0-9]{4}\b/);
  },
);

test.serial(
  'screens › given --jq › it makes what it says of the document, and a bad one is refused first',
  async (t) => {
    const { exit, stdout } = await runAt(stage.app, ['payments', 'list', '--jq', '.payments[0].payment_id'], {
      columns: 80,
    });
    t.is(exit, 0);
    t.regex(stdout, /^#PAY-\d{4}\n$/);
    const bad = await runAt(stage.app, ['payments', 'list', '--jq', '.payments['], { columns: 80 });
    t.is(bad.exit, 2);
    t.is(bad.stdout, '');
    t.regex(bad.stderr, /--jq: is no expression that jq understands/);
    const missing = await runAt(stage.app, ['payments', 'show', 'PAY-9999', '--jq', '.x'], { columns: 80 });
    t.is(missing.exit, 3);
    t.is(missing.stdout, '');
  },
);

test.serial('screens › given list --all › every page is one', async (t) => {
  const total = JSON.parse(
    (await runAt(stage.app, ['streams', 'list', '--json'], { columns: 80 })).stdout,
  ) as {
    total: number;
  };
  const all = JSON.parse(
    (await runAt(stage.app, ['streams', 'list', '--all', '--json'], { columns: 80 })).stdout,
  ) as {
    streams: unknown[];
    hasNextPage: boolean;
  };
  t.is(all.streams.length, total.total);
  t.false(all.hasNextPage);
});

test.serial('screens › given what only somebody else may do › nobody is told to do it', async (t) => {
  const reply = JSON.parse(
    (await runAt(stage.app, ['rewards', 'list', '--as', 'ann', '--json'], { columns: 80 })).stdout,
  ) as {
    campaigns: { campaign_id: string; status: string; creator: string }[];
  };
  const pending = reply.campaigns.find(({ status }) => status === 'PENDING');
  const label = pending?.campaign_id ?? '';
  const bare = label.replace('#', '');
  const own = await runAt(stage.app, ['rewards', 'show', bare, '--as', 'ann'], { columns: 120 });
  t.regex(own.stderr, new RegExp(`Next: treasury rewards fund ${bare}`));
  const other = await runAt(stage.app, ['rewards', 'show', bare, '--as', 'fee'], { columns: 120 });
  t.regex(other.stderr, new RegExp(`Next: treasury rewards fund ${bare} --wallet ann`), 'a wallet here can');
  const stranger = { ...stage.app, context: { ...stage.app.context, keys: withoutAnn(stage.app) } };
  const told = await runAt(stranger, ['rewards', 'show', bare, '--as', 'fee'], { columns: 120 });
  t.is(told.exit, 0, told.stderr);
  t.notRegex(told.stderr, /fund/);
});

/** The keys of a home that has none of ann's. */
const withoutAnn = ({ context: { keys } }: App): App['context']['keys'] => ({
  ...keys,
  list: async () => (await keys.list()).filter(({ name }) => name !== 'ann'),
});
