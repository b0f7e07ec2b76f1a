import {
  binToHex,
  hash160,
  hashTransaction,
  hexToBin,
  stringify,
  type Output as LibauthOutput,
  type Transaction as LibauthTransaction,
} from '@bitauth/libauth';
import test, { type ExecutionContext } from 'ava';
import { compileString } from 'cashc';
import {
  Contract,
  HashType,
  MockNetworkProvider,
  placeholderP2PKHUnlocker,
  placeholderPublicKey,
  placeholderSignature,
  SignatureTemplate,
  TransactionBuilder,
  type Unlocker,
  type WcSourceOutput,
} from 'cashscript';
import { alice, authority, bob, type Person } from '../../fixtures/people.js';
import { toLibauthOutput } from '../../src/bch/transaction.js';
import { STAND_IN_PRIVATE_KEY, STAND_IN_PUBLIC_KEY, verifyAsParty } from '../../src/bch/virtual-machine.js';
import {
  decodeWalletTransaction,
  encodeWalletTransaction,
  preflight,
  signWalletTransaction,
  verifyTransaction,
  type SigningRequest,
} from '../../src/bch/wallet-transaction.js';
import { TreasuryError, type ErrorCode } from '../../src/errors.js';

/** The owner, by hash, takes the coin together with the authority, and must pay `amount` in output 0. */
const Payout = compileString(`
  pragma cashscript ^0.12.0;
  contract Payout(bytes20 ownerHash, pubkey authority, int amount) {
    function take(pubkey owner, sig ownerSig, sig authoritySig) {
      require(hash160(owner) == ownerHash, "only the owner");
      require(checkSig(ownerSig, owner));
      require(checkSig(authoritySig, authority));
      require(tx.outputs[0].value == amount, "the amount is fixed");
    }
  }`);

/** The contract holds the key itself. */
const Held = compileString(`
  pragma cashscript ^0.12.0;
  contract Held(pubkey owner) {
    function take(pubkey key, sig signature) {
      require(key == owner);
      require(checkSig(signature, key));
    }
  }`);

/** Two keys, both held by the contract, sign. */
const Both = compileString(`
  pragma cashscript ^0.12.0;
  contract Both(pubkey first, pubkey second) {
    function take(sig firstSig, sig secondSig) {
      require(checkSig(firstSig, first));
      require(checkSig(secondSig, second));
    }
  }`);

/** Two signatures of one person, which no wallet gives at once. */
const Twice = compileString(`
  pragma cashscript ^0.12.0;
  contract Twice(bytes20 ownerHash) {
    function take(pubkey owner, sig first, sig second) {
      require(hash160(owner) == ownerHash);
      require(checkSig(first, owner));
      require(checkSig(second, owner));
    }
  }`);

const AMOUNT = 20_000n;
const LOCKTIME = 1_700_000_000;
const chainTime = { medianTimePast: LOCKTIME + 1 };
const provider = new MockNetworkProvider();
const lockOf = (person: Person): string => person.address('local').lockingBytecode;
const partyOf = (person: Person) => ({ lockingBytecode: lockOf(person) });

const payout = new Contract(Payout, [hash160(alice.publicKey), authority.publicKey, AMOUNT], { provider });
const held = new Contract(Held, [alice.publicKey], { provider });
const both = new Contract(Both, [alice.publicKey, bob.publicKey], { provider });
const twice = new Contract(Twice, [hash160(alice.publicKey)], { provider });
const authoritySignature = new SignatureTemplate(
  authority.privateKey,
  HashType.SIGHASH_ALL | HashType.SIGHASH_UTXOS,
);

const takePayout = (): Unlocker =>
  payout.unlock.take?.(placeholderPublicKey(), placeholderSignature(), authoritySignature) as Unlocker;
const takeHeld = (): Unlocker =>
  held.unlock.take?.(placeholderPublicKey(), placeholderSignature()) as Unlocker;

const takeBoth = (): Unlocker =>
  both.unlock.take?.(placeholderSignature(), placeholderSignature()) as Unlocker;

type Change = {
  readonly unlocker?: Unlocker;
  readonly amount?: bigint;
  readonly fee?: bigint;
  readonly payer?: Person;
  readonly locktime?: number;
  readonly sequence?: number;
  readonly extra?: { readonly to: Uint8Array; readonly amount: bigint };
};

/** A contract's coin of 20,000 and a coin of the payer's become `amount` for alice and the change. */
const build = (change: Change = {}): SigningRequest => {
  const {
    unlocker = takePayout(),
    amount = AMOUNT,
    fee = 1_000n,
    payer = alice,
    locktime = LOCKTIME,
  } = change;
  const sequence = change.sequence ?? 0xfffffffe;
  const coin = (digit: string, satoshis: bigint) => ({ txid: digit.repeat(64), vout: 0, satoshis });
  const builder = new TransactionBuilder({ provider, maximumFeeSatoshis: 10_000_000n })
    .addInput(coin('a', AMOUNT), unlocker, { sequence })
    .addInput(coin('b', 50_000n), placeholderP2PKHUnlocker(payer.address('local').text), { sequence })
    .addOutput({ to: hexToBin(lockOf(alice)), amount })
    .addOutput({ to: hexToBin(lockOf(payer)), amount: 70_000n - amount - fee - (change.extra?.amount ?? 0n) })
    .setLocktime(locktime);
  if (change.extra !== undefined) builder.addOutput(change.extra);
  const { transaction, sourceOutputs } = builder.generateWcTransactionObject();
  return { transaction, sourceOutputs, broadcast: true, userPrompt: 'Take it' };
};

const signed = (request: SigningRequest, person: Person) =>
  signWalletTransaction(encodeWalletTransaction(request), person);

/** The signed raw transaction with the outputs it spends. */
const resolve = (request: SigningRequest, raw: string) => ({
  transaction: decodeWalletTransaction({ ...encodeWalletTransaction(request), transaction: raw }).transaction,
  sourceOutputs: [...request.sourceOutputs],
});

const unlockingOf = (transaction: LibauthTransaction, index: number): string =>
  binToHex(transaction.inputs[index]?.unlockingBytecode ?? new Uint8Array());

const refuses = (t: ExecutionContext, code: ErrorCode, work: () => unknown): TreasuryError => {
  const error = t.throws(work, { instanceOf: TreasuryError });
  t.is(error.code, code);
  return error as TreasuryError;
};

const replaceInput = (
  request: SigningRequest,
  index: number,
  unlockingBytecode: Uint8Array,
): SigningRequest => {
  const inputs = request.transaction.inputs.map((input, at) =>
    at === index ? { ...input, unlockingBytecode } : input,
  );
  return { ...request, transaction: { ...request.transaction, inputs } };
};

// Encoding

test('wcTransaction › encoded › it is plain JSON that decodes to the same transaction and coins', (t) => {
  const request = build();
  const wire = JSON.parse(JSON.stringify(encodeWalletTransaction(request))) as unknown;
  const decoded = decodeWalletTransaction(wire);
  t.deepEqual(decoded.transaction, request.transaction);
  t.deepEqual(
    decoded.sourceOutputs.map(({ contract: _, ...source }) => source),
    request.sourceOutputs.map(({ contract: _, token: _none, ...source }) => source),
  );
  t.deepEqual(
    decoded.sourceOutputs[0]?.contract?.redeemScript,
    request.sourceOutputs[0]?.contract?.redeemScript,
  );
  t.is(decoded.userPrompt, 'Take it');
  t.true(decoded.broadcast);
});

test('wcTransaction › encoded › the artifact names the contract and leaves source, bytecode and debug out', (t) => {
  const [source] = encodeWalletTransaction(build()).sourceOutputs as {
    contract: { artifact: Record<string, unknown>; abiFunction: { name: string } };
  }[];
  t.is(source?.contract.abiFunction.name, 'take');
  t.deepEqual(Object.keys(source?.contract.artifact ?? {}), ['contractName', 'constructorInputs', 'abi']);
  t.is(source?.contract.artifact.contractName, 'Payout');
});

test('wcTransaction › encoded after an input changed › the source output carries the input’s unlocking bytecode', (t) => {
  const request = replaceInput(build(), 0, Uint8Array.of(0x51));
  const decoded = decodeWalletTransaction(encodeWalletTransaction(request));
  t.deepEqual(decoded.sourceOutputs[0]?.unlockingBytecode, Uint8Array.of(0x51));
});

test('wcTransaction › a token on a coin › it survives the journey', (t) => {
  const request = build();
  const token = {
    amount: 5n,
    category: new Uint8Array(32).fill(7),
    nft: { capability: 'mutable' as const, commitment: Uint8Array.of(1, 2) },
  };
  const [first, second] = request.sourceOutputs as [WcSourceOutput, WcSourceOutput];
  const decoded = decodeWalletTransaction(
    encodeWalletTransaction({ ...request, sourceOutputs: [{ ...first, token }, second] }),
  );
  t.deepEqual(decoded.sourceOutputs[0]?.token, token);
});

test('wcTransaction › the transaction as libauth’s object in extended JSON › it decodes to the same', (t) => {
  const request = build();
  const transaction = JSON.parse(stringify(request.transaction)) as unknown;
  const decoded = decodeWalletTransaction({ ...encodeWalletTransaction(request), transaction });
  t.deepEqual(decoded.transaction, request.transaction);
});

test('wcTransaction › transaction and sourceOutputs as the text of libauth’s stringify › they decode to the same', (t) => {
  const request = build();
  const decoded = decodeWalletTransaction({
    transaction: stringify(request.transaction),
    sourceOutputs: stringify(request.sourceOutputs),
  });
  t.deepEqual(decoded.transaction, request.transaction);
  t.is(decoded.sourceOutputs.length, 2);
});

test('wcTransaction › without broadcast › the wallet is to broadcast, as wc2-bch-bcr says', (t) => {
  const { transaction, sourceOutputs } = encodeWalletTransaction(build());
  t.true(decodeWalletTransaction({ transaction, sourceOutputs }).broadcast);
});

const wire = encodeWalletTransaction(build());
const [firstSource, secondSource] = wire.sourceOutputs as Record<string, unknown>[];

for (const [what, nonsense] of [
  ['null', null],
  ['a number', 7],
  ['text', 'deadbeef'],
  ['an array', []],
  ['no transaction', { sourceOutputs: wire.sourceOutputs }],
  ['a transaction that is not hex', { ...wire, transaction: 'zz' }],
  ['a transaction cut short', { ...wire, transaction: wire.transaction.slice(0, -2) }],
  ['an object that is no transaction', { ...wire, transaction: { version: 2 } }],
  ['a broken JSON text', { ...wire, sourceOutputs: '[{' }],
  ['no sourceOutputs', { transaction: wire.transaction }],
  ['a source output too few', { ...wire, sourceOutputs: [firstSource] }],
  ['a source output too many', { ...wire, sourceOutputs: [firstSource, secondSource, secondSource] }],
  ['source outputs in another order', { ...wire, sourceOutputs: [secondSource, firstSource] }],
  [
    'a source output of another coin',
    { ...wire, sourceOutputs: [firstSource, { ...secondSource, outpointIndex: 1 }] },
  ],
  [
    'satoshis as a number',
    { ...wire, sourceOutputs: [firstSource, { ...secondSource, valueSatoshis: 50_000 }] },
  ],
  [
    'a locking bytecode as hex',
    { ...wire, sourceOutputs: [firstSource, { ...secondSource, lockingBytecode: '76' }] },
  ],
  ['broadcast as text', { ...wire, broadcast: 'yes' }],
] as const) {
  test(`wcTransaction › ${what} › tx_malformed`, (t) => {
    refuses(t, 'tx_malformed', () => decodeWalletTransaction(nonsense));
  });
}

test('wcTransaction › a field that is wrong › the reason names it', (t) => {
  const sourceOutputs = [firstSource, { ...secondSource, lockingBytecode: '76' }];
  const error = refuses(t, 'tx_malformed', () => decodeWalletTransaction({ ...wire, sourceOutputs }));
  t.regex(error.message, /sourceOutputs\.1\.lockingBytecode: expected bytes/);
});

// Signing

test('sign › a contract coin and a coin of the wallet › both are signed and the VM accepts', (t) => {
  const request = build();
  const result = signed(request, alice);
  t.is(result.signedInputs, 2);
  t.notThrows(() => {
    verifyTransaction(resolve(request, result.transaction));
  });
});

test('sign › its answer › the txid is the id of the raw transaction', (t) => {
  const request = build();
  const result = signed(request, alice);
  t.is(result.txid, hashTransaction(hexToBin(result.transaction)));
});

test('sign › every signature › it is 64 bytes Schnorr and the type 0x61', (t) => {
  const request = build();
  const { transaction } = resolve(request, signed(request, alice).transaction);
  const key = binToHex(alice.publicKey);
  t.regex(unlockingOf(transaction, 1), new RegExp(`^41[0-9a-f]{128}6121${key}$`));
  t.regex(unlockingOf(transaction, 0), new RegExp(`41[0-9a-f]{128}6121${key}`));
});

test('sign › the authority’s signature is there already › it stays as it is', (t) => {
  const request = build();
  const before = unlockingOf(request.transaction, 0);
  const present = /41((?!00{64})[0-9a-f]{128})61/.exec(before)?.[0] ?? 'none';
  const after = unlockingOf(resolve(request, signed(request, alice).transaction).transaction, 0);
  t.true(before.startsWith(present));
  t.true(after.startsWith(present));
});

test('sign › two signature placeholders in one input › only the first is filled', (t) => {
  const unlocker = twice.unlock.take?.(
    placeholderPublicKey(),
    placeholderSignature(),
    placeholderSignature(),
  );
  const request = build({ unlocker: unlocker as Unlocker });
  const after = unlockingOf(resolve(request, signed(request, alice).transaction).transaction, 0);
  const empty = `41${'00'.repeat(65)}`;
  t.is(after.split(empty).length - 1, 1);
  t.regex(after, new RegExp(`^41(?!0{128})[0-9a-f]{128}61${empty}21${binToHex(alice.publicKey)}`));
});

test('sign › a P2PKH coin of somebody else › it stays empty', (t) => {
  const request = build({ payer: bob });
  const result = signed(request, alice);
  t.is(result.signedInputs, 1);
  t.is(unlockingOf(resolve(request, result.transaction).transaction, 1), '');
});

test('sign › an own coin that is signed already › it stays as it is', (t) => {
  const once = build();
  const { transaction } = resolve(once, signed(once, alice).transaction);
  const present = transaction.inputs[1]?.unlockingBytecode ?? new Uint8Array();
  const again = signed(replaceInput(once, 1, present), alice);
  t.is(again.signedInputs, 1);
  t.is(unlockingOf(resolve(once, again.transaction).transaction, 1), binToHex(present));
});

test('sign › a public key placeholder alone › it is filled, and does not count as signed', (t) => {
  const request = replaceInput(build(), 0, Uint8Array.from([33, ...placeholderPublicKey()]));
  const result = signed(request, alice);
  t.is(result.signedInputs, 1);
  const { transaction } = resolve(request, result.transaction);
  t.is(unlockingOf(transaction, 0), `21${binToHex(alice.publicKey)}`);
});

test('sign › a contract input whose artifact has no name › wallets leave it alone, and so does this', (t) => {
  const request = build();
  const [first, second] = request.sourceOutputs as [WcSourceOutput, WcSourceOutput];
  const contract = { ...first.contract, artifact: {} } as NonNullable<WcSourceOutput['contract']>;
  t.is(signed({ ...request, sourceOutputs: [{ ...first, contract }, second] }, alice).signedInputs, 1);
});

test('sign › zeros inside the redeem script › they are no placeholder', (t) => {
  const zeros = Uint8Array.from([0x82, ...new Uint8Array(65), 0x41]);
  const unlockingBytecode = Uint8Array.from([0x4c, zeros.length, ...zeros]);
  const request = replaceInput(build(), 0, unlockingBytecode);
  const result = signed(request, alice);
  t.is(result.signedInputs, 1);
  t.is(unlockingOf(resolve(request, result.transaction).transaction, 0), binToHex(unlockingBytecode));
});

test('sign › nothing waits for this key › signing_failed names the wallet', (t) => {
  const once = build();
  const { transaction } = resolve(once, signed(once, alice).transaction);
  const error = refuses(t, 'signing_failed', () =>
    signWalletTransaction(encodeWalletTransaction({ ...once, transaction }), { ...bob, name: 'savings' }),
  );
  t.regex(error.message, /savings/);
});

// Verifying

test('verify › a signature of the wrong person › tx_script_failed names the input', (t) => {
  const request = build({ payer: bob });
  const contractSigned = signed(request, bob);
  const error = refuses(t, 'tx_script_failed', () => {
    verifyTransaction(resolve(request, contractSigned.transaction));
  });
  t.regex(error.message, /input index 0/);
});

const spendPlain = (output: LibauthOutput, source: LibauthOutput): SigningRequest => {
  const input = {
    outpointTransactionHash: new Uint8Array(32).fill(9),
    outpointIndex: 1,
    sequenceNumber: 0,
    unlockingBytecode: new Uint8Array(),
  };
  const transaction = { version: 2, locktime: 0, inputs: [input], outputs: [output] };
  return { transaction, sourceOutputs: [{ ...input, ...source }], broadcast: false };
};

const own = (satoshis: bigint, tokens?: bigint): LibauthOutput =>
  toLibauthOutput({
    lockingBytecode: lockOf(alice),
    satoshis,
    ...(tokens === undefined ? {} : { token: { category: '5'.repeat(64), amount: tokens } }),
  });

for (const [what, code, request] of [
  ['tokens out of nothing', 'tx_token_rule', spendPlain(own(5_000n, 6n), own(10_000n, 5n))],
  ['more satoshis than there are', 'tx_fee_too_low', spendPlain(own(5_000n), own(4_000n))],
  ['dust', 'tx_dust', spendPlain(own(500n), own(10_000n))],
] as const) {
  test(`verify › ${what} › ${code}`, (t) => {
    const error = refuses(t, code, () => {
      verifyTransaction(resolve(request, signed(request, alice).transaction));
    });
    t.notRegex(error.message, /Unable to verify|violates token validation/);
  });
}

test('verify › no outputs › tx_malformed', (t) => {
  const request = spendPlain(own(5_000n), own(10_000n));
  refuses(t, 'tx_malformed', () => {
    verifyTransaction({ transaction: { ...request.transaction, outputs: [] }, sourceOutputs: [own(1n)] });
  });
});

// Preflight

test('preflight › an unsigned transaction › it passes, with the size and fee that the signed one has', (t) => {
  const request = build();
  const result = preflight(request, partyOf(alice), chainTime);
  const { transaction } = signed(request, alice);
  t.deepEqual(result, { size: transaction.length / 2, fee: 1_000n });
});

test('preflight › what passed › signed by the real wallet it is valid', (t) => {
  const request = build();
  preflight(request, partyOf(alice), chainTime);
  t.notThrows(() => {
    verifyTransaction(resolve(request, signed(request, alice).transaction));
  });
});

test('preflight › another amount than the covenant fixes › tx_script_failed', (t) => {
  const request = build({ amount: AMOUNT + 1n });
  const error = refuses(t, 'tx_script_failed', () => preflight(request, partyOf(alice), chainTime));
  t.regex(error.message, /input index 0/);
});

test('preflight › a party that the covenant does not name › tx_script_failed', (t) => {
  refuses(t, 'tx_script_failed', () => preflight(build({ payer: bob }), partyOf(bob), chainTime));
});

test('preflight › an authority signature over another transaction › tx_script_failed', (t) => {
  const other = build({ fee: 2_000n }).transaction.inputs[0]?.unlockingBytecode ?? new Uint8Array();
  refuses(t, 'tx_script_failed', () => preflight(replaceInput(build(), 0, other), partyOf(alice), chainTime));
});

test('preflight › a coin of somebody else, unsigned › tx_script_failed', (t) => {
  refuses(t, 'tx_script_failed', () => preflight(build({ payer: bob }), partyOf(alice), chainTime));
});

test('preflight › a contract that holds the key itself › it passes when the key is given', (t) => {
  const request = build({ unlocker: takeHeld() });
  t.notThrows(() => preflight(request, { ...partyOf(alice), publicKey: alice.publicKey }, chainTime));
});

test('preflight › a contract that holds the key itself › without the key it is refused', (t) => {
  refuses(t, 'tx_script_failed', () => preflight(build({ unlocker: takeHeld() }), partyOf(alice), chainTime));
});

test('preflight › a key that does not belong to the party’s address › tx_script_failed', (t) => {
  refuses(t, 'tx_script_failed', () =>
    preflight(build(), { ...partyOf(alice), publicKey: bob.publicKey }, chainTime),
  );
});

test('preflight › two signatures of two keys › the co-signer’s passes when the key is given', (t) => {
  const request = build({ unlocker: takeBoth() });
  const party = { ...partyOf(alice), publicKey: alice.publicKey };
  t.notThrows(() => preflight(request, { ...party, coSignerKeys: [bob.publicKey] }, chainTime));
  refuses(t, 'tx_script_failed', () =>
    preflight(request, { ...party, coSignerKeys: [authority.publicKey] }, chainTime),
  );
  refuses(t, 'tx_script_failed', () => preflight(request, party, chainTime));
});

test('preflight › a co-signer for whom no placeholder is left › signing_failed', (t) => {
  const party = { ...partyOf(alice), publicKey: alice.publicKey, coSignerKeys: [bob.publicKey] };
  refuses(t, 'signing_failed', () => preflight(build({ unlocker: takeHeld() }), party, chainTime));
});

test('preflight › parties in turn › one does not pass for the other', (t) => {
  t.notThrows(() => preflight(build(), partyOf(alice), chainTime));
  refuses(t, 'tx_script_failed', () => preflight(build({ payer: bob }), partyOf(bob), chainTime));
  t.notThrows(() => preflight(build(), partyOf(alice), chainTime));
});

test('preflight › signed by the stand-in in the party’s place › only the cast VM accepts it', (t) => {
  const request = build();
  const standIn = {
    publicKey: STAND_IN_PUBLIC_KEY,
    privateKey: STAND_IN_PRIVATE_KEY,
    lockingBytecode: lockOf(alice),
  };
  const wire = encodeWalletTransaction(request);
  const resolved = resolve(request, signWalletTransaction(wire, standIn).transaction);
  t.notThrows(() => {
    verifyAsParty(resolved, { keyHash: hash160(alice.publicKey) });
  });
  refuses(t, 'tx_script_failed', () => {
    verifyTransaction(resolved);
  });
});

test('preflight › a fee of exactly 1 satoshi a byte › it passes', (t) => {
  const { size } = preflight(build(), partyOf(alice), chainTime);
  t.is(preflight(build({ fee: BigInt(size) }), partyOf(alice), chainTime).fee, BigInt(size));
});

test('preflight › a fee one satoshi below its size › tx_fee_too_low', (t) => {
  const { size } = preflight(build(), partyOf(alice), chainTime);
  const error = refuses(t, 'tx_fee_too_low', () =>
    preflight(build({ fee: BigInt(size) - 1n }), partyOf(alice), chainTime),
  );
  t.like(error.details, { size, fee: size - 1, minimum: size });
});

test('preflight › an output of 545 satoshis › tx_dust names it', (t) => {
  const extra = { to: hexToBin(lockOf(bob)), amount: 546n };
  t.notThrows(() => preflight(build({ extra }), partyOf(alice), chainTime));
  const error = refuses(t, 'tx_dust', () =>
    preflight(spendPlain(own(545n), own(10_000n)), partyOf(alice), chainTime),
  );
  t.like(error.details, { output: 0, satoshis: 545, minimum: 546 });
});

test('preflight › an OP_RETURN output of nothing › it is no dust', (t) => {
  t.notThrows(() =>
    preflight(build({ extra: { to: hexToBin('6a0142'), amount: 0n } }), partyOf(alice), chainTime),
  );
});

test('preflight › more than 100,000 bytes › tx_too_large', (t) => {
  const one = spendPlain(own(5_000n), own(4_000_000n));
  const outputs = Array.from({ length: 3_000 }, () => own(1_000n));
  const request = { ...one, transaction: { ...one.transaction, outputs } };
  refuses(t, 'tx_too_large', () => preflight(request, partyOf(alice), chainTime));
});

test('preflight › a locktime that median time past has not passed › tx_not_final with the seconds left', (t) => {
  const error = refuses(t, 'tx_not_final', () =>
    preflight(build(), partyOf(alice), { medianTimePast: LOCKTIME - 9 }),
  );
  t.is(error.details.secondsLeft, 10);
  refuses(t, 'tx_not_final', () => preflight(build(), partyOf(alice), { medianTimePast: LOCKTIME }));
});

test('preflight › a later locktime with final sequences › it does not apply', (t) => {
  t.notThrows(() => preflight(build({ sequence: 0xffffffff }), partyOf(alice), { medianTimePast: 0 }));
});

test('preflight › a height as locktime › the next block must be above it', (t) => {
  const request = build({ locktime: 100 });
  t.notThrows(() => preflight(request, partyOf(alice), { ...chainTime, height: 100 }));
  refuses(t, 'tx_not_final', () => preflight(request, partyOf(alice), { ...chainTime, height: 99 }));
});

test('preflight › a party that is no P2PKH wallet › signing_failed', (t) => {
  refuses(t, 'signing_failed', () =>
    preflight(build(), { lockingBytecode: 'a914'.padEnd(46, '0') }, chainTime),
  );
});

test('preflight › nothing for the party to sign › signing_failed', (t) => {
  const request = spendPlain(own(5_000n), own(10_000n));
  refuses(t, 'signing_failed', () => preflight(request, partyOf(bob), chainTime));
});
