import test from 'ava';
import { lockStep, unlockStep } from '../../src/page/pages/lock-form.js';
import { mustSign, signStep, totalOf, type Spend, type Vault } from '../../src/page/pages/spend-parts.js';

const [ANN, BOB, CAROL, DAVE] = ['bchtest:ann', 'bchtest:bob', 'bchtest:carol', 'bchtest:dave'];
const TOKEN = 'ab'.repeat(32);

const vault: Vault = {
  id: 'v-1',
  label: '#VAULT-0001',
  name: 'Common funds',
  status: 'active',
  signers: [ANN, BOB, CAROL],
  contractAddress: 'bchtest:p',
  balanceOnChain: '0',
  spendableOnChain: '0',
  tokens: [],
};

const spendOf = (signed: readonly string[], status = 'PENDING'): Spend => ({
  id: 's-1',
  label: '#SPEND-0001',
  status,
  memo: '',
  proposer: ANN,
  outputs: [],
  digest: '',
  fee: 1,
  signatures: signed.map((signer) => ({ signer, signedAt: 1 })),
  signaturesNeeded: 2 - signed.length,
});

test('a spend is signed for who looks at it, and what was signed is handed in, not broadcast', (t) => {
  t.like(signStep(spendOf([]), vault, BOB), {
    title: 'Sign #SPEND-0001 as the first of two',
    build: { path: '/api/vaults/v-1/spends/s-1/sign', body: {} },
    deliver: { path: '/api/vaults/v-1/spends/s-1/signatures', field: 'signedTransaction' },
    confirm: null,
    command: 'vaults spend sign SPEND-0001',
    page: '/app/vaults/VAULT-0001/spends/SPEND-0001',
    signer: BOB,
  });
  t.is(signStep(spendOf([ANN]), vault, BOB).title, 'Sign #SPEND-0001 as the second of two');
});

test('a signature is waited for from signers who have not signed, while any is missing', (t) => {
  t.true(mustSign(vault, spendOf([ANN]), BOB));
  t.false(mustSign(vault, spendOf([ANN]), ANN));
  t.false(mustSign(vault, spendOf([ANN]), DAVE));
  t.false(mustSign(vault, spendOf([ANN]), null));
  t.false(mustSign(vault, spendOf([ANN, BOB], 'READY'), CAROL));
});

test('what a spend pays is summed by asset, exactly', (t) => {
  const bch = { to: ANN, tokenCategory: null, symbol: 'BCH', decimals: 8 };
  const team = { to: ANN, tokenCategory: TOKEN, symbol: 'TEAM', decimals: 2 };
  t.is(
    totalOf([
      { ...bch, amountOnChain: '10000000' },
      { ...team, amountOnChain: '9223372036854775807' },
      { ...bch, amountOnChain: '20000000' },
    ]),
    '0.3 BCH and 92233720368547758.07 TEAM',
  );
});

const proposal = { id: 'p-1', label: '#VOTE-0001', tokenCategory: TOKEN };
const ballot = { choice: 'FOR', amount: '12.5', category: '' };

test('a vote is locked in the voter’s name, and confirmed in it', (t) => {
  t.like(lockStep(proposal, ANN, ballot), {
    title: 'Vote For and lock 12.5',
    build: {
      path: '/api/governance/p-1/lock',
      body: { voterAddress: ANN, voteChoice: 'FOR', stakeAmount: '12.5' },
    },
    confirm: '/api/governance/p-1/confirm-lock',
    confirmWith: { voterAddress: ANN },
    command: 'governance lock VOTE-0001 --vote-choice FOR --stake-amount 12.5',
    page: '/app/votes/VOTE-0001',
  });
  t.false('tokenCategory' in lockStep(proposal, ANN, ballot).build.body);
});

test('where a proposal fixes no token, the voter names it', (t) => {
  const step = lockStep({ ...proposal, tokenCategory: null }, ANN, { ...ballot, category: TOKEN });
  t.is(step.build.body['tokenCategory'], TOKEN);
  t.true(step.command.endsWith(` --token-category ${TOKEN}`));
});

test('tokens are unlocked in the voter’s name', (t) => {
  t.like(unlockStep(proposal, ANN), {
    build: { path: '/api/governance/p-1/unlock', body: { voterAddress: ANN } },
    confirm: '/api/governance/p-1/confirm-unlock',
    confirmWith: { voterAddress: ANN },
    command: 'governance unlock VOTE-0001',
  });
});
