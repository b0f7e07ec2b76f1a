/**
 * Everybody gets their money out with examples/exit.ts, once the service is gone: its home deleted, its authority's key with
 * it. All is made through a real daemon, whose chain is the embedded one behind an Electrum server, and checked on that
 * chain to the satoshi.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { createServer as createTlsServer } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { AddressInfo } from 'node:net';
import { binToHex } from '@bitauth/libauth';
import type { ExecutionContext } from 'ava';
import { people, PEOPLE_MNEMONIC, type Person } from '../../fixtures/people.js';
import { startElectrumServer } from '../../src/adapters/electrum-server/electrum-server.js';
import { openLocalChain, type LocalChain } from '../../src/adapters/local-chain/local-chain.js';
import { parseAddress } from '../../src/bch/address.js';
import { sumSatoshis, sumTokens, type Output } from '../../src/bch/coins.js';
import { decodeTransaction, encodeRaw, toLibauthTransaction } from '../../src/bch/transaction.js';
import { signerOf } from '../../src/bch/keys.js';
import { buildPayment } from '../../src/bch/payment.js';
import { encodeWalletTransaction, signWalletTransaction } from '../../src/bch/wallet-transaction.js';
import { reserveLock } from '../../src/covenant/reserve.js';
import { TEST_CERTIFICATE, TEST_KEY } from '../adapters/electrum/certificate.js';
import { freePort } from '../adapters/electrum/electrum-fixture.js';
import { atLength } from '../at-length.js';
import { startChainProcess } from './chain-process.js';
import { clientOf, type Client, type Json } from './client.js';
import { onEmbeddedChain } from './on-every-chain.js';
import { killHard, makeRealHome } from './real-home.js';

const BIN = resolve('bin/treasury.js');
const EXIT = fileURLToPath(new URL('../../examples/exit.js', import.meta.url));
const DAY = 86_400;
const NETWORK = 'regtest';
const run = promisify(execFile);
const systemSeconds = (): number => Math.floor(Date.now() / 1_000);
const { alice, bob, carol, dave, erin } = people;
const USERS = [alice, bob, carol, dave, erin];
/** In the order of their paths. */
const PEOPLE = [...USERS, people.mallory];
const lockOf = (who: Person): string => who.address(NETWORK).lockingBytecode;
const textOf = (who: Person): string => who.address(NETWORK).text;

/** A daemon of its own home on the chain that a server has. It is killed, and its home removed, when that is asked for. */
const startDaemon = async (t: ExecutionContext, electrum: string) => {
  const { home, env, treasury } = makeRealHome('treasury-service-', electrum);
  await treasury('init');
  const daemon = spawn(process.execPath, [BIN, 'serve', '--port', '0'], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const end = async (): Promise<void> => {
    await killHard(daemon);
    rmSync(home, { recursive: true, force: true });
  };
  t.teardown(end);
  let url = '';
  for await (const line of createInterface({ input: daemon.stderr })) {
    url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0] ?? '';
    if (url !== '') break;
  }
  daemon.stderr.resume();
  return { home, url, treasury, end };
};

/** Pays outputs of a person's coins, as any wallet does. */
const pay = async (chain: LocalChain, who: Person, outputs: readonly Output[], genesis = false) => {
  const coins = await chain.coins(lockOf(who));
  const requiredCoins = genesis ? coins.filter(({ vout, token }) => vout === 0 && !token).slice(0, 1) : [];
  const [first] = requiredCoins;
  const minted = outputs.map((output) =>
    genesis && output.token !== undefined
      ? { ...output, token: { ...output.token, category: first?.txid ?? '' } }
      : output,
  );
  const plan = { payer: who.address(NETWORK), coins, outputs: minted, requiredCoins };
  const { transaction, sourceOutputs } = buildPayment(plan);
  const unsigned = { transaction, sourceOutputs: [...sourceOutputs], broadcast: false };
  const signer = signerOf(who.name, who.privateKey, NETWORK);
  await chain.broadcast(signWalletTransaction(encodeWalletTransaction(unsigned), signer).transaction);
  return first?.txid ?? '';
};

/** The daemon's users: who makes what, funds it and moves it, each over HTTP with a wallet of their own. */
const openUsers = async (t: ExecutionContext, { call, logIn, send }: Client) => {
  const tokens = new Map<string, string>();
  for (const who of USERS) tokens.set(who.name, await logIn(who));
  const as = async (who: Person, method: string, path: string, body?: Json): Promise<Json> => {
    const naming = { token: tokens.get(who.name) ?? '', address: textOf(who) };
    const answer = await call(method, path, body, naming);
    t.true(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  /** Builds, signs, sends and confirms. */
  const move = async (who: Person, path: string, verb: string, body: Json = {}, claim: Json = {}) => {
    const build = () =>
      verb === 'funding' ? as(who, 'GET', `${path}/funding-info`) : as(who, 'POST', `${path}/${verb}`, body);
    let built = await build();
    if (built['requiresPreparation'] === true) {
      await send(who, built['preparationTransaction']);
      built = await build();
    }
    const sent = await send(who, built['wcTransaction']);
    t.is(sent.status, 200, JSON.stringify(sent.body));
    await as(who, 'POST', `${path}/confirm-${verb}`, { txHash: sent.body['txHash'], ...body, ...claim });
  };
  /** Makes and funds a record; returns its path and address. */
  const make = async (create: string, noun: string, base: string, body: Json) => {
    const record = (await as(alice, 'POST', create, body))[noun] as Json;
    const path = `${base}/${String(record['id'])}`;
    await move(alice, path, 'funding');
    return { path, address: String(record['contract_address']) };
  };
  return { as, move, make };
};

type Made = { readonly path: string; readonly address: string };

/** What is paid of each product: BCH and tokens in smallest units. The token has no decimals. */
const ASSETS = ['BCH', 'FUNGIBLE_TOKEN'] as const;
type Asset = (typeof ASSETS)[number];
const TOTAL = { BCH: 1_200_000n, FUNGIBLE_TOKEN: 120_000n } as const;
const shown = (asset: Asset, amount: bigint): string =>
  asset === 'BCH' ? (Number(amount) / 1e8).toFixed(8) : String(amount);

/** Everything of one asset, by name. */
const makeAll = async (
  { make, as, move }: Awaited<ReturnType<typeof openUsers>>,
  { asset, category, start, vaultId }: { asset: Asset; category: string; start: number; vaultId: string },
) => {
  const total = TOTAL[asset];
  const money = { tokenType: asset, ...(asset === 'BCH' ? {} : { tokenCategory: category }) };
  const parties = { sender: textOf(alice), recipient: textOf(bob) };
  const stream = (terms: Json): Promise<Made> =>
    make('/api/streams/create', 'stream', '/api/streams', {
      ...{ ...money, ...parties, totalAmount: shown(asset, total), startTime: start },
      ...terms,
    });
  const end = { endTime: start + 100 * DAY };
  const payment = (terms: Json = {}): Promise<Made> =>
    make('/api/payments/create', 'payment', '/api/payments', {
      ...terms,
      ...{ ...money, ...parties, amountPerPeriod: shown(asset, total / 12n), interval: 'WEEKLY' },
      ...{ startDate: start, endDate: start + 12 * 7 * DAY },
    });
  const milestone = (days: number, share: bigint): Json => ({
    amount: shown(asset, (total * share) / 100n),
    durationSeconds: days * DAY,
    description: `${days} days`,
  });
  const budget = (terms: Json = {}): Promise<Made> =>
    make(`/api/vaults/${vaultId}/budget-plans`, 'plan', '/api/budget-plans', {
      ...terms,
      ...{ ...money, recipient: textOf(bob) },
      milestones: [milestone(10, 20n), milestone(20, 30n), milestone(60, 50n)],
    });
  const pushed = { pushMinimum: shown(asset, total / 100n) };
  const made = {
    linear: await stream({ streamType: 'LINEAR', ...end }),
    cliff: await stream({ streamType: 'LINEAR', ...end, cliffTimestamp: start + 90 * DAY }),
    step: await stream({ streamType: 'STEP', ...end, intervalSeconds: 10 * DAY }),
    hybrid: await stream({
      ...{ streamType: 'HYBRID', ...end },
      ...{ hybridUnlockTimestamp: start + 20 * DAY, hybridUpfrontPercentage: 25 },
    }),
    tranche: await stream({
      streamType: 'TRANCHE',
      trancheSchedule: [
        { unlockTime: start + 30 * DAY, amount: shown(asset, total / 4n) },
        { unlockTime: start + 90 * DAY, amount: shown(asset, (total * 3n) / 4n) },
      ],
    }),
    recurring: await stream({ streamType: 'RECURRING', ...end, intervalSeconds: 10 * DAY }),
    given: await stream({ streamType: 'LINEAR', ...end, transferable: true }),
    pausedStream: await stream({ streamType: 'LINEAR', ...end, cancelable: true }),
    payment: await payment(),
    pausedPayment: await payment(),
    budget: await budget(),
    pausedBudget: await budget(),
    pushedStream: await stream({ streamType: 'LINEAR', ...end, ...pushed }),
    pushedPayment: await payment(pushed),
    pushedBudget: await budget(pushed),
    campaign: await make('/api/rewards/create', 'campaign', '/api/rewards', {
      ...{ ...money, title: 'Thanks', totalPool: shown(asset, total) },
      maxRewardAmount: shown(asset, total / 2n),
    }),
  };
  const reward = { recipientAddress: textOf(erin), amount: shown(asset, total / 4n) };
  await move(alice, made.campaign.path, 'distribute', reward);
  await as(bob, 'GET', made.linear.path);
  return made;
};

/** A copy of the script in a folder that has the packages that it names, and no other. */
const installAlone = (folder: string): string => {
  const script = join(folder, 'exit.mjs');
  cpSync(EXIT, script);
  mkdirSync(join(folder, 'node_modules', '@bitauth'), { recursive: true });
  for (const name of ['@bitauth/libauth', 'ws'])
    symlinkSync(resolve('node_modules', name), join(folder, 'node_modules', name));
  symlinkSync(resolve('.'), join(folder, 'node_modules', 'bch-treasury'));
  return script;
};

/** The script, as people run it: each with a seed phrase and a path of their own. */
const openExit = (
  { folder, chain, server }: { folder: string; chain: LocalChain; server: string },
  script = EXIT,
) => {
  writeFileSync(join(folder, 'words.txt'), PEOPLE_MNEMONIC);
  const sent = new Map<Person, string[]>();
  const exit = async (who: Person, ...words: string[]) => {
    const path = `m/44'/145'/0'/0/${PEOPLE.indexOf(who)}`;
    const options = ['--seed', 'words.txt', '--path', path, ...words];
    if (!words.includes('--server')) options.push('--server', server);
    const { stdout } = await run(process.execPath, [script, ...options], { cwd: folder }).catch(
      (error: unknown) => {
        const { stdout: out, stderr: err } = error as { stdout: string; stderr: string };
        return { stdout: `${out}${err}` };
      },
    );
    const txids = [...stdout.matchAll(/sent: ([0-9a-f]{64})/g)].map(([, txid = '']) => txid);
    sent.set(who, [...(sent.get(who) ?? []), ...txids]);
    return { stdout, txids };
  };
  const feesOf = async (txids: readonly string[]): Promise<bigint> => {
    let sum = 0n;
    for (const txid of txids) {
      const { inputs, outputs } = (await chain.transaction(txid))?.transaction ?? { inputs: [], outputs: [] };
      for (const { txid: from, vout } of inputs)
        sum += (await chain.transaction(from))?.transaction.outputs[vout]?.satoshis ?? 0n;
      sum -= sumSatoshis(outputs);
    }
    return sum;
  };
  const sentBy = (who: readonly Person[]) => who.flatMap((one) => sent.get(one) ?? []);
  return { exit: Object.assign(exit, { sentBy }), feesOf };
};

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] };

/** The server on a port, with other answers. */
const serveLies = async (
  t: ExecutionContext,
  port: number,
  lie: (call: Call, result: unknown) => unknown,
): Promise<string> => {
  const server = createServer((socket) => {
    const upstream = connect(port, '127.0.0.1');
    const calls = new Map<number, Call>();
    createInterface({ input: socket }).on('line', (line) => {
      const call = JSON.parse(line) as Call;
      calls.set(call.id, call);
      upstream.write(`${line}\n`);
    });
    createInterface({ input: upstream }).on('line', (line) => {
      const reply = JSON.parse(line) as { id?: number; result?: unknown };
      const call = calls.get(reply.id ?? -1);
      const result = call === undefined ? reply.result : lie(call, reply.result);
      socket.write(`${result === reply.result ? line : JSON.stringify({ id: reply.id, result })}\n`);
    });
    for (const one of [socket, upstream]) one.on('error', () => undefined);
    socket.on('close', () => upstream.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** The same server, with a certificate that nobody has signed. */
const serveSecurely = async (t: ExecutionContext, port: number): Promise<string> => {
  const server = createTlsServer({ key: TEST_KEY, cert: TEST_CERTIFICATE }, (socket) => {
    const upstream = connect(port, '127.0.0.1');
    socket.pipe(upstream).pipe(socket);
    for (const one of [socket, upstream]) one.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return `tls://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const title =
  'without the service › given everything in both assets, its home deleted and no authority › everybody gets out what is theirs';

onEmbeddedChain(title, 'it kills the service, and moves time', async (t) => {
  t.timeout(240_000);
  const wsPort = await freePort();
  const server = await startChainProcess(t, ['--ws', String(wsPort)]);
  const chain = await openLocalChain({ folder: join(server.home, 'local'), now: systemSeconds });
  t.teardown(chain.close);
  const tcp = `tcp://127.0.0.1:${server.port}`;
  const daemon = await startDaemon(t, tcp);

  // Coins: alice's token, which carol and dave have some of too.
  for (let coin = 0; coin < 8; coin += 1) await chain.faucet(lockOf(alice), 20_000_000n);
  for (const who of [bob, bob, carol, carol, dave, erin]) await chain.faucet(lockOf(who), 100_000n);
  const authority = JSON.parse(await daemon.treasury('wallet', 'show', 'authority', '--json')) as {
    wallet: { address: string };
  };
  for (let coin = 0; coin < 2; coin += 1)
    await chain.faucet(parseAddress(authority.wallet.address).lockingBytecode, 100_000n);
  const hold = (who: Person, amount: bigint): Output => ({
    lockingBytecode: lockOf(who),
    satoshis: 1_000n,
    token: { category: '', amount },
  });
  const category = await pay(chain, alice, [hold(alice, 9_000_000n)], true);
  await pay(chain, alice, [{ ...hold(carol, 700n), token: { category, amount: 700n } }]);

  // What the service makes
  const client = clientOf(daemon.url, { network: NETWORK, naming: 'given' });
  const users = await openUsers(t, client);
  const { as, move } = users;
  const signers = [alice, carol, dave];
  const vault = await as(alice, 'POST', '/api/vaults', {
    ...{ name: 'Common funds', totalDeposit: 0.02, isPublic: true, signers: signers.map(textOf) },
    signerPubkeys: signers.map(({ publicKey }) => binToHex(publicKey)),
  });
  const vaultPath = `/api/vaults/${String(vault['id'])}`;
  const deposit = await as(alice, 'GET', `${vaultPath}/deposit`);
  const deposited = await client.send(alice, deposit['wcTransaction']);
  await as(alice, 'POST', `${vaultPath}/update-balance`, {
    txid: deposited.body['txHash'],
    amount: 0.02,
  });
  const vaultLock = parseAddress(String(vault['contractAddress'])).lockingBytecode;
  await pay(chain, alice, [{ lockingBytecode: vaultLock, satoshis: 300_000n }]);
  await pay(chain, alice, [
    { lockingBytecode: vaultLock, satoshis: 1_000n, token: { category, amount: 4_000n } },
  ]);
  const start = (await chain.tip()).medianTimePast - 1;
  const place = { category, start, vaultId: String(vault['id']) };
  const made = {
    BCH: await makeAll(users, { ...place, asset: 'BCH' }),
    FUNGIBLE_TOKEN: await makeAll(users, { ...place, asset: 'FUNGIBLE_TOKEN' }),
  };
  const proposal = await as(alice, 'POST', `${vaultPath}/governance`, {
    ...{ title: 'Leave', quorum: 10, votingDurationDays: 60, tokenCategory: category },
  });
  const vote = {
    voterAddress: textOf(carol),
    voteChoice: 'FOR',
    stakeAmount: '500',
    tokenCategory: category,
  };
  const lock = await as(carol, 'POST', `/api/governance/${String(proposal['id'])}/lock`, vote);
  const locked = await client.send(carol, lock['wcTransaction']);
  t.is(locked.status, 200, JSON.stringify(locked.body));
  const { contractAddress, voteId, constructorParams, initialCommitment } = lock['deployment'] as Json;
  await as(carol, 'POST', `/api/governance/${String(proposal['id'])}/confirm-lock`, {
    ...{ ...vote, weight: '500', txHash: locked.body['txHash'], contractAddress, voteId, constructorParams },
    nftCommitment: initialCommitment,
  });
  await chain.advance(25 * DAY);
  for (const { pausedStream, pausedPayment, pausedBudget } of Object.values(made))
    for (const { path } of [pausedStream, pausedPayment, pausedBudget]) await move(alice, path, 'pause');

  // The exports are all that is left of it.
  const folder = mkdtempSync(join(tmpdir(), 'treasury-exit-'));
  t.teardown(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  writeFileSync(join(folder, 'deployments.json'), await daemon.treasury('deployments', 'export'));
  const registry = await (await fetch(`${daemon.url}/api/deployment/registry?limit=100`)).text();
  writeFileSync(join(folder, 'registry.json'), registry);
  await daemon.end();
  t.false(existsSync(daemon.home));

  const { exit, feesOf } = openExit({ folder, chain, server: tcp });
  const FILE = ['--file', 'deployments.json'];
  const satoshisOf = async (who: Person) => sumSatoshis(await chain.coins(lockOf(who)));
  const tokensOf = async (who: Person) => sumTokens(await chain.coins(lockOf(who)), category);
  const { linear, cliff, given } = made.BCH;
  const { height } = await chain.tip();

  // Nothing is sent that was not asked for.
  const told = await exit(bob, ...FILE);
  t.regex(told.stdout, /#STREAM-0001[\s\S]*?claim: 0\.0030\d{4} BCH; 0\.0089\d{4} BCH stay in the contract/);
  t.regex(told.stdout, /#PAY-0002[^#]*nothing can be had of it now; 0\.009\d{5} BCH stay[^#]*paused/);
  t.is((await chain.tip()).height, height);
  // Where nothing was spent yet, the chain does not know the terms.
  t.regex((await exit(bob, '--address', cliff.address)).stdout, /nothing was spent from it yet/);

  // Dave, whom nothing of it is owed, pushes what can be pushed: three of each asset, of which the fees are his.
  const before = await satoshisOf(bob);
  const pushed = await exit(dave, ...FILE, '--do', 'push', '--send');
  t.is(pushed.txids.length, 6);
  const [ofStream] = pushed.txids;
  const { locktime = 0 } = (await chain.transaction(ofStream ?? ''))?.transaction ?? {};
  const pushedOf = (total: bigint) =>
    (total * BigInt(locktime - start)) / BigInt(100 * DAY) + (total * 3n) / 12n + (total * 20n) / 100n;
  t.is((await satoshisOf(bob)) - before, pushedOf(TOTAL.BCH) + 3n * 1_000n);
  t.is((await satoshisOf(dave)) + (await feesOf(pushed.txids)), 100_000n - 3n * 1_000n);
  t.is(exit.sentBy([dave]).length, 6);

  // Bob takes what has vested: of the linear one his share to the second, less the fee.
  const mid = await exit(bob, ...FILE, '--send');
  // Two of those that were pushed have vested a little since.
  t.true(mid.txids.length >= 18 && mid.txids.length <= 20);
  const first = (await chain.transaction(mid.txids[0] ?? ''))?.transaction;
  const vested = (TOTAL.BCH * BigInt((first?.locktime ?? 0) - start)) / BigInt(100 * DAY);
  t.is(first?.outputs[0]?.satoshis, TOTAL.BCH - vested + 1_000n);
  t.is(first?.outputs[1]?.satoshis, vested - (await feesOf(mid.txids.slice(0, 1))));
  t.is(first?.outputs[1]?.lockingBytecode, lockOf(bob));
  // Now it does, and a file is not needed. What a stranger brought there says more than it holds.
  const nft = {
    capability: 'mutable',
    commitment: `${'00'.repeat(19)}${bob.address(NETWORK).hash}03`,
  } as const;
  const decoy = { lockingBytecode: parseAddress(linear.address).lockingBytecode, satoshis: 1_000n };
  await chain.faucet(lockOf(alice), 100_000n);
  const stray = await pay(chain, alice, [{ ...decoy, token: { category: '', amount: 0n, nft } }], true);
  t.regex(
    (await exit(bob, '--address', linear.address)).stdout,
    /claim: 0\.0000000\d BCH|nothing can be had/,
  );

  // Alice has her campaigns' pools back, and lets go on what stands paused.
  const held = { satoshis: await satoshisOf(alice), tokens: await tokensOf(alice) };
  const refunds = await exit(alice, ...FILE, '--send');
  t.is(refunds.txids.length, 2);
  t.is((await tokensOf(alice)) - held.tokens, 90_000n);
  t.is((await satoshisOf(alice)) - held.satoshis, 903_000n - (await feesOf(refunds.txids)));
  t.is((await exit(alice, ...FILE, '--do', 'resume', '--send')).txids.length, 6);

  // Bob gives a stream to Erin, in each asset; Carol has to wait for her stake.
  for (const { address } of [given, made.FUNGIBLE_TOKEN.given])
    await exit(bob, ...FILE, '--only', address, '--do', 'transfer', '--to', textOf(erin), '--send');
  t.regex((await exit(carol, ...FILE, '--send')).stdout, /the vote ends 20/);

  // Two signers empty the vault, each with a file and a seed of their own.
  const stranger = people.mallory;
  const sweep = ['--only', 'VAULT-0001', '--do', 'spend', '--to', textOf(stranger), '--spend', 'spend.json'];
  await exit(dave, ...FILE, ...sweep);
  t.deepEqual((await exit(carol, '--do', 'sign', '--spend', 'spend.json')).txids, []);
  const swept = await exit(carol, '--do', 'sign', '--spend', 'spend.json', '--send');
  t.is(await tokensOf(stranger), 4_000n);
  t.is(await satoshisOf(stranger), 2_300_000n - (await feesOf(swept.txids)));
  t.deepEqual(
    (await chain.coins(vaultLock)).map(({ satoshis, token }) => [satoshis, token?.nft?.commitment]),
    [[1_000n, '0101000000']],
  );

  // Everything falls due, by another line and from what the service had told anybody.
  await chain.advance(200 * DAY);
  const secure = await serveSecurely(t, server.port);
  t.is((await exit(dave, ...FILE, '--do', 'push', '--send')).txids.length, 6);
  const ends = [
    await exit(bob, '--server', secure, '--file', 'registry.json', '--send'),
    await exit(erin, '--server', `ws://127.0.0.1:${wsPort}`, '--file', 'registry.json', '--send'),
  ];
  const unlocked = await exit(carol, ...FILE, '--send');
  t.is(unlocked.txids.length, 1);
  t.is(await tokensOf(carol), 700n);

  // Nothing is left in any of them.
  const exported = JSON.parse(readFileSync(join(folder, 'deployments.json'), 'utf8')) as {
    records: Record<string, { contract_address?: string; thread?: { category: string } | null }[]>;
  };
  for (const { contract_address: address = '', thread } of Object.values(exported.records).flat()) {
    const lockingBytecode = address === '' ? vaultLock : parseAddress(address).lockingBytecode;
    if (lockingBytecode === vaultLock) continue;
    const coins = await chain.coins(lockingBytecode);
    t.deepEqual(
      coins.filter(({ token }) => token?.category !== stray),
      [],
      address,
    );
    if (thread) t.deepEqual(await chain.coins(reserveLock(thread.category, lockingBytecode)), [], address);
  }
  // Fifteen contracts each in BCH and in tokens, to bob and erin, a reward to her beside, the dust of what has ended,
  // and what rides with tokens that others have sent.
  t.is((await tokensOf(bob)) + (await tokensOf(erin)), 15n * TOTAL.FUNGIBLE_TOKEN + 30_000n);
  const begun = 300_000n + 300_000n + 1_000n + 1_000n + 3n * 1_000n;
  const dust = 15n * 1_000n + 15n * 2_000n;
  const all = exit.sentBy([bob, erin]);
  t.is(
    (await satoshisOf(bob)) + (await satoshisOf(erin)),
    begun + 15n * TOTAL.BCH + dust - (await feesOf(all)),
  );
  t.true(ends.every(({ txids }) => txids.length > 0));
});

/** What version 0.1.0 deployed, and its chain behind a server. */
const openOld = async (t: ExecutionContext) => {
  const folder = mkdtempSync(join(tmpdir(), 'treasury-exit-'));
  t.teardown(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  cpSync(new URL('../../fixtures/home-0.1.0', import.meta.url), folder, { recursive: true });
  const chain = await openLocalChain({ folder: join(folder, 'local'), now: systemSeconds });
  const server = await startElectrumServer({ chain, tcpPort: 0 });
  t.teardown(async () => {
    await server.stop();
    await chain.close();
  });
  return { folder, chain, server: server.tcpUrl ?? '' };
};

const oldTitle =
  'without the service › given what version 0.1.0 deployed › its contracts are left by their own rules';

onEmbeddedChain(oldTitle, 'its chain is of that version', async (t) => {
  const { folder, chain, server } = await openOld(t);
  const { exit } = openExit({ folder, chain, server }, installAlone(folder));
  await chain.advance(3_000 * DAY);
  for (const who of USERS) for (let coin = 0; coin < 3; coin += 1) await chain.faucet(lockOf(who), 100_000n);
  const FILE = ['--file', 'deployments.json', '--send'];
  const exported = JSON.parse(readFileSync(join(folder, 'deployments.json'), 'utf8')) as {
    records: Record<string, { contract_address?: string; periods?: number; refillable?: boolean }[]>;
  };
  const records = Object.fromEntries(
    Object.entries(exported.records).map(([kind, list]) => [
      kind,
      list.filter((_, index) => index % atLength(1, 3) === 0),
    ]),
  );
  writeFileSync(join(folder, 'deployments.json'), JSON.stringify({ ...exported, records }));
  t.true((await exit(bob, ...FILE)).txids.length >= atLength(28, 8));
  t.true((await exit(alice, ...FILE)).txids.length >= atLength(6, 2));
  t.true((await exit(alice, ...FILE, '--do', 'resume')).txids.length >= atLength(8, 2));
  await chain.advance(3_000 * DAY);
  t.true((await exit(bob, ...FILE)).txids.length >= atLength(8, 2));
  for (const who of [carol, dave, erin]) await exit(who, ...FILE);
  const [vault = { contract_address: '' }] = records['vaults'] ?? [];
  const only = ['--only', String(vault.contract_address), '--spend', 'spend.json'];
  const sweep = await exit(alice, ...FILE, ...only, '--do', 'spend', '--to', erin.address('local').text);
  t.regex(sweep.stdout, /spend of (\d) of its \1 coins/);
  t.is((await exit(bob, ...FILE, '--do', 'sign', '--spend', 'spend.json')).txids.length, 1);
  for (const record of Object.values(records).flat()) {
    const { contract_address: address, periods, refillable } = record;
    if (address === undefined) continue;
    const coins = await chain.coins(parseAddress(address).lockingBytecode);
    // What has no end keeps its thread: that of a vault, and of what could be refilled.
    const isEndless = 'signers' in record || periods === 0 || refillable === true;
    t.true(coins.length === 0 || isEndless, JSON.stringify(record));
    t.true(sumSatoshis(coins) <= 1_000n, JSON.stringify(record));
  }
});

const lieTitle =
  'without the service › given servers that lie, and words that are wrong › each is said, and nothing is sent';

onEmbeddedChain(lieTitle, 'its server is one of the test', async (t) => {
  const { folder, chain, server } = await openOld(t);
  await chain.advance(3_000 * DAY);
  const { exit } = openExit({ folder, chain, server });
  const FILE = ['--file', 'deployments.json', '--only', 'STREAM-0001', '--send'];
  const { height } = await chain.tip();
  const port = Number(new URL(server).port);

  // Another transaction by the name of one that is asked for
  const others = await serveLies(t, port, ({ method }, result) =>
    method === 'blockchain.transaction.get' ? String(result).replace(/^02/, '01') : result,
  );
  t.regex((await exit(bob, ...FILE, '--server', others)).stdout, /is another: try another server/);

  // A move that nobody has signed
  const { records } = JSON.parse(readFileSync(join(folder, 'deployments.json'), 'utf8')) as {
    records: { streams: { contract_address: string; thread: { txid: string; vout: number } }[] };
  };
  const [stream] = records.streams;
  const lock = parseAddress(stream?.contract_address ?? '').lockingBytecode;
  const [thread] = await chain.coins(lock);
  const forged = encodeRaw(
    toLibauthTransaction({
      version: 2,
      locktime: 0,
      inputs: [{ txid: thread?.txid ?? '', vout: thread?.vout ?? 0, sequence: 0, unlockingBytecode: '00' }],
      outputs: thread === undefined ? [] : [{ ...thread, satoshis: thread.satoshis - 500n }],
    }),
  );
  const { txid } = decodeTransaction(forged);
  const inventor = await serveLies(t, port, ({ method, params }, result) => {
    if (method === 'blockchain.transaction.get' && params[0] === txid) return forged;
    const isHistory = method === 'blockchain.scripthash.get_history' && Array.isArray(result);
    return isHistory && result.length > 0 ? [...(result as Json[]), { tx_hash: txid, height: 0 }] : result;
  });
  t.regex((await exit(bob, ...FILE, '--server', inventor)).stdout, /which the network's rules refuse/);

  // A history without the funding, headers of other chains, a server that is none
  const forgetful = await serveLies(t, port, ({ method }, result) =>
    method === 'blockchain.scripthash.get_history' ? [] : result,
  );
  t.regex((await exit(bob, ...FILE, '--server', forgetful)).stdout, /does not show what funded it/);
  const confused = await serveLies(t, port, ({ method }, result) =>
    method === 'blockchain.block.headers' ? { count: 11, hex: '11'.repeat(880) } : result,
  );
  t.regex((await exit(bob, ...FILE, '--server', confused)).stdout, /do not follow each other/);
  // A chain that ends years ago: whoever resumes by it gives away what stood still since
  const behind = await serveLies(t, port, ({ method }, result) =>
    method === 'blockchain.headers.subscribe' ? { ...(result as Json), height: 12 } : result,
  );
  const resumed = await exit(
    alice,
    '--file',
    'deployments.json',
    '--do',
    'resume',
    '--server',
    behind,
    '--send',
  );
  t.regex(resumed.stdout, /The chain's time is 20[\s\S]*?hours behind this machine's clock/);
  t.deepEqual(resumed.txids, []);
  const none = `tcp://127.0.0.1:${await freePort()}`;
  t.regex((await exit(bob, ...FILE, '--server', none)).stdout, /cannot be reached: try another server/);

  // A file in which one row is damaged: what is whole goes on, and a parameter more or less is nobody's contract
  const whole = JSON.parse(readFileSync(join(folder, 'deployments.json'), 'utf8')) as {
    records: { streams: (Json & { constructor_params: string[] })[] };
  };
  const [first, second, third, fourth] = whole.records.streams;
  const rows = [
    { ...second, contract_address: 'bchtest:pqqqqqqqqq' },
    null,
    { ...third, constructor_params: third?.constructor_params.with(1, lockOf(people.mallory).slice(6, 46)) },
    { ...fourth, contract_address: second?.['contract_address'] },
    first,
  ];
  writeFileSync(join(folder, 'damaged.json'), JSON.stringify({ records: { streams: rows } }));
  const damaged = await exit(bob, '--file', 'damaged.json');
  t.regex(damaged.stdout, /is no Bitcoin Cash address/);
  t.is(damaged.stdout.match(/no contract of this package has this address/g)?.length, 2);
  t.regex(damaged.stdout, /#STREAM-0001, at bchtest:p\w+\n {2}claim: /);

  // Words
  writeFileSync(join(folder, 'wrong.txt'), 'correct horse battery staple');
  writeFileSync(join(folder, 'empty.json'), '{}');
  for (const [words, said] of [
    [[...FILE, '--server', 'electrum'], /Name any Electrum server/],
    [[...FILE, '--do', 'cancel'], /--do cancel is unknown: expected one of out, resume/],
    [[...FILE, '--seed', 'wrong.txt'], /no phrase of 12 to 24 words/],
    [[...FILE, '--path', 'first'], /--path first is none/],
    [[...FILE, '--to', people.erin.address('mainnet').text], /--to has to begin with bchtest:/],
    [['--file', 'empty.json'], /empty\.json is no export of deployments/],
    [['--file', 'deployments.json', '--only', 'STREAM-9999'], /nothing by the name of STREAM-9999/],
    [['--send'], /No contract is named/],
    [[...FILE, '--everything'], /Unknown option '--everything'/],
  ] as const)
    t.regex((await exit(bob, ...words)).stdout, said);
  t.is((await chain.tip()).height, height);
});
