/** I9 and I10: two of three over everything; what is locked for a vote stays until its end, and counts once. */
import { binToHex, sha256, utf8ToBin } from '@bitauth/libauth';
import test from 'ava';
import fc from 'fast-check';
import { countVoter, type LockTerms } from '../../../src/products/governance/observe.js';
import { proposalHash } from '../../../src/products/governance/state.js';
import { fromLibauthTransaction } from '../../../src/bch/transaction.js';
import type { Output as WireOutput } from '../../../src/bch/coins.js';
import { bind, type Argument } from '../harness/bound.js';
import { called, DUST, fungible, nft, NOW, OTHER, owned, plain, THREAD } from '../harness/coins.js';
import { outsider, recipient as voter, signers, type Party } from '../harness/parties.js';
import { buildTransaction, FINAL, IN_FORCE, type Output, type Spend } from '../harness/spend.js';
import { vaultLayout } from '../vault.cases.js';
import { ballotLayout } from '../vote-lock.cases.js';
import { isFinal, verify } from './chain.js';

const settings = (numRuns: number) => ({ seed: 20_261_121, numRuns });

const isAccepted = (spend: Spend): boolean => {
  const built = buildTransaction(spend);
  const [before, now] = [verify(built, '2025'), verify(built, '2026')];
  if ((before === 'accepted') !== (now === 'accepted')) throw new Error(`${before} and ${now}`);
  return now === 'accepted' && isFinal(spend, spend.chainTime);
};

const [one, two, three] = signers;
const KEYS = [one.publicKey, two.publicKey, three.publicKey] as const;

const mirrored = (key: Uint8Array): Uint8Array => key.map((byte, index) => (index === 0 ? byte ^ 1 : byte));

const anyHand = fc.record({
  by: fc.constantFrom<Party>(one, two, three, outsider),
  /** Whose key stands beside the signature; null: the signer's own. */
  key: fc.oneof(
    { weight: 4, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom<Party>(one, two, three, outsider) },
  ),
  hashType: fc.oneof(
    { weight: 5, arbitrary: fc.constant(0x61) },
    { weight: 1, arbitrary: fc.constantFrom(0x41, 0x42, 0x43, 0xc1, 0xe1, 0x62, 0x63) },
  ),
});

const anyVaultSpend = fc.record({
  id: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  first: anyHand,
  second: anyHand,
  hasThread: fc.boolean(),
  spends: fc.nat({ max: 2 ** 31 - 3 }),
  after: fc.oneof(
    { weight: 4, arbitrary: fc.constant(1) },
    { weight: 1, arbitrary: fc.integer({ min: -1, max: 2 }) },
  ),
  joining: fc.nat({ max: 2 }),
});

test('I9 › vault › given any two signatures › two of three over everything pass in order, and nothing else does', (t) => {
  let passed = 0;
  let refused = 0;
  fc.assert(
    fc.property(anyVaultSpend, ({ id, first, second, hasThread, spends, after, joining }) => {
      const contract = bind('vault', [id, ...KEYS]);
      const keyOf = ({ by, key }: typeof first): Uint8Array => (key ?? by).publicKey;
      const args: Argument[] = [first, second].flatMap((hand) => [
        keyOf(hand),
        { sign: hand.by, hashType: hand.hashType },
      ]);
      const thread = (count: number): Output =>
        nft(contract.lock, vaultLayout.encode({ version: 1, spends: Math.max(count, 0) }), DUST);
      const coin = hasThread ? thread(spends) : plain(contract.lock, 90_000n);
      const joined = [plain(contract.lock, 40_000n), fungible(contract.lock, 500n)].slice(0, joining);
      const spend: Spend = {
        inputs: [
          called('coin', coin, contract, 'spend', args),
          ...joined.map((other, index) => called(`joined ${index}`, other, contract, 'join')),
          owned('fee', outsider),
        ],
        outputs: [...(hasThread ? [thread(spends + after)] : []), plain(outsider.lock, 10_000n)],
        locktime: 0,
        chainTime: NOW,
      };
      const order = [one, two, three] as const;
      const at = (hand: typeof first): number =>
        (hand.key ?? hand.by) === hand.by ? order.findIndex((party) => party === hand.by) : -1;
      const isPair = at(first) >= 0 && at(second) > at(first);
      const isWhole = first.hashType === 0x61 && second.hashType === 0x61;
      const expected = isPair && isWhole && (!hasThread || after === 1);
      if (isAccepted(spend) !== expected) throw new Error(`expected ${expected}`);
      if (expected) passed += 1;
      else refused += 1;
    }),
    settings(250),
  );
  t.true(passed > 10 && refused > 50, `${passed} passed, ${refused} refused`);
});

test('I9 › vault › given one signer twice › no encoding of the key makes two people of one', (t) => {
  fc.assert(
    fc.property(fc.constantFrom(one, two, three), fc.boolean(), fc.boolean(), (by, left, right) => {
      const contract = bind('vault', [new Uint8Array(32), ...KEYS]);
      const args: Argument[] = [left, right].flatMap((isOther) => [
        isOther ? mirrored(by.publicKey) : by.publicKey,
        { sign: by },
      ]);
      const spend: Spend = {
        inputs: [called('coin', plain(contract.lock, 90_000n), contract, 'spend', args)],
        outputs: [plain(by.lock, 80_000n)],
        locktime: 0,
        chainTime: NOW,
      };
      if (isAccepted(spend)) throw new Error('one signer is enough');
    }),
    settings(20),
  );
  t.pass();
});

const anyUnlock = fc.record({
  end: fc.integer({ min: 1_700_000_000, max: 1_900_000_000 }),
  locktime: fc.oneof(
    fc.integer({ min: -3, max: 3 }),
    fc.integer({ min: -10_000, max: 10_000 }),
    fc.constant(null),
  ),
  chain: fc.integer({ min: -10, max: 10 }),
  isFinalAt: fc.oneof(
    { weight: 3, arbitrary: fc.constant(-1) },
    { weight: 1, arbitrary: fc.nat({ max: 2 }) },
  ),
  isVoter: fc.oneof(
    { weight: 5, arbitrary: fc.constant(true) },
    { weight: 1, arbitrary: fc.constant(false) },
  ),
});

test('I10 › vote-lock › given any time › stake and ballot leave together, by the voter, once the end has passed', (t) => {
  let passed = 0;
  fc.assert(
    fc.property(anyUnlock, ({ end, locktime: beside, chain, isFinalAt, isVoter }) => {
      const contract = bind('vote-lock', [sha256.hash(utf8ToBin('a vote')), voter.hash, BigInt(end)]);
      const by = isVoter ? voter : outsider;
      const args: Argument[] = [voter.publicKey, { sign: by }];
      const sequenceAt = (index: number): number => (index === isFinalAt ? FINAL : IN_FORCE);
      const locktime = beside === null ? 0 : end + beside;
      const inputs = [
        called('stake', fungible(contract.lock, 700n), contract, 'unlock', args),
        called('ballot', nft(contract.lock, '01', DUST, THREAD, 'none'), contract, 'unlock', args),
        owned('fee', voter),
      ].map((input, index) => ({ ...input, sequence: sequenceAt(index) }));
      const chainTime = end + chain;
      const spend: Spend = { inputs, outputs: [fungible(voter.lock, 700n)], locktime, chainTime };
      const isInForce = isFinalAt === -1 || isFinalAt === 2;
      const expected = isVoter && isInForce && locktime >= end && locktime < chainTime;
      if (isAccepted(spend) !== expected) throw new Error(`expected ${expected}`);
      passed += expected ? 1 : 0;
    }),
    settings(250),
  );
  t.true(passed > 10);
});

const PROPOSAL = 'proposal-1';

/** What a voter may try: how many stakes and ballots, minted here or not, with which amount, in time or late. */
const anyLocking = fc.record({
  stakes: fc.nat({ max: 2 }),
  ballots: fc.nat({ max: 2 }),
  isMinted: fc.boolean(),
  says: fc.constantFrom(700n, 701n),
  isLate: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  isGone: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
});

test('I10 › votes › given any locks of one voter › one stake with its own ballot counts, once', (t) => {
  let counted = 0;
  fc.assert(
    fc.property(fc.array(anyLocking, { maxLength: 4 }), (lockings) => {
      const end = NOW;
      const contract = bind('vote-lock', [sha256.hash(utf8ToBin('a vote')), voter.hash, BigInt(end)]);
      const terms: LockTerms = {
        proposalId: PROPOSAL,
        lockingBytecode: binToHex(contract.lock),
        voterLock: binToHex(voter.lock),
        end,
        tokenCategory: null,
      };
      const history = lockings.flatMap(({ stakes, ballots, isMinted, says, isLate, isGone }, index) => {
        const genesis = owned(`genesis ${index}`, voter);
        const content = ballotLayout.encode({
          version: 1,
          choice: 1,
          stake: says,
          proposal: proposalHash(PROPOSAL),
        });
        const ballot = nft(contract.lock, content, DUST, isMinted ? genesis.txid : OTHER, 'none');
        const stake = fungible(contract.lock, 700n);
        const spend: Spend = {
          inputs: [genesis],
          outputs: [...Array<Output>(stakes).fill(stake), ...Array<Output>(ballots).fill(ballot)],
          locktime: 0,
          chainTime: end,
        };
        const transaction = fromLibauthTransaction(buildTransaction(spend).transaction);
        const own: WireOutput = { lockingBytecode: binToHex(voter.lock), satoshis: 50_000n };
        const seen = (made: typeof transaction, acceptedAt: number, height: number) => ({
          chain: { transaction: made, height, blockTime: acceptedAt },
          acceptedAt,
          genesis: own,
        });
        const leaving = {
          ...transaction,
          txid: 'ee'.repeat(32),
          outputs: [],
          inputs: [{ txid: transaction.txid, vout: 0, sequence: 0, unlockingBytecode: '' }],
        };
        return [
          seen(transaction, isLate ? end : end - 10, index + 1),
          ...(isGone ? [seen(leaving, end - 1, index + 1)] : []),
        ];
      });
      const good = lockings.filter(
        ({ stakes, ballots, isMinted, says, isLate, isGone }) =>
          stakes === 1 && ballots === 1 && isMinted && says === 700n && !isLate && !isGone,
      );
      const { lock } = countVoter(terms, history);
      if ((lock !== null) !== good.length > 0) throw new Error('another lock counts');
      if (lock !== null && lock.stake !== 700n) throw new Error('another stake counts');
      counted += lock === null ? 0 : 1;
    }),
    settings(200),
  );
  t.true(counted > 5);
});
