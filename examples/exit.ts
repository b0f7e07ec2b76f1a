/**
 * Gets money out of a treasury's contracts without the treasury: with the words of a seed, what its export says of the
 * contracts, the compiled contracts themselves, and any Electrum server. No service and no authority is asked.
 *
 *     npm install @bitauth/libauth@3.1.0-next.8 ws                                  (a checkout has both)
 *     node exit.ts --server tls://HOST:50002 --file deployments.json --seed words.txt           says what it would do
 *     node exit.ts --server tls://HOST:50002 --file deployments.json --seed words.txt --send    does it
 *
 * Node is 22.18 or newer; with an older one, in a checkout: node scripts/compile.js examples/exit.ts ...
 *
 *   --server URL     tcp://, tls://, ws:// or wss://
 *   --file FILE      of `treasury deployments export`, or an answer of GET /api/deployment/registry; again for each
 *   --address A      without a file: a contract that was spent from at least once; again for each
 *   --seed FILE      the seed phrase (BIP39), or a private key (WIF); `-`: from standard input
 *   --path P         where the key stands in the seed, again for each; left out: m/44'/145'/0'/0/0
 *   --only NAME      the label, the id or the address of a contract; again for each
 *   --do WHAT        out (when left out): claim, release, unlock, cancel of a campaign, whichever is yours to do;
 *                    resume, transfer, push: what else needs no authority; spend, sign: a vault, by two of its signers
 *   --to ADDRESS     who gets the money, and with transfer the stream; left out: your own address
 *   --spend FILE     spend writes the half signed transaction there, and sign reads it
 *   --artifacts DIR  the folder contracts/artifacts of the package
 *   --send           without it nothing leaves this machine
 *
 * What the server says is checked: a transaction by its id and, where it moved a contract, by its scripts; a contract by
 * its address, made anew of its parameters; a state by every move since the funding. What is sent has run in the virtual
 * machine first. A server can still keep something back: what was built on that is then refused, and nothing is lost.
 */
import { pbkdf2Sync } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connect as connectTls } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  bigIntToBinUintLE,
  bigIntToVmNumber,
  binsAreEqual,
  binToBigIntUintLE,
  binToHex,
  type CashAddressNetworkPrefix,
  cashAddressToLockingBytecode,
  createVirtualMachineBch2026,
  decodeAuthenticationInstructions,
  decodeBip39Mnemonic,
  decodePrivateKeyWif,
  decodeTransaction,
  deriveHdPath,
  deriveHdPrivateNodeFromSeed,
  encodeDataPush,
  encodeLockingBytecodeP2pkh,
  encodeTransaction,
  flattenBinArray,
  generateSigningSerializationBch,
  getDustThreshold,
  hash160,
  hash256,
  hashTransaction,
  hexToBin,
  lockingBytecodeToCashAddress,
  OpcodesBch,
  type Output,
  secp256k1,
  sha256,
  type Transaction,
  vmNumberToBigInt,
} from '@bitauth/libauth';

type Bytes = Uint8Array;
type Value = bigint | Bytes;
type Fields = Record<string, Value>;
type Artifact = {
  contractName: string;
  constructorInputs: { name: string; type: string }[];
  abi: { name: string; inputs: { name: string; type: string }[] }[];
  bytecode: string;
  body: Bytes;
};
type Contract = { artifact: Artifact; terms: Fields; redeem: Bytes; lock: Bytes };
type Coin = { txid: string; vout: number; output: Output };
type Key = { privateKey: Bytes; publicKey: Bytes; hash: Bytes; lock: Bytes };
/** What an export says of a contract. */
type Entry = { label: string; names: string[]; at: string; params: string[] | null; funding: string | null };

const fail = (words: string): never => {
  throw new Error(words);
};
/** Nothing is wrong, and there is nothing to do. */
class Idle extends Error {}
const idle = (words: string): never => {
  throw new Idle(words);
};
/** What a file or a server says may hold anything: it is not to steer the terminal. */
const plain = (words: string): string => words.replace(/[^\P{C}\n]/gu, '?');
const stop = (error: unknown): never => {
  console.error(plain(error instanceof Error ? error.message : String(error)));
  process.exit(1);
};
const attempt = <T>(read: () => T): T => {
  try {
    return read();
  } catch (error) {
    return stop(error);
  }
};
const { values: given } = attempt(() =>
  parseArgs({
    options: {
      server: { type: 'string', default: '' },
      file: { type: 'string', multiple: true, default: [] },
      address: { type: 'string', multiple: true, default: [] },
      seed: { type: 'string' },
      path: { type: 'string', multiple: true, default: ["m/44'/145'/0'/0/0"] },
      only: { type: 'string', multiple: true, default: [] },
      do: { type: 'string', default: 'out' },
      to: { type: 'string' },
      spend: { type: 'string' },
      artifacts: { type: 'string' },
      send: { type: 'boolean', default: false },
    },
  }),
);
const DEEDS = ['out', 'resume', 'transfer', 'push', 'spend', 'sign'];
if (!DEEDS.includes(given.do)) stop(`--do ${given.do} is unknown: expected one of ${DEEDS.join(', ')}`);
const must = <T>(made: T | string, words: string): T =>
  typeof made === 'string' ? fail(`${words} (${made})`) : made;
/** What the next line is about; said when there is one. */
let heading: string | null = null;
const say = (words: string): void => {
  if (heading !== null) console.log(plain(heading));
  heading = null;
  console.log(plain(words));
};

// Bytes, addresses and amounts.
const int = (bytes: Bytes): bigint => binToBigIntUintLE(bytes);
const bytesOf = (value: bigint, size: number): Bytes => {
  const bytes = new Uint8Array(size);
  bytes.set(bigIntToBinUintLE(value));
  return bytes;
};
const same = (a: Bytes, b: Bytes): boolean => binsAreEqual(a, b);
const reversed = (bytes: Bytes): Bytes => bytes.slice().reverse();
let prefix: `${CashAddressNetworkPrefix}` = 'bitcoincash';
const lockOf = (address: string): Bytes =>
  must(cashAddressToLockingBytecode(address), `"${address}" is no Bitcoin Cash address`).bytecode;
/** Everything is of the network that the contracts are on. */
const setPrefix = (address: string | null | undefined): void => {
  prefix = (address?.split(':')[0] ?? prefix) as typeof prefix;
};
const addressOf = (bytecode: Bytes): string => {
  const encoded = lockingBytecodeToCashAddress({ bytecode, prefix });
  return typeof encoded === 'string' ? `the script ${binToHex(bytecode)}` : encoded.address;
};
const payTo = (hash: Bytes): Bytes => encodeLockingBytecodeP2pkh(hash);
const bch = (satoshis: bigint): string =>
  `${satoshis / 100_000_000n}.${String(satoshis % 100_000_000n).padStart(8, '0')} BCH`;
const amountOf = (amount: bigint, category: Bytes | null): string =>
  category === null ? bch(amount) : `${amount} units of the token ${binToHex(category)}`;
const sumOf = (outputs: Output[]): bigint => outputs.reduce((sum, output) => sum + output.valueSatoshis, 0n);
const dateOf = (seconds: bigint): string => new Date(Number(seconds) * 1000).toISOString();

// The server. Nothing of what it says is believed that can be checked; so its certificate need not be known.
const USUAL_PORTS: Record<string, number> = { 'tcp:': 50_001, 'tls:': 50_002, 'ws:': 50_003, 'wss:': 50_004 };
type Line = { send: (message: string) => void; close: () => void };
const openLine = async (url: URL, receive: (message: string) => void): Promise<Line> => {
  const port = Number(url.port) || (USUAL_PORTS[url.protocol] ?? 0);
  if (url.protocol.startsWith('ws')) {
    const { WebSocket } = await import('ws');
    const socket = new WebSocket(`${url.protocol}//${url.hostname}:${port}`, { rejectUnauthorized: false });
    await once(socket, 'open');
    socket.on('message', (data: Buffer) => {
      receive(data.toString());
    });
    return { send: socket.send.bind(socket), close: socket.terminate.bind(socket) };
  }
  const at = { host: url.hostname.replace(/[[\]]/g, ''), port, rejectUnauthorized: false };
  const socket = url.protocol === 'tls:' ? connectTls(at) : connect(at);
  await once(socket, url.protocol === 'tls:' ? 'secureConnect' : 'connect');
  socket.on('error', () => undefined);
  createInterface({ input: socket }).on('line', receive);
  return {
    send: (message) => socket.write(`${message}\n`),
    close: () => socket.destroy(),
  };
};
type Reply = { id?: number; result?: unknown; error?: { message?: string } | null };
const openServer = async (address: string) => {
  if (!/^(tcp|tls|wss?):\/\/./.test(address))
    fail('Name any Electrum server: --server tcp://HOST:PORT, tls://, ws:// or wss://.');
  const waiting = new Map<number, (reply: Reply) => void>();
  const line = await openLine(new URL(address), (message) => {
    try {
      const reply = JSON.parse(message) as Reply;
      waiting.get(reply.id ?? -1)?.(reply);
    } catch {
      // Whoever waits for it is told that there was no answer.
    }
  }).catch((error: unknown) => fail(`${address} cannot be reached: try another server (${String(error)})`));
  let last = 0;
  const ask = async <T>(method: string, ...params: unknown[]): Promise<T> => {
    last += 1;
    const { result, error } = await new Promise<Reply>((resolve, reject) => {
      const late = new Error(`The server does not answer ${method}: try another one.`);
      const timer = setTimeout(reject, 30_000, late);
      waiting.set(last, (reply) => {
        clearTimeout(timer);
        resolve(reply);
      });
      line.send(JSON.stringify({ jsonrpc: '2.0', id: last, method, params }));
    });
    if (error) fail(`The server refuses ${method}: ${error.message ?? 'it does not say why'}`);
    return result as T;
  };
  await ask('server.version', 'exit', ['1.4.3', '1.6']);
  return { ask, close: line.close };
};
const server = await openServer(given.server).catch(stop);

// The chain.
const transactions = new Map<string, Promise<Transaction>>();
const readTransaction = async (txid: string): Promise<Transaction> => {
  const raw = hexToBin(await server.ask<string>('blockchain.transaction.get', txid));
  if (hashTransaction(raw) !== txid)
    fail(`What the server gave as transaction ${txid} is another: try another server.`);
  return must(decodeTransaction(raw), `${txid} is no transaction`);
};
const transactionOf = (txid: string): Promise<Transaction> => {
  const found = transactions.get(txid) ?? readTransaction(txid);
  transactions.set(txid, found);
  return found;
};
const coinOf = async ({ txid, vout }: Outpoint): Promise<Coin> => {
  const output = (await transactionOf(txid)).outputs[vout] ?? fail(`${txid} has no output ${vout}`);
  return { txid, vout, output };
};
type Outpoint = Pick<Coin, 'txid' | 'vout'>;
const outpoint = ({ txid, vout }: Outpoint): string => `${txid}:${vout}`;
const spentIn = ({ inputs }: Transaction): Outpoint[] =>
  inputs.map(({ outpointTransactionHash, outpointIndex }) => ({
    txid: binToHex(outpointTransactionHash),
    vout: outpointIndex,
  }));
const spentBy = (transaction: Transaction): Promise<Coin[]> => Promise.all(spentIn(transaction).map(coinOf));
const scriptHash = (lock: Bytes): string => binToHex(reversed(sha256.hash(lock)));
/** What was sent from here, which the server may not show yet. */
const sent: string[] = [];
const coinsAt = async (lock: Bytes): Promise<Coin[]> => {
  type Row = { tx_hash: string; tx_pos: number };
  const method = 'blockchain.scripthash.listunspent';
  const rows = await server.ask<Row[]>(method, scriptHash(lock), 'include_tokens');
  const own = await Promise.all(sent.map(transactionOf));
  const made = own.flatMap(({ outputs }, index) =>
    outputs.map((_, vout) => ({ txid: sent[index] ?? '', vout })),
  );
  const spent = new Set(own.flatMap(spentIn).map(outpoint));
  const all = [...rows.map(({ tx_hash: txid, tx_pos: vout }) => ({ txid, vout })), ...made];
  const unspent = new Map(all.filter((one) => !spent.has(outpoint(one))).map((one) => [outpoint(one), one]));
  const coins = await Promise.all([...unspent.values()].map(coinOf));
  return coins.filter(({ output }) => same(output.lockingBytecode, lock));
};
type Seen = { txid: string; transaction: Transaction };
const historyOf = async (lock: Bytes): Promise<Seen[]> => {
  const rows = await server.ask<{ tx_hash: string }[]>('blockchain.scripthash.get_history', scriptHash(lock));
  const seen: Seen[] = [];
  for (const { tx_hash: txid } of rows) seen.push({ txid, transaction: await transactionOf(txid) });
  return seen;
};
/** The latest time that a transaction may name: one second before the median of the last eleven blocks. */
const readNow = async (): Promise<bigint> => {
  const tip = await server.ask<{ height: number }>('blockchain.headers.subscribe');
  const first = Math.max(0, tip.height - 10);
  const count = tip.height - first + 1;
  type Headers = { hex?: string; headers?: string[] };
  const shown = await server.ask<Headers>('blockchain.block.headers', first, count);
  const hex = shown.hex ?? shown.headers?.join('') ?? '';
  const headers = Array.from({ length: count }, (_, index) =>
    hexToBin(hex.slice(index * 160, index * 160 + 160)),
  );
  const isChain = headers.every(
    (header, index) => index === 0 || same(header.slice(4, 36), hash256(headers[index - 1] ?? header)),
  );
  if (!isChain) fail('The blocks that the server shows do not follow each other: try another server.');
  const times = headers.map((header) => int(header.slice(68, 72))).sort((a, b) => Number(a - b));
  return (times[Math.floor(count / 2)] ?? 0n) - 1n;
};
const machines = { rules: createVirtualMachineBch2026(false), relay: createVirtualMachineBch2026(true) };
const checkHistory = async ({ txid, transaction }: Seen): Promise<void> => {
  const sourceOutputs = (await spentBy(transaction)).map(({ output }) => output);
  const verdict = machines.rules.verify({ transaction, sourceOutputs });
  if (verdict !== true)
    fail(`The server shows ${txid}, which the network's rules refuse: try another server (${verdict})`);
};

// The contracts: a script begins with its parameters, the last one first, and goes on as the artifact says.
const push = (value: Value): Bytes =>
  encodeDataPush(typeof value === 'bigint' ? bigIntToVmNumber(value) : value);
const assemble = (asm: string): Bytes =>
  flattenBinArray(
    asm
      .split(' ')
      .map((word) =>
        word.startsWith('OP_') ? Uint8Array.of(OpcodesBch[word as 'OP_0']) : encodeDataPush(hexToBin(word)),
      ),
  );
const here = fileURLToPath(new URL('.', import.meta.url));
const folder =
  given.artifacts ??
  ['../contracts/artifacts', '../../contracts/artifacts', 'node_modules/bch-treasury/contracts/artifacts']
    .flatMap((path) => [join(here, path), path])
    .find((path) => existsSync(join(path, 'stream.json'))) ??
  stop(
    new Error('The compiled contracts are not here: name the folder contracts/artifacts with --artifacts.'),
  );
const artifacts: Artifact[] = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.json') && !name.endsWith('published.json'))
  .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Artifact)
  .map((artifact) => ({ ...artifact, body: assemble(artifact.bytecode) }));
const scriptLock = (redeem: Bytes): Bytes =>
  flattenBinArray([Uint8Array.of(0xaa, 0x20), hash256(redeem), Uint8Array.of(0x87)]);
const bind = (artifact: Artifact, values: Value[]): Contract => {
  const redeem = flattenBinArray([...values.map(push).reverse(), artifact.body]);
  const terms = artifact.constructorInputs.map(({ name }, index) => [name, values[index] ?? 0n] as const);
  return { artifact, terms: Object.fromEntries(terms), redeem, lock: scriptLock(redeem) };
};
/** The contract of whichever version has this address with these parameters: no other has. */
const contractOf = (lock: Bytes, params: string[]): Contract | undefined => {
  const read = ({ type }: { type: string }, index: number): Value =>
    type === 'int' ? BigInt(params[index] ?? '') : hexToBin(params[index] ?? '');
  return artifacts
    .filter(({ constructorInputs }) => constructorInputs.length === params.length)
    .flatMap((artifact) => {
      const isFitting = artifact.constructorInputs.every(({ type }, index) =>
        (type === 'int' ? /^-?\d+$/ : /^([0-9a-f]{2})*$/).test(params[index] ?? ''),
      );
      return isFitting ? [bind(artifact, artifact.constructorInputs.map(read))] : [];
    })
    .find((contract) => same(contract.lock, lock));
};
const pushesOf = (script: Bytes): { opcode: number; data?: Bytes }[] =>
  decodeAuthenticationInstructions(script) as { opcode: number; data?: Bytes }[];
/** The contract at an address, as its first spend has shown it to everybody. */
const contractFromChain = async (lock: Bytes): Promise<Contract | undefined> => {
  for (const { transaction } of await historyOf(lock))
    for (const { unlockingBytecode } of transaction.inputs) {
      const script = pushesOf(unlockingBytecode).at(-1)?.data ?? new Uint8Array();
      if (!same(scriptLock(script), lock)) continue;
      for (const artifact of artifacts) {
        const found = bindAsPushed(artifact, script);
        if (found !== undefined && same(found.lock, lock)) return found;
      }
    }
  return undefined;
};
const bindAsPushed = (artifact: Artifact, script: Bytes): Contract | undefined => {
  const { constructorInputs: inputs } = artifact;
  const pushes = pushesOf(script).slice(0, inputs.length).reverse();
  const values = pushes.map(({ opcode, data }, index): Value | undefined => {
    const pushed = data ?? (opcode > 0x50 && opcode <= 0x60 ? Uint8Array.of(opcode - 0x50) : undefined);
    if (pushed === undefined || inputs[index]?.type !== 'int') return pushed;
    const number = vmNumberToBigInt(pushed);
    return typeof number === 'bigint' ? number : undefined;
  });
  return values.includes(undefined) ? undefined : bind(artifact, values as Value[]);
};
const number = ({ terms }: Contract, name: string): bigint => (terms[name] as bigint | undefined) ?? 0n;
const bytes = ({ terms }: Contract, name: string): Bytes => terms[name] as Bytes;
/** The token of a pool as it is shown; null: the pool is BCH. */
const tokenOf = (contract: Contract): Bytes | null => {
  const category = bytes(contract, 'tokenCategory');
  return category.every((byte) => byte === 0) ? null : reversed(category);
};

// The thread: the one NFT that carries a contract's state. Integers are little-endian, a recipient is 20 bytes.
const LAYOUTS: Record<string, Record<string, number>> = {
  RewardCampaign: { status: 1, distributed: 8, count: 4 },
  BudgetPlan: { status: 1, current: 1, anchor: 5, pausedAt: 5, recipient: 20, flags: 1 },
  Stream: { status: 1, released: 8, start: 5, pausedAt: 5, recipient: 20, flags: 1 },
  RecurringPayment: { status: 1, nextDue: 5, paid: 4, pool: 8, recipient: 20, flags: 1 },
};
type State = Record<string, bigint>;
const layoutOf = ({ artifact }: Contract): [string, number][] =>
  Object.entries(LAYOUTS[artifact.contractName] ?? {});
const readState = (contract: Contract, commitment: Bytes): State => {
  let at = 0;
  return Object.fromEntries(
    layoutOf(contract).map(([name, size]) => [name, int(commitment.slice(at, (at += size)))]),
  );
};
const writeState = (contract: Contract, state: State): Bytes =>
  flattenBinArray(layoutOf(contract).map(([name, size]) => bytesOf(state[name] ?? 0n, size)));

type Thread = { contract: Contract; coin: Coin; category: Bytes; state: State };
/** The category of a contract's thread where an output carries one. */
const threadIn = ({ token, lockingBytecode }: Output, contract: Contract): string | null =>
  token?.nft?.capability === 'mutable' && same(lockingBytecode, contract.lock)
    ? binToHex(token.category)
    : null;
/** Where a thread is after every move of it; null: it has ended. */
const latest = async (coin: Coin, contract: Contract, moves: Map<string, Seen>): Promise<Coin | null> => {
  const next = moves.get(outpoint(coin));
  if (next === undefined) return coin;
  await checkHistory(next);
  const onward = await coinOf({ txid: next.txid, vout: 0 });
  const goesOn = threadIn(onward.output, contract) === threadIn(coin.output, contract);
  return goesOn ? latest(onward, contract, moves) : null;
};
/** The threads that a contract's funding has minted, as they are now. An NFT's category is what its minting spends. */
const follow = async (contract: Contract, funding: string | null): Promise<Thread[]> => {
  const history = await historyOf(contract.lock);
  const moves = new Map(history.map((seen) => [spentIn(seen.transaction).map(outpoint)[0] ?? '', seen]));
  const minting = history.filter(({ txid }) => funding === null || txid === funding);
  if (funding !== null && minting.length === 0)
    fail(`the server does not show what funded it, ${funding}: try another`);
  const threads: Thread[] = [];
  for (const seen of minting) {
    const minted = spentIn(seen.transaction).filter(({ vout }) => vout === 0);
    for (const [vout, output] of seen.transaction.outputs.entries()) {
      if (!minted.some(({ txid }) => txid === threadIn(output, contract))) continue;
      await checkHistory(seen);
      const coin = await latest({ txid: seen.txid, vout, output }, contract, moves);
      const token = coin?.output.token;
      if (coin && token?.nft)
        threads.push({
          contract,
          coin,
          category: token.category,
          state: readState(contract, token.nft.commitment),
        });
    }
  }
  return threads;
};

// What is due, as the contracts reckon it, at a time.
type Live = Thread & { now: bigint; reserve: Coin[] };
/** `paid` leaves the pool and `left` stays in it; `changes` is what the state says afterwards. */
type Due = { paid: bigint; left: bigint; ends: boolean; changes: State; args: Fields };
const list = <T>(packed: Bytes, size: number, read: (item: Bytes) => T): T[] =>
  Array.from({ length: packed.length / size }, (_, index) =>
    read(packed.slice(index * size, (index + 1) * size)),
  );
const field = (state: State, name: string): bigint => state[name] ?? 0n;
/** A contract that is paused stands still. */
const clock = ({ state, now }: Live): bigint =>
  field(state, 'status') === 1n ? field(state, 'pausedAt') : now;
const streamDue = (live: Live): Due => {
  const { contract, state } = live;
  const segments = list(bytes(contract, 'schedule'), 17, (item) => ({
    offset: int(item.slice(0, 5)),
    cumulative: int(item.slice(5, 13)),
    step: int(item.slice(13)),
  }));
  const elapsed = clock(live) - field(state, 'start');
  const segment = segments.filter(({ offset }) => offset <= elapsed).length;
  const [begun, next] = [segments[segment - 1], segments[segment]];
  let vested = begun?.cumulative ?? 0n;
  if (begun && next && begun.step > 0n) {
    const time = elapsed - begun.offset;
    const grown = (next.cumulative - vested) * (time - (time % begun.step));
    vested += grown / (next.offset - begun.offset);
  }
  const total = segments.at(-1)?.cumulative ?? 0n;
  const paid = vested - field(state, 'released');
  const args = { amount: paid, segment: BigInt(segment) };
  return { paid, left: total - vested, ends: vested === total, changes: { released: vested }, args };
};
const planDue = (live: Live): Due => {
  const { contract, state } = live;
  const milestones = [
    { seconds: 0n, amount: 0n },
    ...list(bytes(contract, 'milestones'), 13, (item) => ({
      seconds: int(item.slice(0, 5)),
      amount: int(item.slice(5, 13)),
    })),
  ];
  const current = milestones[Number(field(state, 'current'))] ?? fail('its state is none of a budget');
  const elapsed = clock(live) - field(state, 'anchor');
  const upTo = milestones.filter(({ seconds }) => seconds - current.seconds <= elapsed).length - 1;
  const reached = milestones[Math.max(upTo, Number(field(state, 'current')))] ?? current;
  const last = milestones.at(-1) ?? current;
  return {
    paid: reached.amount - current.amount,
    left: last.amount - reached.amount,
    ends: reached === last,
    changes: { current: BigInt(upTo), anchor: field(state, 'anchor') + reached.seconds - current.seconds },
    args: { upTo: BigInt(upTo) },
  };
};
const paymentDue = ({ contract, state, coin, now }: Live): Due => {
  const interval = number(contract, 'interval');
  const periods = number(contract, 'periods');
  const amount = number(contract, 'amountPerPeriod');
  const pool = tokenOf(contract) === null ? coin.output.valueSatoshis - 1_000n : field(state, 'pool');
  const late = now - field(state, 'nextDue');
  const counts = [late < 0n || field(state, 'status') === 1n ? 0n : late / interval + 1n, pool / amount];
  if (periods > 0n) counts.push(periods - field(state, 'paid'));
  const n = counts.reduce((least, count) => (count < least ? count : least));
  const [paid, left] = [n * amount, pool - n * amount];
  const changes = {
    nextDue: field(state, 'nextDue') + n * interval,
    paid: field(state, 'paid') + n,
    pool: tokenOf(contract) === null ? 0n : left,
  };
  return { paid, left, ends: periods > 0n && changes.paid === periods, changes, args: { n } };
};
const campaignDue = ({ contract, state }: Live): Due => {
  const paid = number(contract, 'totalPool') - field(state, 'distributed');
  return { paid, left: 0n, ends: true, changes: {}, args: {} };
};
/** Of each contract: its parties, what is due, and the function that gets it out. */
const PRODUCTS: Record<string, { due: (live: Live) => Due; out: string; payer: string }> = {
  Stream: { due: streamDue, out: 'claim', payer: 'senderHash' },
  BudgetPlan: { due: planDue, out: 'release', payer: 'controllerHash' },
  RecurringPayment: { due: paymentDue, out: 'claim', payer: 'senderHash' },
  RewardCampaign: { due: campaignDue, out: 'cancel', payer: 'creatorHash' },
};

// What a function asks of the transaction that calls it: its outputs in their order, and who signs.
type Plan = {
  call: string;
  args: Fields;
  outputs: Output[];
  says: string;
  feeCoins: number;
  /** In BCH the signer's own payout is the change, and pays the fee. */
  paysSigner: boolean;
};
const onward = (live: Live, { paid, left, changes }: Due, kept = 1_000n): Output[] => {
  const { contract, coin, category, state, reserve } = live;
  const token = tokenOf(contract);
  const commitment = writeState(contract, { ...state, ...changes });
  const valueSatoshis = coin.output.valueSatoshis - (token === null ? paid : 0n);
  const thread = { category, amount: 0n, nft: { capability: 'mutable' as const, commitment } };
  const outputs: Output[] = [{ lockingBytecode: contract.lock, valueSatoshis, token: thread }];
  if (token === null || left === 0n || reserve.length === 0) return outputs;
  const lockingBytecode = reserveLock(contract, category);
  return [...outputs, { lockingBytecode, valueSatoshis: kept, token: { category: token, amount: left } }];
};
/** The reserve of a thread's tokens: contracts/token-reserve.cash with its two parameters. */
const reserveScript = ({ lock }: Contract, category: Bytes): Bytes =>
  flattenBinArray([push(lock), push(reversed(category)), hexToBin('00ce7c517e8800c787')]);
const reserveLock = (contract: Contract, category: Bytes): Bytes =>
  scriptLock(reserveScript(contract, category));
const payout = (contract: Contract, lockingBytecode: Bytes, amount: bigint): Output => {
  const category = tokenOf(contract);
  if (category === null) return { lockingBytecode, valueSatoshis: amount };
  return { lockingBytecode, valueSatoshis: 1_000n, token: { category, amount } };
};
const recipientOf = ({ state }: Thread): Bytes => bytesOf(field(state, 'recipient'), 20);
const MANY = 50;
const outPlan = (live: Live, to: Bytes): Plan => {
  const { contract } = live;
  const { due, out } = PRODUCTS[contract.artifact.contractName] ?? fail('it has no thread');
  const found = due(live);
  const isRefund = out === 'cancel';
  if (found.paid <= 0n && !isRefund) idle(`nothing can be had of it now; ${staying(live, found)}`);
  const target = isRefund ? bytes(contract, 'refundLock') : to;
  const isOwn = tokenOf(contract) === null && !isRefund;
  const paid = isOwn || found.paid === 0n ? [] : [payout(contract, target, found.paid)];
  return {
    call: out,
    args: found.args,
    outputs: [...(found.ends ? [] : onward(live, found)), ...paid.map(atLeastDust)],
    says: `${out}: ${amountOf(found.paid, tokenOf(contract))}; ${staying(live, found)}`,
    feeCoins: MANY,
    paysSigner: isOwn,
  };
};
const atLeastDust = (output: Output): Output => {
  const dust = getDustThreshold(output);
  return output.valueSatoshis < dust ? { ...output, valueSatoshis: dust } : output;
};
const staying = ({ contract, state }: Live, { left, ends }: Due): string => {
  const paused = field(state, 'status') === 1n ? ', which stands paused until who pays it resumes it' : '';
  return ends ? 'the contract ends' : `${amountOf(left, tokenOf(contract))} stay in the contract${paused}`;
};
const unmoved = (live: Live, changes: State): Output[] =>
  onward({ ...live, reserve: [] }, { paid: 0n, left: 0n, ends: false, changes, args: {} });
/** At most two coins may join where nothing is paid. */
const FOR_A_FEE = { feeCoins: 2, paysSigner: false };
/** A server that hides the newest blocks would have who resumes pay for the time since: so the machine's clock is asked. */
const checkNewest = (now: bigint): void => {
  const hours = (BigInt(Date.now()) / 1_000n - now) / 3_600n;
  if (hours >= 12n)
    fail(
      `the server's chain is ${hours} hours behind this machine's clock: by it you pay for them. Try another`,
    );
};
const resumePlan = (live: Live): Plan => {
  const { contract, state, now } = live;
  if (field(state, 'status') !== 1n || contract.artifact.contractName === 'RewardCampaign')
    idle('it is not paused');
  checkNewest(now);
  const isPayment = contract.artifact.contractName === 'RecurringPayment';
  const nextDue = now + number(contract, 'interval');
  const later = now - field(state, 'pausedAt');
  const [start, anchor] = [field(state, 'start') + later, field(state, 'anchor') + later];
  const outputs = unmoved(live, {
    ...(isPayment ? { nextDue } : { start, anchor, pausedAt: 0n }),
    status: 0n,
  });
  const how = isPayment
    ? `, and its next period falls due ${dateOf(nextDue)}`
    : `, later by ${later} seconds`;
  return { call: 'resume', args: {}, outputs, says: `resume: it goes on${how}`, ...FOR_A_FEE };
};
const transferPlan = (live: Live): Plan => {
  const lock = lockOf(given.to ?? fail('name the new recipient with --to'));
  const hash = lock.slice(3, 23);
  if (!same(lock, payTo(hash))) fail('the new recipient has to be the address of a key');
  if ((field(live.state, 'flags') & 2n) === 0n || live.contract.artifact.contractName !== 'Stream')
    fail('it cannot be transferred');
  const outputs = unmoved(live, { recipient: int(hash) });
  const says = `transfer: from now on ${addressOf(lock)} is its recipient`;
  return { call: 'transfer', args: { newRecipientHash: hash }, outputs, says, ...FOR_A_FEE };
};
/** Pays the recipient, signed by nobody: whoever pushes pays the fee. */
const pushPlan = (live: Live): Plan => {
  const { contract, coin, reserve } = live;
  const least = number(contract, 'pushMinimum');
  if (least === 0n) idle('it was not made to be pushed');
  if (field(live.state, 'status') === 1n) idle('it stands paused, so that nobody can push it');
  const found = (PRODUCTS[contract.artifact.contractName] ?? fail('it has no thread')).due(live);
  if (found.paid <= 0n || (found.paid < least && !found.ends))
    idle(
      `${amountOf(found.paid, tokenOf(contract))} are due, and ${amountOf(least, tokenOf(contract))} can be pushed`,
    );
  const paid = payout(contract, payTo(recipientOf(live)), found.paid);
  const beside = sumOf(reserve.map(({ output }) => output));
  const isEmptied = found.left === 0n && reserve.length > 0;
  const value = found.ends ? coin.output.valueSatoshis + beside : isEmptied ? beside : paid.valueSatoshis;
  const outputs = [...(found.ends ? [] : onward(live, found, beside)), { ...paid, valueSatoshis: value }];
  const says = `push: ${amountOf(found.paid, tokenOf(contract))} to ${addressOf(paid.lockingBytecode)}`;
  const { feeCoins, paysSigner } = { ...FOR_A_FEE, ...(reserve.length > 0 ? { feeCoins: 1 } : {}) };
  return {
    call: 'push',
    args: found.args,
    outputs,
    says: `${says}; ${staying(live, found)}`,
    feeCoins,
    paysSigner,
  };
};

// Building, signing, running, telling and sending.
type Spend = { coin: Coin; contract?: { redeem: Bytes; artifact?: Artifact }; call?: string; args?: Fields };
type Draft = {
  spends: Spend[];
  outputs: Output[];
  signer: Key;
  changeTo: Bytes;
  feeCoins: Coin[];
  mustChange: boolean;
  locktime: bigint;
};
type Built = { transaction: Transaction; sources: Output[]; fee: bigint };
const SIGNED = 0x61; // ALL, UTXOS, FORKID
type Unsigned = Pick<Built, 'transaction' | 'sources'>;
const signatureOf = (unsigned: Unsigned, inputIndex: number, coveredBytecode: Bytes, key: Key): Bytes => {
  const { transaction, sources: sourceOutputs } = unsigned;
  const covered = { coveredBytecode, signingSerializationType: Uint8Array.of(SIGNED) };
  const signed = generateSigningSerializationBch({ inputIndex, transaction, sourceOutputs }, covered);
  const made = must(secp256k1.signMessageHashSchnorr(key.privateKey, hash256(signed)), 'cannot be signed');
  return flattenBinArray([made, Uint8Array.of(SIGNED)]);
};
const unlock = ({ coin, contract, call, args }: Spend, key: Key, sign: (covered: Bytes) => Bytes): Bytes => {
  if (contract === undefined)
    return flattenBinArray([push(sign(coin.output.lockingBytecode)), push(key.publicKey)]);
  const abi = contract.artifact?.abi ?? [];
  const selector = abi.findIndex(({ name }) => name === call);
  const values = (abi[selector]?.inputs ?? []).map(({ name, type }): Value => {
    const value = args?.[name];
    if (value !== undefined) return value;
    return type === 'sig' ? sign(contract.redeem) : key.publicKey;
  });
  return flattenBinArray([
    ...values.map(push).reverse(),
    ...(abi.length > 1 ? [push(BigInt(selector))] : []),
    push(contract.redeem),
  ]);
};
/** What the inputs hold of tokens above what the outputs say. */
const tokensOver = (spends: Spend[], outputs: Output[], lockingBytecode: Bytes): Output[] => {
  const over = new Map<string, bigint>();
  const count = ({ token }: Output, sign: bigint): void => {
    const name = token === undefined ? '' : binToHex(token.category);
    if (token !== undefined) over.set(name, (over.get(name) ?? 0n) + sign * token.amount);
  };
  for (const { coin } of spends) count(coin.output, 1n);
  for (const output of outputs) count(output, -1n);
  return [...over]
    .filter(([, amount]) => amount > 0n)
    .map(([name, amount]) => ({ category: hexToBin(name), amount }))
    .map((token) => ({ lockingBytecode, valueSatoshis: 1_000n, token }));
};
const assembleDraft = ({ spends, signer, locktime }: Draft, outputs: Output[]): Built => {
  const sources = spends.map(({ coin }) => coin.output);
  const bare = spends.map(({ coin: { txid, vout } }) => ({
    outpointTransactionHash: hexToBin(txid),
    outpointIndex: vout,
    sequenceNumber: 0xfffffffe, // not final, so that the locktime counts
    unlockingBytecode: new Uint8Array(),
  }));
  const transaction = { version: 2, locktime: Number(locktime), inputs: bare, outputs };
  const inputs = bare.map((input, index) => {
    const spend = spends[index] ?? fail('no input');
    const sign = (covered: Bytes): Bytes => signatureOf({ transaction, sources }, index, covered, signer);
    return { ...input, unlockingBytecode: unlock(spend, signer, sign) };
  });
  return { transaction: { ...transaction, inputs }, sources, fee: sumOf(sources) - sumOf(outputs) };
};
/** The fee: one satoshi a byte, and two in a hundred more. */
const feeFor = ({ transaction }: Built): bigint =>
  (BigInt(encodeTransaction(transaction).length) * 102n) / 100n + 1n;
/** As few fee coins as suffice, and the change. */
const build = (draft: Draft): Built => {
  for (let count = 0; count <= draft.feeCoins.length; count += 1) {
    const spends = [...draft.spends, ...draft.feeCoins.slice(0, count).map((coin) => ({ coin }))];
    const promised = [...draft.outputs, ...tokensOver(spends, draft.outputs, draft.changeTo)];
    // Whoever pays with coins of their own gets the change of them.
    const lockingBytecode = count === 0 ? draft.changeTo : draft.signer.lock;
    const change: Output = { lockingBytecode, valueSatoshis: 0n };
    const whole = assembleDraft({ ...draft, spends }, [...promised, change]);
    const valueSatoshis = whole.fee - feeFor(whole);
    if (valueSatoshis >= getDustThreshold(change))
      return assembleDraft({ ...draft, spends }, [...promised, { ...change, valueSatoshis }]);
    if (draft.mustChange || promised.length === 0) continue;
    const exact = assembleDraft({ ...draft, spends }, promised);
    if (exact.fee >= feeFor(exact)) return exact;
  }
  const needed = `0.0001 BCH in one coin to ${addressOf(draft.signer.lock)}`;
  return fail(`the fee cannot be paid out of it: send ${needed}, and come again`);
};
const tell = ({ transaction, sources, fee }: Built, names: Map<string, string>): void => {
  for (const { lockingBytecode, valueSatoshis, token } of transaction.outputs) {
    const units =
      token === undefined || token.amount === 0n ? '' : ` and ${amountOf(token.amount, token.category)}`;
    const nft = token?.nft === undefined ? '' : `, with an NFT of ${binToHex(token.category)},`;
    const stays = names.get(binToHex(lockingBytecode));
    say(
      `  ${bch(valueSatoshis)}${units}${stays === undefined ? `${nft} to ${addressOf(lockingBytecode)}` : ` ${stays}`}`,
    );
  }
  say(`  ${bch(fee)} as the fee: ${encodeTransaction(transaction).length} bytes, ${sources.length} inputs`);
};
/** Runs what was built, tells it, and hands it in when it was asked for. */
const finish = async (built: Built, names: Map<string, string>): Promise<void> => {
  const { transaction, sources: sourceOutputs } = built;
  const verdict = machines.relay.verify({ transaction, sourceOutputs });
  if (verdict !== true) fail(`the network would refuse it: ${verdict}`);
  tell(built, names);
  if (!given.send) return;
  const raw = encodeTransaction(transaction);
  await server.ask('blockchain.transaction.broadcast', binToHex(raw));
  const txid = hashTransaction(raw);
  transactions.set(txid, Promise.resolve(transaction));
  sent.push(txid);
  say(`  sent: ${txid}`);
};

// What this seed can do.
const keyIn = (secret: string, path: string): Bytes => {
  const words = secret.normalize('NFKD').trim().split(/\s+/);
  if (words.length === 1)
    return must(decodePrivateKeyWif(words.join()), 'What --seed names is no private key').privateKey;
  const phrase = words.join(' ').toLowerCase();
  must(
    decodeBip39Mnemonic(phrase),
    'What --seed names is no phrase of 12 to 24 words of the English BIP39 list',
  );
  const seed = new Uint8Array(pbkdf2Sync(phrase, 'mnemonic', 2048, 64, 'sha512'));
  const node = deriveHdPath(deriveHdPrivateNodeFromSeed(seed), path, { throwErrors: false });
  return must(node, `--path ${path} is none`).privateKey;
};
const readKey = (secret: string, path: string): Key => {
  const privateKey = keyIn(secret, path);
  const publicKey = must(
    secp256k1.derivePublicKeyCompressed(privateKey),
    'What --seed names is no private key',
  );
  const hash = hash160(publicKey);
  return { privateKey, publicKey, hash, lock: payTo(hash) };
};
const readKeys = (): Key[] => {
  if (given.seed === undefined)
    return fail('Name the file that has your seed phrase: --seed words.txt, or --seed - for standard input.');
  const secret = readFileSync(given.seed === '-' ? 0 : given.seed, 'utf8');
  return given.path.map((path) => readKey(secret, path));
};
const keyOf = (keys: Key[], hash: Bytes): Key | undefined => keys.find((key) => same(key.hash, hash));
/** Coins that pay fees, the largest first. */
const largestFirst = (coins: Coin[]): Coin[] =>
  coins.sort((a, b) => Number(b.output.valueSatoshis - a.output.valueSatoshis));
const purseOf = async ({ lock }: Key): Promise<Coin[]> =>
  largestFirst(await coinsAt(lock)).filter(({ output }) => output.token === undefined);
/** The coin that holds just what the state asks for, else the largest: strangers may send some there. */
const reserveOf = async (thread: Thread, needed: bigint): Promise<Coin[]> => {
  const category = tokenOf(thread.contract);
  if (category === null || needed === 0n) return [];
  const amount = ({ output }: Coin): bigint => output.token?.amount ?? 0n;
  const coins = (await coinsAt(reserveLock(thread.contract, thread.category)))
    .filter(({ output }) => output.token !== undefined && same(output.token.category, category))
    .sort((a, b) => (amount(a) === needed ? -1 : amount(b) === needed ? 1 : Number(amount(b) - amount(a))));
  const chosen: Coin[] = [];
  for (const coin of coins) {
    if (chosen.reduce((sum, one) => sum + amount(one), 0n) < needed) chosen.push(coin);
  }
  if (chosen.reduce((sum, one) => sum + amount(one), 0n) < needed)
    fail(`the server shows less than ${amountOf(needed, category)} in its reserve: try another server`);
  return chosen;
};
const PLANS: Record<string, ((live: Live, to: Bytes) => Plan) | undefined> = {
  out: outPlan,
  resume: resumePlan,
  transfer: transferPlan,
  push: pushPlan,
};
/** Whose key a deed asks for: that of who pays, or of who is paid. */
const roleOf = (thread: Thread, payer: Bytes): Bytes =>
  given.do === 'resume' || thread.state['recipient'] === undefined ? payer : recipientOf(thread);
/** One thread. False: it is not this seed's to do. */
const moveThread = async (thread: Thread, now: bigint, keys: Key[]): Promise<boolean> => {
  const { contract, coin, category } = thread;
  const { due, payer } = PRODUCTS[contract.artifact.contractName] ?? fail('it has no thread');
  const plan = PLANS[given.do];
  const signer = given.do === 'push' ? keys[0] : keyOf(keys, roleOf(thread, bytes(contract, payer)));
  const bare: Live = { ...thread, now, reserve: [] };
  const isPushed = given.do === 'push' && number(contract, 'pushMinimum') === 0n && given.only.length === 0;
  if (plan === undefined || signer === undefined || isPushed) {
    if (given.do === 'out' && keyOf(keys, bytes(contract, payer)) !== undefined) tellPayer(bare, due(bare));
    return false;
  }
  const { paid, left } = due(bare);
  if (tokenOf(contract) === null && coin.output.valueSatoshis < paid + left)
    fail('this thread holds less than its state says, so that it is none that the treasury made');
  const opens = given.do === 'out' || given.do === 'push';
  const live = opens ? { ...bare, reserve: await reserveOf(thread, paid + left) } : bare;
  const to = given.to === undefined ? signer.lock : lockOf(given.to);
  const { call, args, outputs, says, feeCoins, paysSigner } = plan(live, to);
  say(`  ${says}`);
  const reserve = { redeem: reserveScript(contract, category) };
  const spends = [
    { coin, contract, call, args },
    ...live.reserve.map((one) => ({ coin: one, contract: reserve })),
  ];
  const isElsewhere = paysSigner && !same(to, signer.lock);
  const purse = isElsewhere ? [] : (await purseOf(signer)).slice(0, feeCoins);
  const draft = { spends, outputs, signer, locktime: now, mustChange: paysSigner, feeCoins: purse };
  const built = build({ ...draft, changeTo: paysSigner ? to : signer.lock });
  if (paysSigner && built.fee >= paid)
    idle(`its fee would be ${bch(built.fee)}, which is more than it brings`);
  await finish(built, namesOf(keys, contract.lock, reserveLock(contract, category)));
  return true;
};
const namesOf = (keys: Key[], contract: Bytes, reserve: Bytes = contract): Map<string, string> =>
  new Map([
    ...keys.map(({ lock }) => [binToHex(lock), `to you, ${addressOf(lock)}`] as const),
    [binToHex(reserve), 'stay in its reserve'],
    [binToHex(contract), 'stay at the contract'],
  ]);
const tellPayer = (live: Live, { paid, left }: Due): void => {
  const [due, rest] = [amountOf(paid, tokenOf(live.contract)), amountOf(left, tokenOf(live.contract))];
  say(`  you pay it: ${due} are due to ${addressOf(payTo(recipientOf(live)))}, ${rest} are not yet`);
  if (field(live.state, 'status') === 1n) say('  it stands paused: --do resume lets it go on');
  else say('  nobody can pause it or take the rest back without the key of the authority');
};

/** A stake: every coin at its address comes back, and its ballots are burnt. */
const unlockStake = async (contract: Contract, now: bigint, keys: Key[]): Promise<boolean> => {
  const signer = keyOf(keys, bytes(contract, 'voterHash'));
  if (signer === undefined) return false;
  const end = number(contract, 'unlockTime');
  const coins = await coinsAt(contract.lock);
  const stakes = coins.filter(({ output }) => output.token?.nft === undefined).slice(0, MANY);
  if (stakes.length === 0) idle('nothing is locked there, or it was unlocked already');
  if (now < end)
    idle(`the vote ends ${dateOf(end)}, and the chain's time is ${dateOf(now)}: come again then`);
  const isBallot = ({ txid, output }: Coin): boolean =>
    output.token?.nft?.commitment.length === 30 && stakes.some((stake) => stake.txid === txid);
  const to = given.to === undefined ? signer.lock : lockOf(given.to);
  const spends = [...stakes, ...coins.filter(isBallot)].map((coin) => ({ coin, contract, call: 'unlock' }));
  say('  unlock: the stake comes back, and its ballot is burnt');
  const built = build({
    spends,
    outputs: tokensOver(spends, [], to),
    signer,
    changeTo: signer.lock,
    feeCoins: (await purseOf(signer)).slice(0, MANY),
    mustChange: false,
    locktime: now,
  });
  await finish(built, namesOf(keys, contract.lock));
  return true;
};

/** What the first signer of a vault hands to the second. */
type HalfSigned = Record<'vault' | 'transaction' | 'publicKey' | 'signature', string> & { params: string[] };
const VAULT_KEYS = ['key1', 'key2', 'key3'];
const vaultSigner = (contract: Contract, keys: Key[]): Key | undefined =>
  keys.find(({ publicKey }) => VAULT_KEYS.some((name) => same(bytes(contract, name), publicKey)));
/** A coin that carries the vault's count of spends: it leads a spend, and stays. */
const nextCount = ({ output: { token } }: Coin): Bytes | null => {
  const state = token?.nft?.capability === 'mutable' ? token.nft.commitment : new Uint8Array();
  const count = int(state.slice(1));
  return state.length !== 5 || state[0] !== 1 || count >= 2_147_483_647n
    ? null
    : flattenBinArray([Uint8Array.of(1), bytesOf(count + 1n, 4)]);
};
/** All of these coins to one address; what carries the vault's count stays there, with its dust. */
const draftOfVault = (contract: Contract, coins: Coin[], to: Bytes): Pick<Draft, 'spends' | 'outputs'> => {
  const [lead = idle('nothing lies there')] = coins;
  const commitment = nextCount(lead);
  const spends = coins.map((coin, index) => ({ coin, contract, call: index === 0 ? 'spend' : 'join' }));
  const toTake = commitment === null ? coins : coins.slice(1);
  const nfts = toTake.flatMap(({ output: { token } }) => (token?.nft ? [{ ...token, amount: 0n }] : []));
  const outputs = [
    ...tokensOver(spends, [], to),
    ...nfts.map((token) => ({ lockingBytecode: to, valueSatoshis: 1_000n, token })),
  ];
  if (commitment === null) return { spends, outputs };
  const category = lead.output.token?.category ?? new Uint8Array();
  const token = { category, amount: 0n, nft: { capability: 'mutable' as const, commitment } };
  return { spends, outputs: [{ lockingBytecode: contract.lock, valueSatoshis: 1_000n, token }, ...outputs] };
};
const emptyVault = async (contract: Contract, keys: Key[], params: string[]): Promise<boolean> => {
  const signer = vaultSigner(contract, keys);
  if (signer === undefined) return false;
  const all = largestFirst(await coinsAt(contract.lock));
  if (given.do !== 'spend') {
    const held = sumOf(all.map(({ output }) => output));
    say(`  you sign for this vault, which holds ${bch(held)} in ${all.length} coins: see --do spend`);
    return true;
  }
  const to = lockOf(given.to ?? fail('name who gets what the vault holds with --to'));
  const file = given.spend ?? fail('name the file for the second signer with --spend');
  const counts = all.filter((coin) => nextCount(coin) !== null);
  let coins = [...counts.slice(0, 1), ...all.filter((coin) => !counts.includes(coin))].slice(0, MANY);
  const rest = { signer, changeTo: to, mustChange: false, locktime: 0n };
  const buildOf = async (): Promise<Built> =>
    build({ ...draftOfVault(contract, coins, to), ...rest, feeCoins: (await purseOf(signer)).slice(0, 1) });
  let built = await buildOf();
  const { transaction, sources: sourceOutputs } = built;
  const joins = (inputIndex: number): boolean =>
    machines.relay.stateSuccess(machines.relay.evaluate({ inputIndex, transaction, sourceOutputs })) === true;
  // What the contract lets nobody take along stays behind.
  coins = coins.filter((_, index) => index === 0 || joins(index));
  built = await buildOf();
  say(`  spend of ${coins.length} of its ${all.length} coins:`);
  tell(built, namesOf(keys, contract.lock));
  const half: HalfSigned = {
    vault: addressOf(contract.lock),
    params,
    transaction: binToHex(encodeTransaction(built.transaction)),
    publicKey: binToHex(signer.publicKey),
    signature: binToHex(signatureOf(built, 0, contract.redeem, signer)),
  };
  writeFileSync(file, `${JSON.stringify(half, null, 2)}\n`);
  say(`  signed by you: another signer runs --do sign --spend ${file}`);
  return true;
};
/** The second signer: looks at what the first has made, and completes it. */
const completeSpend = async (keys: Key[]): Promise<void> => {
  const half = JSON.parse(
    readFileSync(given.spend ?? fail('name the file of the first signer with --spend'), 'utf8'),
  ) as HalfSigned;
  setPrefix(half.vault);
  const contract =
    contractOf(lockOf(half.vault), half.params) ??
    fail('what the file says of the vault does not give its address');
  const signer = vaultSigner(contract, keys) ?? fail(`this seed's key does not sign for ${half.vault}`);
  const transaction = must(decodeTransaction(hexToBin(half.transaction)), 'the file holds no transaction');
  const coins = await spentBy(transaction);
  const sources = coins.map(({ output }) => output);
  const first = { publicKey: hexToBin(half.publicKey), signature: hexToBin(half.signature) };
  const own = {
    publicKey: signer.publicKey,
    signature: signatureOf({ transaction, sources }, 0, contract.redeem, signer),
  };
  const place = ({ publicKey }: { publicKey: Bytes }): number =>
    VAULT_KEYS.findIndex((name) => same(bytes(contract, name), publicKey));
  const [a, b] = place(first) < place(own) ? [first, own] : [own, first];
  if (place(a) === place(b)) fail('this key has signed already: a second signer has to');
  const args = { keyA: a.publicKey, sigA: a.signature, keyB: b.publicKey, sigB: b.signature };
  const [lead = fail('it spends nothing')] = coins;
  const unlockingBytecode = unlock({ coin: lead, contract, call: 'spend', args }, signer, () => a.signature);
  const inputs = transaction.inputs.map((input, index) =>
    index === 0 ? { ...input, unlockingBytecode } : input,
  );
  const built = {
    transaction: { ...transaction, inputs },
    sources,
    fee: sumOf(sources) - sumOf(transaction.outputs),
  };
  say(`Vault ${half.vault}, signed by ${addressOf(payTo(hash160(first.publicKey)))} and you:`);
  await finish(built, namesOf(keys, contract.lock));
};

// What there is.
type Row = Record<string, unknown>;
const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const entryOf = (row: Row): Entry[] => {
  const address = text(row['contract_address'] ?? row['contractAddress']);
  const params = (row['constructor_params'] ?? row['constructorParams']) as string[] | undefined;
  if (address === null || params === undefined) return [];
  const label =
    ['label', 'stream_id', 'payment_id', 'budget_id', 'campaign_id']
      .map((name) => text(row[name]))
      .find((one) => one !== null) ?? 'a contract';
  const names = [label, label.replace('#', ''), text(row['id']) ?? '', address];
  return [{ label, names, at: address, params, funding: text(row['tx_hash'] ?? row['txHash']) }];
};
const readEntries = (): Entry[] => {
  const rows = given.file.flatMap((file) => {
    type Content = { records?: Record<string, Row[]>; entries?: Row[] };
    const { entries, records } = JSON.parse(readFileSync(file, 'utf8')) as Content;
    const found = entries ?? Object.values(records ?? fail(`${file} is no export of deployments`)).flat();
    return found.filter(Boolean);
  });
  const named = given.address.map((address) => {
    return { label: 'a contract', names: [address], at: address, params: null, funding: null };
  });
  const all = [...rows.flatMap(entryOf), ...named];
  setPrefix(all.find(({ at }) => typeof cashAddressToLockingBytecode(at) !== 'string')?.at);
  if (given.to !== undefined && !given.to.startsWith(`${prefix}:`)) fail(`--to has to begin with ${prefix}:`);
  return all;
};
/** False: nothing of it is this seed's. */
const handle = async (entry: Entry, now: bigint, keys: Key[]): Promise<boolean> => {
  const { params, funding } = entry;
  const lock = lockOf(entry.at);
  const contract = params === null ? await contractFromChain(lock) : contractOf(lock, params);
  if (contract === undefined)
    return fail(
      params === null
        ? 'nothing was spent from it yet, so that the chain does not know its terms: an export does'
        : 'no contract of this package has this address with the parameters that the file gives',
    );
  const name = contract.artifact.contractName;
  if (name === 'VoteLock' && given.do === 'out') return unlockStake(contract, now, keys);
  if (name === 'Vault')
    return given.do === 'out' || given.do === 'spend'
      ? emptyVault(contract, keys, params ?? showTerms(contract))
      : false;
  if (PRODUCTS[name] === undefined || given.do === 'spend') return false;
  const threads = await follow(contract, funding);
  if (threads.length === 0 && given.only.length > 0) idle('it has ended, or was never funded');
  let isOwn = false;
  for (const thread of threads) {
    if (threads.length > 1) say(`  the thread ${outpoint(thread.coin)}`);
    isOwn = (await moveThread(thread, now, keys)) || isOwn;
  }
  return isOwn;
};
const showTerms = ({ artifact, terms }: Contract): string[] =>
  artifact.constructorInputs.map(({ name }) => {
    const value = terms[name] ?? 0n;
    return typeof value === 'bigint' ? String(value) : binToHex(value);
  });
const main = async (): Promise<void> => {
  const keys = readKeys();
  const all = readEntries();
  if (given.do === 'sign') return completeSpend(keys);
  const isMeant = ({ names }: Entry): boolean => given.only.some((only) => names.includes(only));
  const entries = given.only.length === 0 ? all : all.filter(isMeant);
  if (all.length === 0) fail('No contract is named: --file with an export of deployments, or --address.');
  if (entries.length === 0) fail(`The file has nothing by the name of ${given.only.join(', ')}.`);
  const now = await readNow();
  for (const { lock } of keys) say(`You are ${addressOf(lock)}.`);
  say(`The chain's time is ${dateOf(now)}.${given.send ? '' : ' Nothing is sent without --send.'}`);
  let own = 0;
  for (const entry of entries) {
    heading = `${entry.label}, at ${entry.at}`;
    try {
      if (await handle(entry, now, keys)) own += 1;
    } catch (error) {
      say(`  ${error instanceof Error ? error.message : String(error)}`);
      if (!(error instanceof Idle)) process.exitCode = 1;
      own += 1;
    }
    heading = null;
  }
  if (own === 0)
    say(`Of ${entries.length} contracts none is this key's to do: does it stand at another --path?`);
};
await main().catch(stop);
server.close();
