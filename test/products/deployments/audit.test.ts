import test, { type ExecutionContext } from 'ava';
import { bob, mallory } from '../../../fixtures/people.js';
import type { Coin, Output } from '../../../src/bch/coins.js';
import type { Transaction } from '../../../src/bch/transaction.js';
import type { Finding } from '../../../src/covenant/genesis.js';
import { TreasuryError } from '../../../src/errors.js';
import type { Context } from '../../../src/operation/context.js';
import { auditDeployment } from '../../../src/products/deployments/audit.js';
import { knownAuthorities } from '../../../src/products/deployments/authority.js';
import type { CampaignRecord } from '../../../src/products/rewards/campaign.js';
import { campaignContract } from '../../../src/products/rewards/contract.js';
import { deployable } from '../../../src/products/rewards/index.js';
import { campaigns } from '../../../src/products/rewards/product.js';
import {
  buildCancel,
  buildDistribution,
  buildPause,
  type CampaignSpend,
} from '../../../src/products/rewards/transactions.js';
import type { UnsignedTransaction } from '../../../src/covenant/spend.js';
import { authority } from '../../../fixtures/people.js';
import {
  makeTransaction,
  onChain,
  scriptedChain,
  type ScriptedChain,
} from '../../covenant/scripted-chain.js';
import { fakeContext } from '../../operation/fake-context.js';
import {
  asTransaction,
  campaignOf,
  fundedCampaign,
  fundingCoins,
  fundingOf,
  spendAfter,
  tokenCampaignOf,
  walletCoin,
} from '../rewards/fixed-campaign.js';

type Stage = { readonly campaign: CampaignRecord; readonly chain: ScriptedChain; readonly last: Transaction };

/** A chain that has the coins which pay for fundings. */
const chainWithCoins = (): ScriptedChain => {
  const chain = scriptedChain();
  const { transaction } = chain;
  // The coins of the wallet stand in transactions that nobody looks into: only what they paid to is asked.
  const sources = new Map(fundingCoins.map((coin) => [coin.txid, coin]));
  return {
    ...chain,
    transaction: (txid) => {
      const coin = sources.get(txid);
      if (coin === undefined) return transaction(txid);
      const outputs = Array.from({ length: coin.vout + 1 }, () => coin);
      return Promise.resolve(onChain({ ...makeTransaction([], outputs), txid }, 1));
    },
  };
};

const fundedStage = async (pending: CampaignRecord): Promise<Stage> => {
  const chain = chainWithCoins();
  const last = chain.add(fundingOf(pending), 10);
  return { campaign: await fundedCampaign(pending, last), chain, last };
};

const moved = (stage: Stage, build: (spend: CampaignSpend) => UnsignedTransaction): Stage => {
  const last = stage.chain.add(asTransaction(build(spendAfter(stage.campaign, stage.last))));
  const { record } = campaigns.followed('local').observeMove(stage.campaign, onChain(last));
  return { ...stage, campaign: record, last };
};

const paid = (stage: Stage): Stage =>
  moved(stage, (spend) =>
    buildDistribution(spend, { recipient: bob.address('local'), amount: 700n, authority }),
  );

const audit = async ({ campaign, chain }: Pick<Stage, 'campaign' | 'chain'>): Promise<readonly Finding[]> => {
  const base = fakeContext();
  const context: Context = { ...base, chain: { ...base.chain, ...chain } };
  const coins = await chain.coins(campaignContract(campaign, 'local').lockingBytecode);
  const known = await knownAuthorities([Buffer.from(authority.publicKey).toString('hex')], context);
  return auditDeployment({ deployable, record: campaign }, coins as readonly Coin[], known, context);
};

const failed = (findings: readonly Finding[]): readonly string[] =>
  findings.filter(({ ok }) => !ok).map(({ check }) => check);

const expectFailures = async (
  t: ExecutionContext,
  stage: Pick<Stage, 'campaign' | 'chain'>,
  expected: readonly string[],
): Promise<readonly Finding[]> => {
  const findings = await audit(stage);
  t.deepEqual(failed(findings), expected, JSON.stringify(findings, null, 2));
  return findings;
};

const AGREE = 'record and chain agree';

for (const [asset, pending] of [
  ['BCH', campaignOf()],
  ['tokens', tokenCampaignOf()],
] as const) {
  test(`audit › given an honest campaign in ${asset} › every check holds, at every stage of its life`, async (t) => {
    await expectFailures(t, { campaign: pending, chain: chainWithCoins() }, []);
    const funded = await fundedStage(pending);
    const findings = await expectFailures(t, funded, []);
    for (const check of [
      'address',
      'authority',
      'parties',
      'funding',
      AGREE,
      'thread',
      'no other thread',
      'pool',
    ]) {
      t.true(
        findings.some((finding) => finding.check === check),
        check,
      );
    }
    const active = paid(funded);
    await expectFailures(t, active, []);
    const paused = moved(active, buildPause);
    await expectFailures(t, paused, []);
    await expectFailures(t, moved(paused, buildCancel), []);
  });
}

test('audit › given a record older than the chain › what happened since is no disagreement', async (t) => {
  const funded = await fundedStage(campaignOf());
  await expectFailures(t, { ...paid(funded), campaign: funded.campaign }, []);
});

test('audit › given the parties › they are named by role', async (t) => {
  const findings = await audit(await fundedStage(campaignOf()));
  const { detail } = findings.find(({ check }) => check === 'parties') ?? { detail: '' };
  t.regex(detail, /creator bchtest:q.+, refund bchtest:q/);
});

test('audit › given a record that says less was paid › it differs from the chain', async (t) => {
  const stage = paid(await fundedStage(campaignOf()));
  const findings = await expectFailures(
    t,
    { ...stage, campaign: { ...stage.campaign, distributed_total: 0n } },
    [AGREE],
  );
  t.regex(findings.find(({ check }) => check === AGREE)?.detail ?? '', /distributed_total/);
});

test('audit › given another address than its terms give › it is found', async (t) => {
  const stage = await fundedStage(campaignOf());
  const other = campaignOf({ on_chain_campaign_id: '08'.repeat(32) });
  const campaign = { ...stage.campaign, contract_address: other.contract_address };
  const failures = failed(await audit({ ...stage, campaign }));
  t.is(failures[0], 'address');
});

test('audit › given other parameters than the listed ones, or another authority › it is found', async (t) => {
  const stage = await fundedStage(campaignOf());
  const [, ...rest] = stage.campaign.constructor_params;
  const listed = { ...stage.campaign, constructor_params: ['00'.repeat(32), ...rest] };
  await expectFailures(t, { ...stage, campaign: listed }, ['constructor parameters']);
  const byMallory = campaignOf({ authority_pubkey: Buffer.from(mallory.publicKey).toString('hex') });
  const forged = { ...byMallory, constructor_params: campaignOf().constructor_params };
  t.true(failed(await audit({ campaign: forged, chain: chainWithCoins() })).includes('authority'));
});

test('audit › given a parameter out of its range › it is found', async (t) => {
  const campaign = campaignOf({ start_date: 499_999_999 });
  await expectFailures(t, { campaign, chain: chainWithCoins() }, ['parameter startDate']);
});

/** A campaign whose funding was altered, and whose record says that it is ACTIVE all the same. */
const alteredStage = async (
  pending: CampaignRecord,
  alter: (outputs: readonly Output[], category: string) => readonly Output[],
): Promise<Stage> => {
  const honest = await fundedCampaign(pending);
  const { inputs, outputs } = fundingOf(pending);
  const chain = chainWithCoins();
  const last = chain.add(makeTransaction(inputs, alter(outputs, honest.thread?.category ?? '')), 10);
  const thread = {
    ...(honest.thread ?? { category: '', vout: 0 }),
    txid: last.txid,
    commitment: last.outputs[0]?.token?.nft?.commitment ?? '',
  };
  return { chain, last, campaign: { ...honest, tx_hash: last.txid, last_tx_hash: last.txid, thread } };
};

const replaceAt = (outputs: readonly Output[], at: number, change: (output: Output) => Output): Output[] =>
  outputs.map((output, index) => (index === at ? change(output) : output));

const REST = 'funding: nothing else of the category';

test('audit › given a second thread minted at the address › funding, record and address say so', async (t) => {
  const stage = await alteredStage(campaignOf(), (outputs) => {
    const [thread, ...rest] = outputs;
    return thread === undefined ? [] : [thread, thread, ...rest];
  });
  await expectFailures(t, stage, [REST, AGREE, 'no other thread']);
});

test("audit › given a second thread minted to the creator's wallet › it is found", async (t) => {
  const stage = await alteredStage(campaignOf(), (outputs, category) => [
    ...outputs,
    {
      lockingBytecode: walletCoin(1, 1n).lockingBytecode,
      satoshis: 1_000n,
      token: { category, amount: 0n, nft: { capability: 'mutable', commitment: '00'.repeat(13) } },
    },
  ]);
  await expectFailures(t, stage, [REST, AGREE]);
});

test('audit › given a minting NFT that the creator kept › it is found', async (t) => {
  const stage = await alteredStage(campaignOf(), (outputs, category) => [
    ...outputs,
    {
      lockingBytecode: walletCoin(1, 1n).lockingBytecode,
      satoshis: 1_000n,
      token: { category, amount: 0n, nft: { capability: 'minting', commitment: '' } },
    },
  ]);
  await expectFailures(t, stage, [REST, AGREE]);
});

test('audit › given a thread that was minted with another state › it is found', async (t) => {
  // 100 satoshis are marked as paid out already.
  const commitment = '00640000000000000001000000';
  const stage = await alteredStage(campaignOf(), (outputs) =>
    replaceAt(outputs, 0, (output) => ({
      ...output,
      token: {
        category: output.token?.category ?? '',
        amount: 0n,
        nft: { capability: 'mutable', commitment },
      },
    })),
  );
  t.deepEqual(failed(await audit(stage)), ['funding: thread', AGREE]);
});

test('audit › given a record whose state is not the one on chain › it is found', async (t) => {
  const stage = await fundedStage(campaignOf());
  const { thread } = stage.campaign;
  const campaign = {
    ...stage.campaign,
    thread: thread === null ? null : { ...thread, commitment: `01${thread.commitment.slice(2)}` },
  };
  await expectFailures(t, { ...stage, campaign }, [AGREE, 'thread']);
});

test('audit › given a pool of BCH that is one satoshi short › it is found', async (t) => {
  const stage = await alteredStage(campaignOf(), (outputs) =>
    replaceAt(outputs, 0, (output) => ({ ...output, satoshis: output.satoshis - 1n })),
  );
  await expectFailures(t, stage, ['funding: pool', AGREE, 'pool']);
});

test('audit › given a thread of tokens below its dust › it is said, and the next payout tops it up', async (t) => {
  const stage = await alteredStage(tokenCampaignOf(), (outputs) =>
    replaceAt(outputs, 0, (output) => ({ ...output, satoshis: 900n })),
  );
  await expectFailures(t, stage, ['thread satoshis']);
  const { outputs } = buildDistribution(spendAfter(stage.campaign, stage.last), {
    recipient: bob.address('local'),
    amount: 1n,
    authority,
  });
  t.is(outputs[0]?.satoshis, 1_000n);
});

test('audit › given a pool of tokens that is one short › it is found', async (t) => {
  const stage = await alteredStage(tokenCampaignOf(), (outputs) =>
    replaceAt(outputs, 1, (output) => ({
      ...output,
      token: { category: output.token?.category ?? '', amount: (output.token?.amount ?? 0n) - 1n },
    })),
  );
  await expectFailures(t, stage, ['funding: pool', AGREE, 'pool']);
});

test('audit › given a thread of a category that was minted before › it is found', async (t) => {
  const stage = await alteredStage(campaignOf(), (outputs) =>
    replaceAt(outputs, 0, (output) => ({
      ...output,
      token: {
        category: 'ab'.repeat(32),
        amount: 0n,
        nft: { capability: 'mutable', commitment: output.token?.nft?.commitment ?? '' },
      },
    })),
  );
  const failures = failed(await audit(stage));
  t.true(failures.includes('funding: minted here'), failures.join());
  t.true(failures.includes('thread'), failures.join());
});

test('audit › given a chain that knows nothing of the deployment › no detail says that all is well', async (t) => {
  const { campaign } = await fundedStage(campaignOf());
  const unknown = { ...campaign, status: 'PENDING' as const, thread: null };
  const findings = await audit({ campaign: unknown, chain: chainWithCoins() });
  const other = findings.find(({ check }) => check === 'no other thread');
  t.false(other?.ok ?? true);
  t.notRegex(other?.detail ?? '', /no other coin/);
});

/** A mutable NFT with the state of a campaign, minted by somebody to the covenant's address. */
const forgeAt = ({ campaign, chain }: Stage): Transaction => {
  const { lockingBytecode } = campaignContract(campaign, 'local');
  const coin = walletCoin(9, 10_000_000n, { vout: 0 });
  const token = {
    category: coin.txid,
    amount: 0n,
    nft: { capability: 'mutable' as const, commitment: campaign.thread?.commitment ?? '' },
  };
  return chain.add(makeTransaction([coin], [{ lockingBytecode, satoshis: 3_001_000n, token }]), 11);
};

test('audit › given a forged NFT that the record points to › it is found', async (t) => {
  const stage = await fundedStage(campaignOf());
  const { txid, outputs } = forgeAt(stage);
  const category = outputs[0]?.token?.category ?? '';
  const thread = { category, txid, vout: 0, commitment: stage.campaign.thread?.commitment ?? '' };
  await expectFailures(t, { ...stage, campaign: { ...stage.campaign, thread } }, [
    AGREE,
    'thread',
    'no other thread',
  ]);
});

test('audit › given a forged NFT whose transaction the record calls its funding › it is found', async (t) => {
  const stage = await fundedStage(campaignOf());
  const { txid, outputs } = forgeAt(stage);
  const category = outputs[0]?.token?.category ?? '';
  const thread = { category, txid, vout: 0, commitment: stage.campaign.thread?.commitment ?? '' };
  const campaign = { ...stage.campaign, tx_hash: txid, last_tx_hash: txid, thread };
  t.true(failed(await audit({ ...stage, campaign })).includes(AGREE));
});

test("audit › given a stranger's NFT at the address › it is named, and every check holds", async (t) => {
  const stage = await fundedStage(campaignOf());
  const { txid } = forgeAt(stage);
  const findings = await expectFailures(t, stage, []);
  t.regex(findings.find(({ check }) => check === 'other NFTs')?.detail ?? '', new RegExp(`${txid}:0`));
});

test('audit › given a funding that the chain does not know › it is found', async (t) => {
  const { campaign } = await fundedStage(campaignOf());
  const failures = failed(await audit({ campaign, chain: chainWithCoins() }));
  t.is(failures[0], 'funding');
});

test('audit › given a record that is ACTIVE without a funding › it is found', async (t) => {
  const campaign = { ...campaignOf(), status: 'ACTIVE' as const };
  await expectFailures(t, { campaign, chain: chainWithCoins() }, ['funding']);
});

test('audit › given a chain that cannot be reached › it is chain_unavailable, and no verdict', async (t) => {
  const stage = await fundedStage(campaignOf());
  const chain = {
    ...stage.chain,
    history: () => Promise.reject(new TreasuryError('chain_unavailable', { reason: 'cut' })),
  };
  const error = await t.throwsAsync(audit({ ...stage, chain }), { instanceOf: TreasuryError });
  t.is(error.code, 'chain_unavailable');
});
