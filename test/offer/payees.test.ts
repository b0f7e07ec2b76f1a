/** Paying a covenant by mistake: every operation that names somebody to be paid refuses it, and says whose it is. */
import test from 'ava';
import { alice, bob, type Person } from '../../fixtures/people.js';
import { parseAddress } from '../../src/bch/address.js';
import { reserveContract } from '../../src/covenant/reserve.js';
import { streamCollection } from '../../src/products/streams/index.js';
import { fundCampaign } from '../products/rewards/campaign.js';
import { advance, DAY, fundStream, terms, tokenTerms } from '../products/streams/stream.js';
import { fundVault } from '../products/vaults/vault.js';
import { openTreasury, type Treasury } from '../treasury.js';

type Json = Record<string, unknown>;
type Named = {
  readonly who: Person;
  readonly operation: string;
  readonly input: Json;
  readonly field: string;
};

/** A home with a vault, a campaign, and a stream of tokens that bob can claim from and give away. */
const openHome = async (treasury: Treasury) => {
  const vault = await fundVault(treasury);
  const campaign = await fundCampaign(treasury);
  const token = await tokenTerms(treasury);
  const stream = await fundStream(treasury, token.terms);
  await treasury.give(bob, 1_000_000n);
  await advance(treasury, 10 * DAY);
  const record = await treasury.app.context.store.get(streamCollection, stream.id);
  const { lockingBytecode } = parseAddress(record?.contract_address ?? '');
  const { address: reserve } = reserveContract(record?.thread?.category ?? '', lockingBytecode, 'local');
  const own = parseAddress(record?.contract_address ?? '');
  return { vault, campaign, stream, own, reserve };
};
type Home = Awaited<ReturnType<typeof openHome>>;

/** Every operation that names who is paid, or who will be. */
const requestsTo = (to: string, { vault, campaign, stream }: Home): readonly Named[] => {
  const amount = '0.001';
  const by =
    (who: Person) =>
    (operation: string, field: string, input: Json): Named => ({ who, operation, field, input });
  const [asAlice, asBob] = [by(alice), by(bob)];
  const milestones = [{ amount, durationSeconds: DAY }];
  return [
    asAlice('rewards.distribute', 'recipientAddress', { id: campaign.id, recipientAddress: to, amount }),
    asAlice('rewards.create', 'refundAddress', {
      title: 'To nobody',
      totalPool: '0.01',
      maxRewardAmount: '0.01',
      refundAddress: to,
    }),
    asAlice('vaults.spend-create', 'outputs.1.to', {
      id: vault.id,
      outputs: [
        { to: bob.address('local').text, amount },
        { to, amount },
      ],
    }),
    asAlice('wallet.send', 'to', { to, amount }),
    asAlice('wallet.send', 'to', { to, max: true }),
    asAlice('wallet.send', 'outputs.0.to', { outputs: [{ to, amount }] }),
    asBob('streams.claim', 'toAddress', { id: stream.id, toAddress: to }),
    asBob('streams.transfer', 'newRecipientAddress', { id: stream.id, newRecipientAddress: to }),
    asAlice('streams.create', 'recipient', { ...terms, recipient: to }),
    asAlice('payments.create', 'recipient', { recipient: to, amountPerPeriod: amount, interval: 'DAILY' }),
    asAlice('budgets.create', 'recipient', { vaultId: vault.id, recipient: to, milestones }),
  ];
};

test('payees › given a covenant or a reserve of this home › every operation refuses it, with the label of its record', async (t) => {
  const treasury = await openTreasury(t);
  const home = await openHome(treasury);
  const { own, reserve } = home;
  for (const [to, words] of [
    [own.text, /^it is the contract of #STREAM-0001/],
    [own.tokenText, /^it is the contract of #STREAM-0001/],
    [reserve.text, /^it is the reserve of #STREAM-0001/],
    [reserve.tokenText, /^it is the reserve of #STREAM-0001/],
  ] as const) {
    for (const { who, operation, input, field } of requestsTo(to, home)) {
      const { details } = await treasury.refusal(t, who, operation, input, 'not_payable');
      t.like(details, { field, label: '#STREAM-0001' }, operation);
      t.regex(String(details['reason']), words);
    }
  }
});

test('payees › given rows of a batch › each bad one is named', async (t) => {
  const treasury = await openTreasury(t);
  const home = await openHome(treasury);
  const row = (recipient: string) => ({ ...terms, recipient });
  const input = {
    vaultId: home.vault.id,
    senderAddress: treasury.addressOf(alice).text,
    entries: [row(treasury.addressOf(bob).text), row(home.own.text), row(home.reserve.text)],
  };
  const { details } = await treasury.refusal(t, alice, 'streams.batch-create', input, 'invalid_input');
  const issues = details['issues'] as { row: number; path: string; message: string }[];
  t.deepEqual(
    issues.map(({ row: number, path }) => [number, path]),
    [
      [2, 'entries.1.recipient'],
      [3, 'entries.2.recipient'],
    ],
  );
  t.true(issues.every(({ message }) => message.includes('#STREAM-0001')));
});

test('payees › given a vault of this home, or a script that it does not know › it is paid', async (t) => {
  const treasury = await openTreasury(t);
  const home = await openHome(treasury);
  const { address } = home.vault;
  const stranger = reserveContract('ab'.repeat(32), home.own.lockingBytecode, 'local').address.text;
  for (const to of [address, stranger])
    t.truthy((await treasury.ask(alice, 'wallet.send', { to, amount: '0.001' }))['wcTransaction']);
  const { id } = home.campaign;
  const reward = { id, recipientAddress: address, amount: '0.001' };
  t.truthy((await treasury.ask(alice, 'rewards.distribute', reward))['wcTransaction']);
  t.truthy(
    (await treasury.ask(bob, 'streams.claim', { id: home.stream.id, toAddress: address }))['wcTransaction'],
  );
});
