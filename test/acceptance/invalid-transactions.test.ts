/** What a chain server makes up comes into no record: every transaction that would move one is run in the VM first. */
import { binToHex } from '@bitauth/libauth';
import type { ExecutionContext } from 'ava';
import { openTreasury, type Treasury } from '../treasury.js';
import { parseAddress } from '../../src/bch/address.js';
import { eventCollection } from '../../src/record/events.js';
import { campaignCollection } from '../../src/products/rewards/index.js';
import { openDeceived, unsigned } from './lying-world.js';
import { onEmbeddedChain } from './on-every-chain.js';

const WHY = 'no other server can be made to lie';
const DAY = 86_400;

type Json = Record<string, unknown>;

/** Coins for everybody who pays something here. */
const fill = async (treasury: Treasury): Promise<void> => {
  const { alice, bob, authority } = treasury.people;
  for (const who of [alice, bob, authority])
    for (let coin = 0; coin < 3; coin += 1) await treasury.give(who, 20_000_000n);
};

const signersOf = (treasury: Treasury): Json => {
  const signers = [treasury.people.alice, treasury.people.bob, treasury.people.carol];
  return {
    signers: signers.map((signer) => treasury.addressOf(signer).text),
    signerPubkeys: signers.map(({ publicKey }) => binToHex(publicKey)),
  };
};

/** A record that waits for its funding, and how it is funded and read. */
type Waiting = {
  readonly build: string;
  readonly confirm: string;
  readonly show: string;
  readonly id: string;
  readonly status: (shown: Json) => unknown;
  readonly hash: 'txHash' | 'txid';
};

const within = (name: string) => (shown: Json) => (shown[name] as Json)['status'];

const products: Readonly<Record<string, (treasury: Treasury) => Promise<Waiting>>> = {
  campaign: async (treasury) => {
    const terms = { title: 'Bounties', totalPool: '0.03', maxRewardAmount: '0.01' };
    const { campaign } = await treasury.ask(treasury.people.alice, 'rewards.create', terms);
    const { id } = campaign as { id: string };
    return {
      id,
      build: 'rewards.funding-info',
      confirm: 'rewards.confirm-funding',
      show: 'rewards.show',
      status: within('campaign'),
      hash: 'txHash',
    };
  },
  stream: async (treasury) => {
    const { alice, bob } = treasury.people;
    const made = await treasury.ask(alice, 'streams.create', {
      sender: treasury.addressOf(alice).text,
      recipient: treasury.addressOf(bob).text,
      tokenType: 'BCH',
      totalAmount: '0.02',
      streamType: 'LINEAR',
      startTime: treasury.app.context.clock.now(),
      endTime: treasury.app.context.clock.now() + 30 * DAY,
    });
    return {
      id: (made['stream'] as { id: string }).id,
      build: 'streams.funding-info',
      confirm: 'streams.confirm-funding',
      show: 'streams.show',
      status: within('stream'),
      hash: 'txHash',
    };
  },
  payment: async (treasury) => {
    const { alice, bob } = treasury.people;
    const made = await treasury.ask(alice, 'payments.create', {
      sender: treasury.addressOf(alice).text,
      recipient: treasury.addressOf(bob).text,
      tokenType: 'BCH',
      amountPerPeriod: '0.002',
      interval: 'DAILY',
    });
    return {
      id: (made['payment'] as { id: string }).id,
      build: 'payments.funding-info',
      confirm: 'payments.confirm-funding',
      show: 'payments.show',
      status: within('payment'),
      hash: 'txHash',
    };
  },
  vault: async (treasury) => {
    const { id } = await treasury.ask(treasury.people.alice, 'vaults.create', {
      name: 'Commons',
      ...signersOf(treasury),
      totalDeposit: '0.05',
      isPublic: true,
    });
    return {
      id: String(id),
      build: 'vaults.deposit',
      confirm: 'vaults.update-balance',
      show: 'vaults.show',
      status: ({ status }) => status,
      hash: 'txid',
    };
  },
};

const eventsIn = async ({ app: { context } }: Treasury): Promise<readonly (string | null)[]> =>
  (await context.store.find(eventCollection, {})).items.map(({ tx_hash }) => tx_hash);

for (const [name, create] of Object.entries(products)) {
  onEmbeddedChain(
    `invalid transactions › given a ${name} and a funding that nobody signed › it waits on, nothing is stored, and confirming it names the server`,
    WHY,
    async (t) => {
      const { treasury, liar } = await openDeceived(t);
      const { alice } = treasury.people;
      await fill(treasury);
      const record = await create(treasury);
      const { id } = record;
      const built = await treasury.ask(alice, record.build, { id });
      const madeUp = await liar.show(unsigned(built));
      const shown = await treasury.ask(alice, record.show, { id });
      t.is(String(record.status(shown)).toUpperCase(), 'PENDING');
      const error = await treasury.refusal(
        t,
        alice,
        record.confirm,
        { id, [record.hash]: madeUp },
        'tx_invalid',
      );
      t.regex(error.message, /tcp:\/\/127\.0\.0\.1:\d+ shows it, and .*error in evaluating input/);
      t.like(error, { status: 502, exit: 7, retryable: true });
      t.false((await eventsIn(treasury)).includes(madeUp));

      // The true one is found beside it.
      const txHash = await treasury.send(alice, built['wcTransaction']);
      t.is(String(record.status(await treasury.ask(alice, record.show, { id }))).toUpperCase(), 'ACTIVE');
      t.true((await eventsIn(treasury)).includes(txHash));
      t.false((await eventsIn(treasury)).includes(madeUp));
    },
  );
}

/** An ACTIVE campaign of alice. */
const fundCampaign = async (
  treasury: Treasury,
): Promise<{ readonly id: string; readonly address: string }> => {
  const { alice } = treasury.people;
  await fill(treasury);
  const { id } = (await products['campaign']?.(treasury)) ?? { id: '' };
  const built = await treasury.ask(alice, 'rewards.funding-info', { id });
  const txHash = await treasury.send(alice, built['wcTransaction']);
  await treasury.ask(alice, 'rewards.confirm-funding', { id, txHash });
  const { campaign } = await treasury.ask(alice, 'rewards.show', { id });
  return { id, address: String((campaign as Json)['contract_address']) };
};

onEmbeddedChain(
  'invalid transactions › given a campaign and a reward that only the authority signed › nothing was paid, and the campaign can be paid from',
  WHY,
  async (t) => {
    const { treasury, liar } = await openDeceived(t);
    const { alice, bob } = treasury.people;
    const { id } = await fundCampaign(treasury);
    const pay = { id, recipientAddress: treasury.addressOf(bob).text, amount: '0.01' };
    const built = await treasury.ask(alice, 'rewards.distribute', pay);
    const madeUp = await liar.show(unsigned(built));
    t.like(await treasury.ask(alice, 'rewards.show', { id }), {
      campaign: { status: 'ACTIVE', distributed_count: 0, distributed_total: 0 },
    });
    await treasury.refusal(t, alice, 'rewards.confirm-distribute', { ...pay, txHash: madeUp }, 'tx_invalid');
    const txHash = await treasury.send(alice, built['wcTransaction']);
    await treasury.ask(alice, 'rewards.confirm-distribute', { ...pay, txHash });
    t.like(await treasury.ask(alice, 'rewards.show', { id }), { campaign: { distributed_count: 1 } });
  },
);

onEmbeddedChain(
  'invalid transactions › given a campaign whose funding is hidden behind one that nobody signed › it is not taken back',
  WHY,
  async (t) => {
    const { treasury, liar } = await openDeceived(t);
    const { alice } = treasury.people;
    const { id } = await fundCampaign(treasury);
    const before = await treasury.app.context.store.get(campaignCollection, id);
    const other = (await products['campaign']?.(treasury)) ?? { id: '' };
    const decoy = await treasury.ask(alice, 'rewards.funding-info', { id: other.id });
    liar.hide(before?.tx_hash ?? '');
    // The other campaign has the same terms but for its own number, so its funding pays another address: make it pay this.
    await liar.show(unsigned(decoy).replaceAll(await lockOf(treasury, other.id), await lockOf(treasury, id)));
    // What was proven to this home, and is not shown any more, says of the server that it hides.
    await treasury.refusal(t, alice, 'rewards.show', { id }, 'server_disagrees');
    t.is(await treasury.app.context.store.get(campaignCollection, id), before);
  },
);

const lockOf = async ({ app: { context } }: Treasury, id: string): Promise<string> =>
  parseAddress((await context.store.get(campaignCollection, id))?.contract_address ?? '').lockingBytecode;

onEmbeddedChain(
  'invalid transactions › given a vault and a deposit and a spend that never were › neither is in its events',
  WHY,
  async (t) => {
    const { treasury, liar } = await openDeceived(t);
    const { alice, bob } = treasury.people;
    await fill(treasury);
    const { id } = (await products['vault']?.(treasury)) ?? { id: '' };
    const first = await treasury.ask(alice, 'vaults.deposit', { id });
    const txid = await treasury.send(alice, first['wcTransaction']);
    await treasury.ask(alice, 'vaults.update-balance', { id, txid });

    const gift = await treasury.ask(bob, 'vaults.deposit', { id, amount: '0.01' }).catch(() => null);
    t.is(gift, null, 'deposits are built for the creator alone');
    const more = await treasury.ask(alice, 'vaults.deposit', { id, amount: '0.01' });
    const deposit = await liar.show(unsigned(more));
    await treasury.ask(alice, 'vaults.show', { id });
    await treasury.refusal(t, alice, 'vaults.update-balance', { id, txid: deposit }, 'tx_invalid');

    const spend = await treasury.ask(alice, 'vaults.spend-create', {
      id,
      memo: '',
      outputs: [{ to: treasury.addressOf(bob).text, amount: '0.005' }],
    });
    const request = await treasury.ask(alice, 'vaults.spend-transaction', { id, spendId: spend['id'] });
    const spent = await liar.show(unsigned(request));
    await treasury.ask(alice, 'vaults.show', { id });
    await treasury.refusal(
      t,
      alice,
      'vaults.spend-confirm',
      { id, spendId: spend['id'], txHash: spent },
      'tx_invalid',
    );
    t.deepEqual(
      (await eventsIn(treasury)).filter((hash) => hash === deposit || hash === spent),
      [],
    );
  },
);

/** A proposal of alice, and a lock of bob for it that he has not signed. */
const buildVote = async (
  treasury: Treasury,
): Promise<{ proposalId: string; voterAddress: string; built: Json }> => {
  const { alice } = treasury.people;
  await fill(treasury);
  const tokenCategory = await treasury.mint(alice, '1000', 2);
  for (let coin = 0; coin < 3; coin += 1) await treasury.give(alice, 100_000n);
  const { id: vaultId } = (await products['vault']?.(treasury)) ?? { id: '' };
  const proposal = await treasury.ask(alice, 'governance.propose', {
    vaultId,
    title: 'Hire Dave',
    quorum: 10,
    votingDurationDays: 7,
  });
  const proposalId = String(proposal['id']);
  const voterAddress = treasury.addressOf(alice).text;
  const built = await treasury.ask(null, 'governance.lock', {
    proposalId,
    voterAddress,
    voteChoice: 'FOR',
    stakeAmount: '20',
    tokenCategory,
  });
  return { proposalId, voterAddress, built };
};

onEmbeddedChain(
  'invalid transactions › given a vote that nobody signed › it counts for nothing, and neither does taking its stake back',
  WHY,
  async (t) => {
    const { treasury, liar } = await openDeceived(t);
    const { alice } = treasury.people;
    const { proposalId, voterAddress, built } = await buildVote(treasury);
    const madeUp = await liar.show(unsigned(built));
    t.like(await treasury.ask(alice, 'governance.recount', { proposalId }), {
      recount: { breakdown: [], ignored: [] },
    });
    await treasury.refusal(
      t,
      null,
      'governance.confirm-lock',
      { proposalId, voterAddress, txHash: madeUp },
      'tx_invalid',
    );
    const txHash = await treasury.send(alice, built['wcTransaction']);
    await treasury.ask(null, 'governance.confirm-lock', { proposalId, voterAddress, txHash });
    await treasury.chain.advance(8 * DAY);
    const back = await treasury.ask(null, 'governance.unlock', { proposalId, voterAddress });
    const taken = await liar.show(unsigned(back));
    t.like(await treasury.ask(alice, 'governance.recount', { proposalId }), {
      recount: { stakes: { locked: 1, returned: 0 } },
    });
    await treasury.refusal(
      t,
      null,
      'governance.confirm-unlock',
      { proposalId, voterAddress, txHash: taken },
      'tx_invalid',
    );
  },
);

/** A campaign of which a home was made to believe that it is funded; returns the id of what funded it. */
const deceive = async (t: ExecutionContext) => {
  const { treasury, liar, world } = await openDeceived(t);
  const { alice } = treasury.people;
  await fill(treasury);
  const { id } = (await products['campaign']?.(treasury)) ?? { id: '' };
  const built = await treasury.ask(alice, 'rewards.funding-info', { id });
  const madeUp = await liar.show(unsigned(built));
  return { treasury, world, id, madeUp };
};

onEmbeddedChain(
  'invalid transactions › given a home that believed a funding › the audit refuses it, and a rebuild changes nothing and says so',
  WHY,
  async (t) => {
    const { treasury, id, madeUp } = await deceive(t);
    const { alice } = treasury.people;
    const { store } = treasury.app.context;
    const campaign = await store.get(campaignCollection, id);
    if (campaign === null) throw new Error('the campaign is gone');
    await store.transaction((writer) => {
      writer.put(campaignCollection, {
        ...campaign,
        status: 'ACTIVE',
        tx_hash: madeUp,
        last_tx_hash: madeUp,
        thread: { category: 'ab'.repeat(32), txid: madeUp, vout: 0, commitment: '' },
      });
    });
    const verified = await treasury.ask(alice, 'deployments.verify-address', {
      address: campaign.contract_address,
    });
    t.false(verified['success']);
    const failed = (verified['audit'] as readonly { check: string; ok: boolean; detail: string }[]).find(
      ({ check }) => check === 'funding',
    );
    t.like(failed, { ok: false });
    t.regex(failed?.detail ?? '', /breaks the rules of the network/);
    const synced = await treasury.ask(alice, 'sync', { all: true });
    t.like(synced, { success: false, code: 'tx_invalid' });
    t.is((await store.get(campaignCollection, id))?.status, 'ACTIVE');
  },
);

onEmbeddedChain(
  'invalid transactions › given an import of a record with a funding that nobody signed › it is taken in, and waits',
  WHY,
  async (t) => {
    const { treasury, world, id } = await deceive(t);
    const file = await treasury.ask(treasury.people.alice, 'deployments.export');
    const other = await openTreasury(t, world);
    t.like(await other.ask(other.people.alice, 'deployments.import', { file }), { success: true });
    t.is((await other.app.context.store.get(campaignCollection, id))?.status, 'PENDING');
  },
);
