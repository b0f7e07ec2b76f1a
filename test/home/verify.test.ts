import test, { type ExecutionContext } from 'ava';
import { alice, authority, bob, carol, dave, mallory, type Person } from '../../fixtures/people.js';
import { decodeExtended, encodeExtended } from '../../src/bch/signing-request.js';
import { decodeRaw, encodeRaw } from '../../src/bch/transaction.js';
import { TreasuryError } from '../../src/errors.js';
import { inspect } from '../../src/home/transactions/inspect.js';
import { add as addContact } from '../../src/home/contacts.js';
import { add as addToken } from '../../src/home/tokens/token.js';
import { verify } from '../../src/home/transactions/verify/verify.js';
import type { VerifyReply } from '../../src/home/transactions/verify/reply.js';
import type { ChainPort } from '../../src/operation/ports/chain.js';
import { execute } from '../../src/operation/execute.js';
import { openTestHome } from '../home.js';
import { fundStream, tokenTerms, type StreamHandle } from '../products/streams/stream.js';
import { fundVault } from '../products/vaults/vault.js';
import { openTreasury, type Treasury } from '../treasury.js';

type Json = Record<string, unknown>;
type Source = {
  valueSatoshis: bigint;
  lockingBytecode: Uint8Array;
  contract?: { artifact: { contractName: string } };
};

/** What somebody elsewhere finds: another home, that knows nothing, on the same chain. */
const elsewhere = async (t: ExecutionContext, { app }: Treasury, chain: Partial<ChainPort> = {}) => {
  const home = await openTestHome(t);
  const context = { ...home, chain: { ...app.context.chain, ...chain } };
  const check = async (file: unknown, input: Json = {}) =>
    (await execute(verify, { file, ...input }, context, {
      kind: 'operator',
      address: null,
    })) as unknown as VerifyReply;
  return { home, check };
};

/** A payment of 0.001 BCH from alice to bob, as it was built. */
const payment = async (treasury: Treasury): Promise<Json> => {
  await treasury.give(alice, 1_000_000n);
  const input = { to: treasury.addressOf(bob).text, amount: '0.001' };
  return (await treasury.ask(alice, 'wallet.send', input))['wcTransaction'] as Json;
};

/** A claim of bob's from a stream of alice's. */
const claim = async (treasury: Treasury, extra: Json = {}): Promise<{ stream: StreamHandle; file: Json }> => {
  const stream = await fundStream(treasury, extra);
  await treasury.app.context.localChain?.advance(50 * 86_400);
  await treasury.give(bob, 1_000_000n);
  const built = await treasury.ask(bob, 'streams.claim', { id: stream.id });
  return { stream, file: built['wcTransaction'] as Json };
};

/** The same file with another transaction in it. */
const bent = (file: Json, change: (transaction: ReturnType<typeof decodeRaw>) => void): Json => {
  const transaction = decodeRaw(String(file['transaction']));
  change(transaction);
  const { digest: _digest, ...rest } = file;
  return { ...rest, transaction: encodeRaw(transaction) };
};

/** The same file with other words about what it spends. */
const misstated = (file: Json, change: (sources: Source[]) => void): Json => {
  const sources = decodeExtended(file['sourceOutputs']) as Source[];
  change(sources);
  const { digest: _digest, ...rest } = file;
  return { ...rest, sourceOutputs: encodeExtended(sources) };
};

const first = <Item>(items: readonly Item[]): Item => {
  const [item] = items;
  if (item === undefined) throw new Error('there is none');
  return item;
};

const lockOf = (who: Person): Uint8Array =>
  Uint8Array.from(Buffer.from(who.address('local').lockingBytecode, 'hex'));

const failed = ({ checks }: VerifyReply): string =>
  checks.flatMap(({ check, ok, detail }) => (ok ? [] : [`${check}: ${detail}`])).join('\n');

test('verify › given a payment › it says who pays whom in words, and has the digest of the file', async (t) => {
  const treasury = await openTreasury(t);
  const file = await payment(treasury);
  const { check } = await elsewhere(t, treasury);
  const reply = await check(file);
  t.true(reply.success, reply.message);
  t.is(reply.digest, String(file['digest']));
  t.deepEqual(
    reply.parties.map(({ party, words }) => [party, words]),
    [
      [treasury.addressOf(alice).text, `pays 0.0010022${String(reply.fee).slice(-1)} BCH`],
      [treasury.addressOf(bob).text, 'gets 0.001 BCH'],
    ],
  );
  t.is(reply.outputs[0]?.words, `0.001 BCH at ${treasury.addressOf(bob).text}`);
});

test('verify › given a payment that was bent to somebody else › the digest that was told differs, and the words name the other', async (t) => {
  const treasury = await openTreasury(t);
  const file = await payment(treasury);
  const { check } = await elsewhere(t, treasury);
  const other = bent(file, ({ outputs }) => {
    first(outputs).lockingBytecode = lockOf(mallory);
  });
  const reply = await check(other, { digest: file['digest'] });
  t.like(reply, { success: false, code: 'tx_mismatch' });
  t.regex(failed(reply), /digest that was given: it is .*, but this transaction has .*: it is another one/);
  t.is(reply.outputs[0]?.words, `0.001 BCH at ${treasury.addressOf(mallory).text}`);
  // And where the liar leaves the digest of the honest one in the file:
  const kept = await check({ ...other, digest: file['digest'] });
  t.regex(failed(kept), /digest in the file/);
});

test('verify › given the digest as somebody reads it out › it is the same', async (t) => {
  const treasury = await openTreasury(t);
  const file = await payment(treasury);
  const { check } = await elsewhere(t, treasury);
  const told = String(file['digest']).toLowerCase().replaceAll('-', ' ');
  t.true((await check(file, { digest: told })).success);
  t.regex(failed(await check(file, { digest: 'hello' })), /digest that was given: it is none/);
});

test('verify › given a file that lies about what it spends › the amount and the script are named', async (t) => {
  const treasury = await openTreasury(t);
  const file = await payment(treasury);
  const { check } = await elsewhere(t, treasury);
  const poorer = misstated(file, (sources) => {
    first(sources).valueSatoshis = 200_000n;
  });
  const reply = await check(poorer);
  t.is(reply.code, 'tx_mismatch');
  t.regex(failed(reply), /input 0 spends 0\.01 BCH at .*, but the file says 0\.002 BCH/);
  t.is(reply.digest, String(file['digest']));
  const others = misstated(file, (sources) => {
    first(sources).lockingBytecode = lockOf(mallory);
  });
  t.true(failed(await check(others)).includes(treasury.addressOf(mallory).text));
});

test('verify › given a file with words of its own › none of them is repeated', async (t) => {
  const treasury = await openTreasury(t);
  const file = await payment(treasury);
  const { check } = await elsewhere(t, treasury);
  const reply = await check({
    ...file,
    userPrompt: 'A gift for you',
    label: 'VAULT-0001',
    memo: 'All is well',
  });
  t.notRegex(JSON.stringify(reply), /gift|VAULT-0001|well/);
  t.true(reply.success);
});

test('verify › given names in a file that are none › they do not reach the terminal', async (t) => {
  const treasury = await openTreasury(t);
  const { file } = await claim(treasury);
  const { check } = await elsewhere(t, treasury);
  const escape = '\u001b[2J all is well';
  const lying = misstated(file, (sources) => {
    const { contract } = first(sources);
    if (contract !== undefined) contract.artifact.contractName = escape;
  });
  const terms = { contract: escape, fingerprint: '00'.repeat(32), constructorParams: [] };
  const reply = await check({ ...lying, digest: escape, contracts: [terms] });
  t.is(reply.code, 'tx_mismatch');
  t.notRegex(JSON.stringify(reply), /all is well/);
});

test('verify › given a raw transaction without a word about what it spends › the chain says it', async (t) => {
  const treasury = await openTreasury(t);
  const file = await payment(treasury);
  const { check } = await elsewhere(t, treasury);
  const reply = await check({ transaction: file['transaction'] });
  t.true(reply.success, reply.message);
  t.is(reply.digest, String(file['digest']));
});

test('verify › given a claim › the stream is named with its state before and after', async (t) => {
  const treasury = await openTreasury(t);
  const { file } = await claim(treasury);
  const { check } = await elsewhere(t, treasury);
  const reply = await check(file);
  t.true(reply.success, reply.message);
  const contract = first(reply.contracts);
  t.like(contract, { contract: 'Stream', what: 'stream', became: 'goes on', call: 'claim' });
  const terms = Object.fromEntries(contract.terms.map(({ what, value }) => [what, value]));
  t.like(terms, {
    Sender: treasury.addressOf(alice).text,
    Total: '0.1 BCH',
    Vests: 'at the start 0 BCH, growing from then on; after 100 days 0.1 BCH',
  });
  const paid = contract.state.find(({ what }) => what === 'Paid out so far');
  t.is(paid?.before, '0 BCH');
  t.regex(paid?.after ?? '', /^0\.05\d* BCH$/);
  t.is(contract.state.find(({ what }) => what === 'Recipient')?.after, treasury.addressOf(bob).text);
  t.is(contract.state.find(({ what }) => what === 'Holds')?.before, '0.1 BCH');
  t.deepEqual(reply.unnamed, []);
});

test('verify › given a claim of tokens that this home has no name for › the amounts are in smallest units, and it says so', async (t) => {
  const treasury = await openTreasury(t);
  const { category, terms } = await tokenTerms(treasury);
  const { file } = await claim(treasury, terms);
  const { check } = await elsewhere(t, treasury);
  const reply = await check(file);
  t.true(reply.success, reply.message);
  t.deepEqual(reply.unnamed, [`the token ${category}: this home has no name and no decimals for it`]);
  const holds = first(reply.contracts).state.find(({ what }) => what === 'Holds');
  t.is(holds?.before, `10000 smallest units of the token ${category}`);
});

test('verify › given a claim of more than has vested › the contract refuses it', async (t) => {
  const treasury = await openTreasury(t);
  const { file } = await claim(treasury);
  const { check } = await elsewhere(t, treasury);
  const greedy = bent(file, ({ outputs }) => {
    const [thread, payout] = outputs;
    if (thread === undefined || payout === undefined) throw new Error('a claim has two outputs');
    thread.valueSatoshis -= 1_000n;
    payout.valueSatoshis += 1_000n;
  });
  const reply = await check(greedy);
  t.is(reply.code, 'tx_mismatch');
  t.regex(failed(reply), /rules of the contracts and the network/);
});

test('verify › given a claim whose state is bent › the words show it, and the contract refuses it', async (t) => {
  const treasury = await openTreasury(t);
  const { file } = await claim(treasury);
  const { check } = await elsewhere(t, treasury);
  const reply = await check(
    bent(file, ({ outputs }) => {
      const nft = first(outputs).token?.nft;
      // The recipient in the state: bytes 19 to 39.
      if (nft !== undefined)
        nft.commitment = Uint8Array.from([
          ...nft.commitment.slice(0, 19),
          ...lockOf(mallory).slice(3, 23),
          ...nft.commitment.slice(39),
        ]);
    }),
  );
  t.is(reply.code, 'tx_mismatch');
  const recipient = first(reply.contracts).state.find(({ what }) => what === 'Recipient');
  t.like(recipient, { before: treasury.addressOf(bob).text, after: treasury.addressOf(mallory).text });
});

test('verify › given a funding › the terms that came along are proven by the address, and told', async (t) => {
  const treasury = await openTreasury(t);
  await treasury.give(alice, 20_000_000n);
  const created = await treasury.ask(alice, 'rewards.create', {
    title: 'A',
    totalPool: '0.1',
    maxRewardAmount: '0.05',
  });
  const { id } = created['campaign'] as { id: string };
  const { wcTransaction } = await treasury.ask(alice, 'rewards.funding-info', { id });
  const file = wcTransaction as Json & { contracts: { constructorParams: string[] }[] };
  const { check } = await elsewhere(t, treasury);
  const reply = await check(file);
  t.true(reply.success, reply.message);
  t.like(first(reply.contracts), { what: 'reward campaign', became: 'made', call: null });
  t.like(Object.fromEntries(first(reply.contracts).terms.map(({ what, value }) => [what, value])), {
    Creator: treasury.addressOf(alice).text,
    Pool: '0.1 BCH',
    'Most per reward': '0.05 BCH',
  });

  // Terms that are not those of the address are a lie, and none at all leave it without a name.
  const lying = structuredClone(file);
  const params = first(lying.contracts).constructorParams;
  params[6] = '1000';
  const lied = await check(lying);
  t.is(lied.code, 'tx_mismatch');
  t.regex(failed(lied), /the file has terms of a RewardCampaign that nothing here is locked with/);
  t.deepEqual(lied.contracts, []);
  const { contracts: _contracts, ...silent } = file;
  t.regex(
    first((await check(silent)).unnamed),
    /output 0 pays bchtest:p\w+: a contract whose terms nobody shows here/,
  );
});

test('verify › given a file that calls its contract otherwise › it is said what it is', async (t) => {
  const treasury = await openTreasury(t);
  const { file } = await claim(treasury);
  const { check } = await elsewhere(t, treasury);
  const reply = await check(
    misstated(file, (sources) => {
      const { contract } = first(sources);
      if (contract !== undefined) contract.artifact.contractName = 'Vault';
    }),
  );
  t.regex(failed(reply), /the file calls input 0 a Vault, and it is a Stream/);
});

test('verify › given a signed payment › the signature is given, the digest is the same, and one wrong bit is found', async (t) => {
  const treasury = await openTreasury(t);
  const file = await payment(treasury);
  const { check } = await elsewhere(t, treasury);
  const signed = { ...file, transaction: treasury.sign(alice, file) };
  const good = await check(signed);
  t.true(good.success, good.message);
  t.is(good.digest, String(file['digest']));
  t.deepEqual(
    good.signatures.map(({ state }) => state),
    ['given'],
  );
  const wrong = await check({
    ...file,
    transaction: encodeRaw(
      ((transaction) => {
        const { unlockingBytecode } = first(transaction.inputs);
        unlockingBytecode[10] = (unlockingBytecode[10] ?? 0) ^ 1;
        return transaction;
      })(decodeRaw(signed.transaction)),
    ),
  });
  t.is(wrong.code, 'tx_mismatch');
  t.true(failed(wrong).includes(`the signature of ${treasury.addressOf(alice).text} at input 0 is wrong`));
});

test('verify › given a pause that the authority has witnessed › its signature is checked, and the sender’s is missing', async (t) => {
  const treasury = await openTreasury(t);
  const stream = await fundStream(treasury);
  const { wcTransaction } = await treasury.ask(alice, 'streams.pause', { id: stream.id });
  const file = wcTransaction as Json;
  const { check } = await elsewhere(t, treasury);
  const reply = await check(file);
  t.true(reply.success, reply.message);
  const ofStream = reply.signatures.filter(({ input }) => input === 0);
  t.deepEqual(
    ofStream.map(({ role, state, signer }) => [role, state, signer]),
    [
      ['sender', 'missing', treasury.addressOf(alice).text],
      ['authority', 'given', treasury.addressOf(authority).text],
    ],
  );
  // An output that the authority has not signed.
  const later = await check(
    bent(file, ({ outputs }) => {
      const last = outputs.at(-1);
      if (last !== undefined) last.valueSatoshis -= 1n;
    }),
  );
  t.regex(failed(later), /the signature of .* at input 0 is wrong: it is not one over this transaction/);
});

test('verify › given a spend of a vault › every signer and every state of signing has one digest, which its show has too', async (t) => {
  const treasury = await openTreasury(t);
  const { propose, request, sign, shownSpend } = await fundVault(treasury);
  const spend = await propose([{ to: dave, amount: '0.01' }]);
  const { check } = await elsewhere(t, treasury);
  const files = [await request(bob, spend['id']), await request(carol, spend['id'])] as Json[];
  for (const file of files) {
    const reply = await check(file);
    t.true(reply.success, reply.message);
    t.is(reply.digest, String(spend['digest']));
    t.like(first(reply.contracts), { what: 'vault', became: 'goes on', call: 'spend' });
    t.is(reply.parties.find(({ party }) => party === treasury.addressOf(dave).text)?.words, 'gets 0.01 BCH');
  }
  const { signatures } = await check(files[0]);
  t.deepEqual(signatures.map(({ role, state }) => [role, state]).sort(), [
    ['another signer', 'missing'],
    ['signer', 'missing'],
  ]);
  await sign(bob, spend['id']);
  const half = (await request(carol, spend['id'])) as Json;
  const reply = await check(half);
  t.is(reply.digest, String(spend['digest']));
  t.is((await shownSpend(spend['id']))['digest'], spend['digest']);
  t.deepEqual(
    reply.signatures.map(({ signer, state }) => [signer, state]),
    [
      [treasury.addressOf(bob).text, 'given'],
      [treasury.addressOf(carol).text, 'missing'],
    ],
  );
});

test('verify › given a transaction of another chain › it says that the chain does not know what it spends', async (t) => {
  const [treasury, other] = [await openTreasury(t), await openTreasury(t)];
  await other.give(bob, 5n * 100_000_000n);
  await other.give(alice, 3n * 100_000_000n);
  const input = { to: treasury.addressOf(bob).text, amount: '2' };
  const file = (await other.ask(alice, 'wallet.send', input))['wcTransaction'];
  const { check } = await elsewhere(t, treasury);
  const reply = await check(file);
  t.like(reply, { success: false, code: 'tx_missing_inputs' });
  t.regex(reply.message, /The chain does not know what input 0 .* spends/);
});

test('verify › given no chain, or --offline › it says what was not checked', async (t) => {
  const treasury = await openTreasury(t);
  const file = await payment(treasury);
  const down = () => Promise.reject(new TreasuryError('chain_unavailable', { reason: 'no server answers' }));
  const { check } = await elsewhere(t, treasury, { transaction: down, tip: down, coins: down });
  const reply = await check(file);
  t.like(reply, { success: false, code: 'chain_unavailable', digest: file['digest'] });
  t.regex(reply.unchecked.join('\n'), /no server answers[^]*input 0: what .* holds is what the file says/);
  const offline = await check(file, { offline: true });
  t.true(offline.success);
  t.regex(offline.unchecked.join('\n'), /the chain was not asked/);
});

test('verify › given a server that shows another transaction under an id › it is not taken for it', async (t) => {
  const treasury = await openTreasury(t);
  const file = await payment(treasury);
  const other = await treasury.app.context.chain.transaction(await treasury.give(mallory, 9_000_000n));
  const { check } = await elsewhere(t, treasury, { transaction: () => Promise.resolve(other) });
  t.is((await check(file)).code, 'tx_missing_inputs');
});

test('verify › given what was sent meanwhile, or whose coin is gone › it says so', async (t) => {
  const treasury = await openTreasury(t);
  const file = await payment(treasury);
  const { check } = await elsewhere(t, treasury);
  t.deepEqual((await check(file)).notes, []);
  await treasury.send(alice, file);
  t.regex(first((await check(file)).notes), /input 0 spends .*, which is spent already/);
  const signed = { ...file, transaction: treasury.sign(alice, file) };
  t.regex(first((await check(signed)).notes), /is on chain already/);
});

test('verify › given contacts, wallets and tokens of this home › they have their names here', async (t) => {
  const treasury = await openTreasury(t);
  const file = await payment(treasury);
  const { home, check } = await elsewhere(t, treasury);
  await home.ask(addContact, { name: 'ben', address: treasury.addressOf(bob).text });
  const reply = await check(file);
  t.true(reply.parties.some(({ party }) => party === `${treasury.addressOf(bob).text} (@ben)`));
});

test('inspect › given a claim, a half signed spend, or a payment › it says whose signature is missing', async (t) => {
  const treasury = await openTreasury(t);
  const { file } = await claim(treasury);
  const { home } = await elsewhere(t, treasury);
  await home.ask(addContact, { name: 'ben', address: treasury.addressOf(bob).text });
  const reply = await home.ask(inspect, { file });
  const name = `${treasury.addressOf(bob).text} (@ben)`;
  t.like((reply['signatures'] as Json[])[0], { input: 0, state: 'missing', role: 'recipient', signer: name });
  t.is(reply['digest'], file['digest']);
  const rows =
    inspect.view?.(reply as never).flatMap((block) => (block.kind === 'facts' ? block.rows : [])) ?? [];
  t.true(
    rows.some(
      ([label, value]) => label === 'Signature missing' && value === `the recipient ${name}, for input 0`,
    ),
  );
});

/** A payment as the home of somebody reads it who knows a token by such a symbol. */
const wordsWithSymbol = async (t: ExecutionContext, symbol: string, other = 'ab'.repeat(32)) => {
  const treasury = await openTreasury(t);
  await treasury.give(alice, 1_000_000n);
  const category = await treasury.mint(alice, '1000', 2);
  const input = { to: treasury.addressOf(bob).text, amount: '5', tokenCategory: category };
  const { wcTransaction } = await treasury.ask(alice, 'wallet.send', input);
  const { home, check } = await elsewhere(t, treasury);
  await home.ask(addToken, { category, symbol, decimals: 2 });
  await home.ask(addToken, { category: other, symbol: 'GEMS', decimals: 2 });
  const { parties } = await check(wcTransaction);
  return { category, words: parties.find(({ party }) => party === treasury.addressOf(bob).text)?.words };
};

for (const [what, symbol] of [
  ['BCH', 'BCH'],
  ['bch after a blank', ' bch'],
  ['sats', 'sats'],
  ['BCH with a letter that cannot be seen', 'B\u200bCH'],
  ['BCH in wide letters', 'ＢＣＨ'],
  ['BCH in letters of another script', 'ВСН'],
  ['BCH and more words', 'BCH at once'],
  ['BCH with a mark', 'BCH.'],
] as const) {
  test(`verify › given a token that calls itself ${what} › no amount of it is said as one of that`, async (t) => {
    const { category, words } = await wordsWithSymbol(t, symbol);
    t.regex(words ?? '', new RegExp(String.raw`gets .*5 ${category.slice(0, 8)}\.\.\. \(${category}\)`));
  });
}

test('verify › given two tokens of one symbol › their amounts are told apart', async (t) => {
  const { category, words } = await wordsWithSymbol(t, 'gems');
  t.regex(words ?? '', new RegExp(String.raw`gets .*5 gems \(${category}\)`));
});

test('verify › given an NFT that is burnt or moves to somebody else › the words say so', async (t) => {
  const treasury = await openTreasury(t);
  const file = await payment(treasury);
  const { check } = await elsewhere(t, treasury);
  const category = Uint8Array.from(Buffer.from('ab'.repeat(32), 'hex'));
  const nft = { capability: 'minting', commitment: Uint8Array.from([7]) } as const;
  const burning = misstated(file, (sources) => {
    Object.assign(first(sources), { token: { amount: 0n, category, nft } });
  });
  const burnt = await check(burning, { offline: true });
  const words = `an NFT (minting, "07") of ${'ab'.repeat(32)}`;
  t.true(first(burnt.parties).words.startsWith('pays '));
  t.true(first(burnt.parties).words.endsWith(` and ${words}`), first(burnt.parties).words);
  t.true(burnt.notes.includes(`${words} is burnt`), burnt.notes.join());
  const moving = bent(burning, ({ outputs }) => {
    Object.assign(first(outputs), { token: { amount: 0n, category, nft } });
  });
  const moved = await check(moving, { offline: true });
  t.deepEqual(moved.notes, []);
  const bobs = moved.parties.find(({ party }) => party === treasury.addressOf(bob).text);
  t.is(bobs?.words, `gets 0.001 BCH and ${words}`);
});

test('verify › given tokens that nobody gets › it is said that they are burnt', async (t) => {
  const treasury = await openTreasury(t);
  await treasury.give(alice, 1_000_000n);
  const category = await treasury.mint(alice, '1000', 2);
  const input = { to: treasury.addressOf(bob).text, amount: '5', tokenCategory: category };
  const { wcTransaction } = await treasury.ask(alice, 'wallet.send', input);
  const { check } = await elsewhere(t, treasury);
  const reply = await check(
    bent(wcTransaction as Json, ({ outputs }) => {
      for (const output of outputs) if (output.token !== undefined) output.token.amount = 1n;
    }),
  );
  t.regex(reply.notes.join('\n'), new RegExp(`\\d+ smallest units of the token ${category} are burnt`));
});

test('verify › given a fee that gives money away › it is refused', async (t) => {
  const treasury = await openTreasury(t);
  const file = await payment(treasury);
  const { check } = await elsewhere(t, treasury);
  const reply = await check(
    bent(file, ({ outputs }) => {
      const change = outputs.at(-1);
      if (change !== undefined) change.valueSatoshis -= 500_000n;
    }),
  );
  t.is(reply.code, 'tx_mismatch');
  t.regex(failed(reply), /fee: it is 0\.00500\d+ BCH, \d+ times what a transaction of this size needs/);
});

test('verify › given an input that waits from when its coin was mined › it is not said to be minable at once', async (t) => {
  const treasury = await openTreasury(t);
  const file = await payment(treasury);
  const { check } = await elsewhere(t, treasury);
  const from = async (version: number, sequenceNumber: number): Promise<string> => {
    const waiting = bent(file, (transaction) => {
      transaction.version = version;
      first(transaction.inputs).sequenceNumber = sequenceNumber;
    });
    return (await check(waiting)).from;
  };
  t.is(await from(2, 1000), 'once what input 0 spends is 1000 blocks old');
  t.is(await from(2, 0x0040_0000 + 338), 'once what input 0 spends is 2 days 4 minutes 16 seconds old');
  for (const [version, sequence] of [
    [1, 1000],
    [2, 0xfffffffe],
    [2, 0],
  ] as const)
    t.is(await from(version, sequence), 'at once');
});
