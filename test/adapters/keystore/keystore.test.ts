import test, { type ExecutionContext } from 'ava';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { alice, bob, PEOPLE_MNEMONIC } from '../../../fixtures/people.js';
import { openKeystore, type KeystoreSettings } from '../../../src/adapters/keystore/keystore.js';
import { encodeWif } from '../../../src/bch/keys.js';
import { TreasuryError, type ErrorCode } from '../../../src/errors.js';
import type { KeysPort } from '../../../src/operation/ports/keys.js';

/** The least that the file format allows, so that the tests are quick. */
const cost = { N: 2 ** 14, r: 8, p: 1 };
const WORD = 'correct horse';

/** Different bytes at every call, the same in every run. */
const countingRandom = () => {
  let calls = 0;
  return (length: number): Uint8Array => {
    calls += 1;
    return new Uint8Array(createHash('sha512').update(String(calls)).digest().subarray(0, length));
  };
};

type Stored = { wallets: (Record<string, unknown> & { secret: Record<string, unknown> })[] } & Record<
  string,
  unknown
>;

type Home = {
  readonly folder: string;
  readonly file: string;
  /** A new process, as far as the keystore can tell. */
  readonly open: (settings?: Partial<KeystoreSettings>) => KeysPort;
  readonly read: () => Stored;
  readonly change: (change: (stored: Stored) => void) => void;
};

const makeHome = (t: ExecutionContext): Home => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'treasury-'));
  t.teardown(() => {
    fs.rmSync(folder, { recursive: true });
  });
  const file = path.join(folder, 'keystore.json');
  const random = countingRandom();
  let now = 1_700_000_000;
  const read = () => JSON.parse(fs.readFileSync(file, 'utf8')) as Stored;
  return {
    folder,
    file,
    open: (settings = {}) =>
      openKeystore({
        folder,
        network: 'chipnet',
        askPassphrase: () => Promise.resolve(WORD),
        now: () => (now += 1),
        random,
        cost,
        ...settings,
      }),
    read,
    change: (change) => {
      const stored = read();
      change(stored);
      fs.writeFileSync(file, JSON.stringify(stored));
    },
  };
};

const nobody = () => Promise.resolve(null);

const refuses = async (
  t: ExecutionContext,
  code: ErrorCode,
  work: () => Promise<unknown>,
): Promise<TreasuryError> => {
  const error = await t.throwsAsync(work, { instanceOf: TreasuryError });
  t.is(error.code, code);
  return error as TreasuryError;
};

// Making wallets

test('create › a wallet with a passphrase › another process unlocks it and signs with the same key', async (t) => {
  const home = makeHome(t);
  const { wallet, mnemonic } = await home.open().create({ name: 'main', passphrase: WORD });
  const signer = await home.open().unlock('main');
  t.is(mnemonic.split(' ').length, 12);
  t.is(signer.address.text, wallet.address.text);
  t.is(Buffer.from(signer.publicKey).toString('hex'), wallet.publicKey);
});

test('create › its answer › it says how the wallet was made and kept', async (t) => {
  const { wallet } = await makeHome(t).open().create({ name: 'main', passphrase: WORD });
  const { address, publicKey, ...rest } = wallet;
  t.regex(address.text, /^bchtest:q/);
  t.regex(publicKey, /^0[23][0-9a-f]{64}$/);
  t.deepEqual(rest, {
    name: 'main',
    origin: 'seed',
    path: "m/44'/145'/0'/0/0",
    app: null,
    sessionEndsAt: null,
    encrypted: true,
    isDefault: true,
    isAuthority: false,
    createdAt: 1_700_000_001,
  });
});

test('create › the phrase it gave out › imported elsewhere it is the same address', async (t) => {
  const { wallet, mnemonic } = await makeHome(t).open().create({ name: 'main', passphrase: WORD });
  const copy = await makeHome(t).open().import({ name: 'copy', passphrase: WORD, mnemonic });
  t.is(copy.address.text, wallet.address.text);
});

test('create › the file › only its owner may read it', async (t) => {
  const home = makeHome(t);
  await home.open().create({ name: 'main', passphrase: WORD });
  t.is(fs.statSync(home.file).mode & 0o777, 0o600);
  fs.chmodSync(home.file, 0o644);
  await home.open().create({ name: 'next', passphrase: WORD });
  t.is(fs.statSync(home.file).mode & 0o777, 0o600);
});

test('create › the file › it holds neither the phrase nor the key nor the passphrase', async (t) => {
  const home = makeHome(t);
  const { mnemonic } = await home.open().create({ name: 'main', passphrase: WORD });
  const { privateKey } = await home.open().unlock('main');
  const { wif } = await home.open().export('main');
  const text = fs.readFileSync(home.file, 'utf8');
  for (const secret of [mnemonic, Buffer.from(privateKey).toString('hex'), wif, WORD]) {
    t.false(text.includes(secret));
  }
});

test('create › no cost given › scrypt runs with N=2^17, r=8, p=1, and the file says so', async (t) => {
  const home = makeHome(t);
  const keys = openKeystore({
    folder: home.folder,
    network: 'chipnet',
    askPassphrase: () => Promise.resolve(WORD),
    now: () => 0,
    random: countingRandom(),
  });
  await keys.create({ name: 'main', passphrase: WORD });
  t.deepEqual(home.read().wallets[0]?.secret.cost, { N: 131_072, r: 8, p: 1 });
  await t.notThrowsAsync(() => home.open().unlock('main'));
});

test('create › wallets of two costs in one file › both unlock', async (t) => {
  const home = makeHome(t);
  await home.open().create({ name: 'old', passphrase: WORD });
  await home.open({ cost: { ...cost, p: 2 } }).create({ name: 'new', passphrase: WORD });
  await t.notThrowsAsync(() => home.open().unlock('old'));
  await t.notThrowsAsync(() => home.open().unlock('new'));
});

for (const name of ['', 'Main', 'my wallet', '-main', 'a_b', 'é', '../main', 'a'.repeat(41)]) {
  test(`create › the name "${name}" › invalid_input names the rule`, async (t) => {
    const home = makeHome(t);
    const error = await refuses(t, 'invalid_input', () => home.open().create({ name, passphrase: WORD }));
    t.regex(error.message, /lower-case letters, digits and dashes/);
    t.false(fs.existsSync(home.file));
  });
}

test('create › a name that is taken › wallet_exists, and the wallet stays', async (t) => {
  const home = makeHome(t);
  const { wallet } = await home.open().create({ name: 'main', passphrase: WORD });
  await refuses(t, 'wallet_exists', () => home.open().create({ name: 'main', passphrase: WORD }));
  t.is((await home.open().show('main')).publicKey, wallet.publicKey);
});

test('create › an empty passphrase › invalid_input', async (t) => {
  const home = makeHome(t);
  await refuses(t, 'invalid_input', () => home.open().create({ name: 'main', passphrase: '' }));
});

for (const network of ['local', 'regtest'] as const) {
  test(`create › no passphrase on ${network} › the wallet needs none`, async (t) => {
    const home = makeHome(t);
    const keys = home.open({ network, askPassphrase: nobody });
    const { wallet } = await keys.create({ name: 'main', passphrase: null });
    t.false(wallet.encrypted);
    const again = home.open({ network, askPassphrase: nobody });
    t.is((await again.unlock('main')).address.text, wallet.address.text);
  });
}

for (const network of ['chipnet', 'testnet4', 'mainnet'] as const) {
  test(`create › no passphrase on ${network} and nobody to ask › missing_value, and nothing is kept`, async (t) => {
    const home = makeHome(t);
    const keys = home.open({ network, askPassphrase: nobody });
    await refuses(t, 'missing_value', () => keys.create({ name: 'main', passphrase: null }));
    t.false(fs.existsSync(home.file));
  });
}

test('create › no passphrase on mainnet and somebody to ask › a new one is asked for and used', async (t) => {
  const home = makeHome(t);
  const asked: string[] = [];
  const askPassphrase: KeystoreSettings['askPassphrase'] = (name, purpose) => {
    asked.push(`${name} ${purpose}`);
    return Promise.resolve(WORD);
  };
  await home.open({ network: 'mainnet', askPassphrase }).create({ name: 'main', passphrase: null });
  await home.open({ network: 'mainnet', askPassphrase }).unlock('main');
  t.deepEqual(asked, ['main new', 'main unlock']);
});

test('create › two processes at the same time › no wallet is lost', async (t) => {
  const home = makeHome(t);
  const script = fileURLToPath(new URL('wallet-maker.js', import.meta.url));
  const makers = ['left', 'right'].map((prefix) =>
    spawn(process.execPath, [script, home.folder, prefix, '8'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  );
  const ends = makers.map((maker) => once(maker, 'exit'));
  await Promise.all(makers.map((maker) => once(maker.stdout, 'data')));
  for (const maker of makers) maker.stdin.write('go\n');
  t.deepEqual(await Promise.all(ends), [
    [0, null],
    [0, null],
  ]);
  const names = (await home.open({ network: 'local' }).list()).map(({ name }) => name).sort();
  t.deepEqual(
    names,
    ['left', 'right'].flatMap((prefix) => Array.from({ length: 8 }, (_, index) => `${prefix}-${index}`)),
  );
});

test('create › the same name in two calls at once › one of them is wallet_exists', async (t) => {
  const home = makeHome(t);
  const results = await Promise.allSettled(
    [1, 2].map(() => home.open().create({ name: 'main', passphrase: WORD })),
  );
  const refused = results.flatMap((result) =>
    result.status === 'rejected' ? [result.reason as TreasuryError] : [],
  );
  t.deepEqual(
    refused.map(({ code }) => code),
    ['wallet_exists'],
  );
  t.is((await home.open().list()).length, 1);
});

// Importing

test('import › a seed phrase › the wallet is its key at the default path', async (t) => {
  const wallet = await makeHome(t)
    .open()
    .import({ name: 'alice', passphrase: WORD, mnemonic: PEOPLE_MNEMONIC });
  t.is(wallet.address.text, alice.address('chipnet').text);
});

test('import › a seed phrase with a path › the wallet is the key there, also after unlocking', async (t) => {
  const home = makeHome(t);
  const bobsPath = "m/44'/145'/0'/0/1";
  const wallet = await home
    .open()
    .import({ name: 'bob', passphrase: WORD, mnemonic: PEOPLE_MNEMONIC, path: bobsPath });
  t.is(wallet.path, bobsPath);
  t.deepEqual((await home.open().unlock('bob')).privateKey, bob.privateKey);
});

test('import › a WIF › the wallet is that key and has no path', async (t) => {
  const home = makeHome(t);
  const wif = encodeWif(alice.privateKey, 'chipnet');
  const wallet = await home.open().import({ name: 'alice', passphrase: WORD, wif });
  t.like(wallet, { origin: 'wif', path: null });
  t.deepEqual((await home.open().unlock('alice')).privateKey, alice.privateKey);
});

test('import › a phrase with a wrong checksum › invalid_input, and nothing is kept', async (t) => {
  const home = makeHome(t);
  const mnemonic = PEOPLE_MNEMONIC.replace('junk', 'test');
  await refuses(t, 'invalid_input', () => home.open().import({ name: 'alice', passphrase: WORD, mnemonic }));
  t.false(fs.existsSync(home.file));
});

test('import › a WIF of another network › invalid_input', async (t) => {
  const wif = encodeWif(alice.privateKey, 'mainnet');
  await refuses(t, 'invalid_input', () =>
    makeHome(t).open().import({ name: 'alice', passphrase: WORD, wif }),
  );
});

// Showing

test('list › an empty folder › no wallets, and no file is made', async (t) => {
  const home = makeHome(t);
  t.deepEqual(await home.open().list(), []);
  t.deepEqual(fs.readdirSync(home.folder), []);
});

test('list › wallets made by another process › they are seen at once, in order', async (t) => {
  const home = makeHome(t);
  const reader = home.open();
  await home.open().create({ name: 'one', passphrase: WORD });
  await home.open().create({ name: 'two', passphrase: WORD });
  t.deepEqual(
    (await reader.list()).map(({ name, isDefault }) => [name, isDefault]),
    [
      ['one', true],
      ['two', false],
    ],
  );
});

test('show › a name that is not there › wallet_not_found', async (t) => {
  const error = await refuses(t, 'wallet_not_found', () => makeHome(t).open().show('nobody'));
  t.is(error.details.name, 'nobody');
});

test('show › no name and no wallet › wallet_not_found', async (t) => {
  await refuses(t, 'wallet_not_found', () => makeHome(t).open().show());
});

test('use › another wallet › it is the default, also for other processes', async (t) => {
  const home = makeHome(t);
  await home.open().create({ name: 'one', passphrase: WORD });
  await home.open().create({ name: 'two', passphrase: WORD });
  t.true((await home.open().use('two')).isDefault);
  t.is((await home.open().show()).name, 'two');
});

test('use › a name that is not there › wallet_not_found, and the default stays', async (t) => {
  const home = makeHome(t);
  await home.open().create({ name: 'one', passphrase: WORD });
  await refuses(t, 'wallet_not_found', () => home.open().use('two'));
  t.is((await home.open().show()).name, 'one');
});

// Unlocking

test('unlock › a wrong passphrase › wrong_passphrase names the wallet', async (t) => {
  const home = makeHome(t);
  await home.open().create({ name: 'main', passphrase: WORD });
  const keys = home.open({ askPassphrase: () => Promise.resolve('wrong horse') });
  const error = await refuses(t, 'wrong_passphrase', () => keys.unlock('main'));
  t.deepEqual(error.details, { wallet: 'main' });
});

test('unlock › a wrong passphrase, then the right one › it unlocks', async (t) => {
  const home = makeHome(t);
  await home.open().create({ name: 'main', passphrase: WORD });
  const answers = ['wrong horse', WORD];
  const keys = home.open({ askPassphrase: () => Promise.resolve(answers.shift() ?? null) });
  await refuses(t, 'wrong_passphrase', () => keys.unlock('main'));
  await t.notThrowsAsync(() => keys.unlock('main'));
});

test('unlock › nobody to ask › wallet_locked', async (t) => {
  const home = makeHome(t);
  await home.open().create({ name: 'main', passphrase: WORD });
  await refuses(t, 'wallet_locked', () => home.open({ askPassphrase: nobody }).unlock('main'));
});

test('unlock › the same passphrase composed otherwise › it unlocks', async (t) => {
  const home = makeHome(t);
  await home.open().create({ name: 'main', passphrase: 'caf\u00e9' });
  const keys = home.open({ askPassphrase: () => Promise.resolve('cafe\u0301') });
  await t.notThrowsAsync(() => keys.unlock('main'));
});

test('unlock › several times, also at once › the passphrase is asked for once', async (t) => {
  const home = makeHome(t);
  await home.open().create({ name: 'main', passphrase: WORD });
  let asked = 0;
  const keys = home.open({
    askPassphrase: () => {
      asked += 1;
      return Promise.resolve(WORD);
    },
  });
  await Promise.all([keys.unlock('main'), keys.unlock()]);
  await keys.unlock('main');
  t.is(asked, 1);
});

test('unlock › a wallet this process has made › nobody is asked', async (t) => {
  const keys = makeHome(t).open({ askPassphrase: nobody });
  await keys.create({ name: 'main', passphrase: WORD });
  await t.notThrowsAsync(() => keys.unlock('main'));
});

// Tampering

const tamperings: readonly [what: string, code: ErrorCode, change: (stored: Stored) => void][] = [
  [
    'the secrets of two wallets swapped',
    'store_damaged',
    ({ wallets }) => {
      const [one, two] = wallets;
      if (one !== undefined && two !== undefined) [one.secret, two.secret] = [two.secret, one.secret];
    },
  ],
  [
    'another name',
    'store_damaged',
    ({ wallets }) => {
      const [one, two] = wallets;
      if (one !== undefined && two !== undefined) [one.name, two.name] = [two.name, one.name];
    },
  ],
  [
    'another address',
    'store_damaged',
    ({ wallets }) => Object.assign(wallets[0] ?? {}, { address: wallets[1]?.address }),
  ],
  [
    'another public key',
    'store_damaged',
    ({ wallets }) => Object.assign(wallets[0] ?? {}, { publicKey: wallets[1]?.publicKey }),
  ],
  ['another path', 'store_damaged', ({ wallets }) => Object.assign(wallets[0] ?? {}, { path: 'm/0' })],
  [
    'a wallet raised to an authority',
    'store_damaged',
    ({ wallets }) => Object.assign(wallets[0] ?? {}, { isAuthority: true }),
  ],
  [
    'a changed ciphertext',
    'store_damaged',
    ({ wallets }) => {
      const secret = wallets[0]?.secret ?? {};
      secret.ciphertext = String(secret.ciphertext).replace(/^../, (byte) => (byte === '00' ? '01' : '00'));
    },
  ],
  [
    'a changed tag',
    'store_damaged',
    ({ wallets }) => Object.assign(wallets[0]?.secret ?? {}, { tag: '0'.repeat(32) }),
  ],
  ['a shorter tag', 'store_damaged', ({ wallets }) => Object.assign(wallets[0]?.secret ?? {}, { tag: '00' })],
  [
    'another salt',
    'wrong_passphrase',
    ({ wallets }) => Object.assign(wallets[0]?.secret ?? {}, { salt: '0'.repeat(32) }),
  ],
  [
    'a cost of nothing',
    'store_damaged',
    ({ wallets }) => Object.assign(wallets[0]?.secret ?? {}, { cost: { N: 2, r: 1, p: 1 } }),
  ],
  [
    'a cost beyond any memory',
    'store_damaged',
    ({ wallets }) => Object.assign(wallets[0]?.secret ?? {}, { cost: { N: 2 ** 30, r: 8, p: 1 } }),
  ],
  ['no wallets at all', 'store_damaged', (stored) => Object.assign(stored, { wallets: 7 })],
  ['a newer version', 'store_too_new', (stored) => Object.assign(stored, { version: 3 })],
];

for (const [what, code, change] of tamperings) {
  test(`tampering › ${what} › ${code}`, async (t) => {
    const home = makeHome(t);
    await home.open().create({ name: 'one', passphrase: WORD });
    await home.open().create({ name: 'two', passphrase: WORD });
    home.change(change);
    await refuses(t, code, () => home.open().unlock('one'));
  });
}

test('tampering › the key of a wallet without a passphrase replaced › store_damaged', async (t) => {
  const home = makeHome(t);
  await home.open({ network: 'local' }).create({ name: 'one', passphrase: null });
  home.change(({ wallets }) => Object.assign(wallets[0]?.secret ?? {}, { text: PEOPLE_MNEMONIC }));
  await refuses(t, 'store_damaged', () => home.open({ network: 'local' }).unlock('one'));
});

test('tampering › a wallet without a passphrase with no phrase in it › store_damaged', async (t) => {
  const home = makeHome(t);
  await home.open({ network: 'local' }).create({ name: 'one', passphrase: null });
  home.change(({ wallets }) => Object.assign(wallets[0]?.secret ?? {}, { text: 'no phrase' }));
  await refuses(t, 'store_damaged', () => home.open({ network: 'local' }).unlock('one'));
});

test('tampering › an address that is not that of the key › it is not even shown', async (t) => {
  const home = makeHome(t);
  await home.open({ network: 'local' }).create({ name: 'one', passphrase: null });
  home.change(({ wallets }) => Object.assign(wallets[0] ?? {}, { address: bob.address('local').text }));
  await refuses(t, 'store_damaged', () => home.open({ network: 'local' }).show('one'));
});

test('tampering › a file cut short › store_damaged, and nothing is written over it', async (t) => {
  const home = makeHome(t);
  await home.open().create({ name: 'one', passphrase: WORD });
  const torn = fs.readFileSync(home.file, 'utf8').slice(0, -20);
  fs.writeFileSync(home.file, torn);
  await refuses(t, 'store_damaged', () => home.open().list());
  await refuses(t, 'store_damaged', () => home.open().create({ name: 'two', passphrase: WORD }));
  t.is(fs.readFileSync(home.file, 'utf8'), torn);
});

test('tampering › the file of another network › network_mismatch', async (t) => {
  const home = makeHome(t);
  await home.open({ network: 'local' }).create({ name: 'one', passphrase: null });
  const error = await refuses(t, 'network_mismatch', () => home.open({ network: 'chipnet' }).list());
  t.like(error.details, { found: 'local', expected: 'chipnet' });
});

// Exporting

test('export › a wallet from a seed › phrase, path and WIF', async (t) => {
  const home = makeHome(t);
  await home.open().import({ name: 'alice', passphrase: WORD, mnemonic: PEOPLE_MNEMONIC });
  t.deepEqual(await home.open().export('alice'), {
    mnemonic: PEOPLE_MNEMONIC,
    path: "m/44'/145'/0'/0/0",
    wif: encodeWif(alice.privateKey, 'chipnet'),
  });
});

test('export › a wallet from a WIF › that WIF, without phrase and path', async (t) => {
  const home = makeHome(t);
  const wif = encodeWif(bob.privateKey, 'chipnet');
  await home.open().import({ name: 'bob', passphrase: WORD, wif });
  t.deepEqual(await home.open().export('bob'), { mnemonic: null, path: null, wif });
});

test('export › an unlocked wallet › the passphrase is asked for all the same', async (t) => {
  const keys = makeHome(t).open({ askPassphrase: nobody });
  await keys.create({ name: 'main', passphrase: WORD });
  await refuses(t, 'wallet_locked', () => keys.export('main'));
});

// The authority

test('authority › none was made › authority_missing', async (t) => {
  const home = makeHome(t);
  await home.open().create({ name: 'main', passphrase: WORD });
  await refuses(t, 'authority_missing', () => home.open().authority());
  await refuses(t, 'authority_missing', () => home.open().authorityPublicKey());
});

test('authority › the only wallet › it is not the default', async (t) => {
  const keys = makeHome(t).open();
  const { wallet } = await keys.create({ name: 'authority', passphrase: WORD, isAuthority: true });
  t.like(wallet, { isAuthority: true, isDefault: false });
  await refuses(t, 'wallet_not_found', () => keys.show());
});

test('authority › after a rotation › the newest answers, and the older one by its key', async (t) => {
  const home = makeHome(t);
  const first = await home.open().create({ name: 'authority', passphrase: WORD, isAuthority: true });
  const second = await home.open().create({ name: 'authority-2', passphrase: WORD, isAuthority: true });
  const keys = home.open();
  t.is((await keys.authority()).name, 'authority-2');
  t.is(await keys.authorityPublicKey(), second.wallet.publicKey);
  t.is((await keys.authority(first.wallet.publicKey)).name, 'authority');
});

test('authority › a key that is no authority’s › authority_missing', async (t) => {
  const home = makeHome(t);
  const { wallet } = await home.open().create({ name: 'main', passphrase: WORD });
  await home.open().create({ name: 'authority', passphrase: WORD, isAuthority: true });
  await refuses(t, 'authority_missing', () => home.open().authority(wallet.publicKey));
});

test('authority › nobody to ask › authority_locked, and its public key is known all the same', async (t) => {
  const home = makeHome(t);
  const { wallet } = await home.open().create({ name: 'authority', passphrase: WORD, isAuthority: true });
  const keys = home.open({ askPassphrase: nobody });
  await refuses(t, 'authority_locked', () => keys.authority());
  t.is(await keys.authorityPublicKey(), wallet.publicKey);
});

test('authority › a wrong passphrase › wrong_passphrase', async (t) => {
  const home = makeHome(t);
  await home.open().create({ name: 'authority', passphrase: WORD, isAuthority: true });
  await refuses(t, 'wrong_passphrase', () =>
    home.open({ askPassphrase: () => Promise.resolve('no') }).authority(),
  );
});
