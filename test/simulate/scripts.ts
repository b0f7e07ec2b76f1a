/** Scripts with keys: what they may do, what they may not, and what they have moved. */
import type { Person } from '../../fixtures/people.js';
import { signerOf } from '../../src/bch/keys.js';
import { decodeTransaction } from '../../src/bch/transaction.js';
import { signWalletTransaction, type WalletTransaction } from '../../src/bch/wallet-transaction.js';
import { EXIT, TreasuryError } from '../../src/errors.js';
import { FUNDING } from './carry-out.js';
import { knownOf, type Play } from './cast.js';
import { createBy } from './creations.js';
import { actions, addressOf, ask } from './client.js';
import { jsonOf, runCommand } from './commands.js';
import { NETWORK, type Json } from './processes.js';
import { runAs } from './timeline.js';
import type { Known, OpenedWorld } from './world.js';

/** What a script has built. */
type Built = {
  readonly txid: string;
  readonly raw: string;
  readonly lock: string;
  /** Wall clock, seconds. */
  readonly at: number;
};

export type Script = {
  readonly name: string;
  readonly owner: Person;
  readonly key: string;
  readonly noun: string;
  /** Ids of operations. */
  readonly allows: ReadonlySet<string>;
  /** Null: all. */
  readonly record: Known | null;
  /** Satoshis in so many seconds. */
  readonly maximum: { readonly satoshis: bigint; readonly seconds: number } | null;
  /** Wall clock, seconds. */
  readonly expiresAt: number;
  isRevoked: boolean;
  readonly built: Built[];
};

const MOST_SCRIPTS = 4;
const MAXIMA = [
  ['0.03', 3_000_000n],
  ['0.06', 6_000_000n],
  ['0.2', 20_000_000n],
] as const;
const PERIODS = { '1h': 3_600, '1d': 86_400, '30d': 30 * 86_400 } as const;
const LIVES = { '5m': 300, '1d': 86_400, '90d': 90 * 86_400 } as const;
const NOUNS = ['streams', 'payments'] as const;
/** Clocks of daemons go wrong by so much. */
const SKEW_SECONDS = 240;

const wallOf = ({ timeline }: OpenedWorld): number => Math.floor(timeline.wall() / 1_000);

/** What a step is made of: what builds it and what confirms it. */
const both = (build: string): readonly string[] => [build, actions.get(build)?.confirm.id ?? build];

/** Somebody makes a key at the terminal. */
const make = async ({ world, random, tag }: Play): Promise<void> => {
  const [owner] = world.people;
  if (owner === undefined) return;
  const noun = random.pick(NOUNS);
  const record = random.chance(0.3) ? knownOf({ world, random, tag }, [noun]) : null;
  const isLimited = random.chance(0.7);
  const [amount, satoshis] = random.pick(MAXIMA);
  const period = random.pick(Object.keys(PERIODS) as (keyof typeof PERIODS)[]);
  const life = random.pick(Object.keys(LIVES) as (keyof typeof LIVES)[]);
  const madeAt = wallOf(world);
  const words = ['keys', 'create', '--name', tag, '--allow', `${noun}:read,${noun}:fund,${noun}:claim`];
  const more = [
    ...(record === null ? [] : ['--records', record.label]),
    ...(isLimited ? ['--max', `${amount}/${period}`] : []),
    ...['--expires', life, '--wallet', owner.name, '--yes', '--json'],
  ];
  const outcome = await runCommand(world, [...words, ...more]);
  if (outcome?.exit !== EXIT.done) return;
  const key = jsonOf(outcome)['key'];
  if (typeof key !== 'string') throw new Error(`no key was made: ${outcome.stdout}`);
  world.scripts.push({
    name: tag,
    owner,
    key,
    noun,
    allows: new Set([`${noun}.show`, `${noun}.list`, ...both(FUNDING[noun] ?? ''), ...both(`${noun}.claim`)]),
    record,
    maximum: isLimited ? { satoshis, seconds: PERIODS[period] } : null,
    // The command takes its time.
    expiresAt: Math.max(madeAt, wallOf(world)) + LIVES[life],
    isRevoked: false,
    built: [],
  });
};

const revoke = async ({ world }: Play, script: Script): Promise<void> => {
  const words = ['keys', 'revoke', script.name, '--wallet', script.owner.name, '--yes', '--json'];
  const outcome = await runCommand(world, words);
  if (outcome?.exit === EXIT.done) script.isRevoked = true;
};

/** Why a key may not be answered what it has asked; null: it may. */
const refusalOf = (
  { allows, record, isRevoked, expiresAt }: Script,
  id: string,
  input: Json,
  now: number,
): string | null => {
  if (isRevoked) return 'it was revoked';
  if (now > expiresAt + SKEW_SECONDS) return 'it has expired';
  if (!allows.has(id)) return `it does not allow ${id}`;
  if (record !== null && input['id'] !== record.id) return `it is for ${record.label} alone`;
  return null;
};

/** Asks with a key. What it may not be answered is a finding. */
const askWith = async (world: OpenedWorld, script: Script, id: string, input: Json): Promise<Json | null> => {
  const refusal = refusalOf(script, id, input, wallOf(world));
  const got = await ask(world, { bearer: script.key }, id, input);
  if (got === null) return null;
  const isAnswered = got.status < 300;
  world.count(`checked: a key is ${isAnswered ? 'answered' : 'refused'}`);
  if (!isAnswered)
    world.tell(`${script.name} is refused ${id}: ${String(got.body['code'])} ${String(got.body['error'])}`);
  if (isAnswered && refusal !== null)
    world.find('keys', `${script.name} is answered ${id} ${JSON.stringify(input)}, and ${refusal}`);
  return isAnswered ? got.body : null;
};

/** Builds, signs and sends at once, before what was built is forgotten. */
const carry = async (world: OpenedWorld, script: Script, build: string, record: Known): Promise<void> => {
  const { owner } = script;
  const by = build.endsWith('.claim') ? { recipientAddress: addressOf(owner) } : {};
  const at = wallOf(world);
  const reply = await askWith(world, script, build, { id: record.id, ...by });
  const isPreparation = reply?.['requiresPreparation'] === true;
  const wc = reply?.[isPreparation ? 'preparationTransaction' : 'wcTransaction'];
  if (wc === undefined || wc === null) return;
  try {
    const signer = signerOf(owner.name, owner.privateKey, NETWORK);
    const { transaction: raw, txid } = signWalletTransaction(wc as WalletTransaction, signer);
    const { lockingBytecode: lock } = owner.address(NETWORK);
    script.built.push({ txid, raw, lock, at });
    await runAs(null, () => world.node.broadcast(raw));
    world.count('move: sent with a key: done');
    world.tell(`${script.name} sends ${build} of ${record.tag}: ${txid.slice(0, 8)}`);
    if (isPreparation) return;
    const confirmed = { id: record.id, txHash: txid, ...by };
    await askWith(world, script, actions.get(build)?.confirm.id ?? '', confirmed);
  } catch (error) {
    if (!(error instanceof TreasuryError)) throw error;
    world.count('move: sent with a key: refused');
  }
};

/** One request of a script: most of them are of what it may. */
const use = async (play: Play, script: Script): Promise<void> => {
  const { world, random } = play;
  const isOwn = random.chance(0.9);
  const owned = world.known.filter(
    ({ creator, noun }) =>
      creator === script.owner && FUNDING[noun] !== undefined && (!isOwn || noun === script.noun),
  );
  const record =
    script.record !== null && random.chance(0.8)
      ? script.record
      : (owned.at(-random.whole(1, Math.min(3, owned.length))) ?? null);
  if (record === null) return;
  const { noun, id } = record;
  const isClaimed = NOUNS.some((one) => one === noun);
  const what = random.weighed({ fund: 8, claim: 3, show: 2, list: 1, cancel: 1, broadcast: 1 });
  if (what === 'fund') {
    const fresh = random.chance(0.7) ? await createBy(play, script.owner) : null;
    const funded = fresh !== null && fresh.noun === script.noun ? fresh : record;
    await carry(world, script, FUNDING[funded.noun] ?? '', funded);
  } else if (what === 'claim') await carry(world, script, `${isClaimed ? noun : 'streams'}.claim`, record);
  else if (what === 'list') await askWith(world, script, `${noun}.list`, {});
  else if (what === 'broadcast') {
    const kept = world.drawer.at(-1);
    if (kept !== undefined) await askWith(world, script, 'transactions.broadcast', { transaction: kept.raw });
  } else await askWith(world, script, `${noun}.${noun === 'vaults' ? 'show' : what}`, { id });
};

/** Somebody makes a key, uses one, or several times at once, or revokes one. */
export const script = async (play: Play): Promise<void> => {
  const { world, random, tag } = play;
  const live = world.scripts.filter(({ isRevoked }) => !isRevoked || random.chance(0.5));
  if (live.length === 0 || (world.scripts.length < MOST_SCRIPTS && random.chance(0.2))) {
    await make(play);
    const made = world.scripts.at(-1);
    if (made !== undefined) await use(play, made);
    return;
  }
  const one = random.pick(live);
  if (random.chance(0.06)) {
    await revoke(play, one);
    return;
  }
  await Promise.all(
    Array.from({ length: random.pick([1, 1, 3]) }, (_, index) =>
      use({ ...play, tag: `${tag}-${index}` }, one),
    ),
  );
};

/** The satoshis in which a token or a thread lies. */
const BED = 1_000n;

/** Satoshis that a transaction has moved at least: what left the wallet that signed it, and what left a covenant. */
const movedBy = async (world: OpenedWorld, { raw, lock }: Built): Promise<bigint> => {
  const { inputs, outputs } = decodeTransaction(raw);
  let [wallet, covenants, all] = [0n, 0n, 0n];
  const locks = new Set<string>();
  for (const { txid, vout } of inputs) {
    const source = await runAs(null, () => world.node.transaction(txid));
    const spent = source?.transaction.outputs[vout];
    if (spent === undefined) return 0n;
    all += spent.satoshis;
    locks.add(spent.lockingBytecode);
    if (spent.lockingBytecode === lock) wallet += spent.satoshis;
    else covenants += spent.satoshis;
  }
  for (const { lockingBytecode, satoshis, token } of outputs) {
    all -= satoshis;
    if (lockingBytecode === lock) wallet -= satoshis;
    else if (locks.has(lockingBytecode)) covenants -= satoshis;
    else if (token !== undefined) wallet -= satoshis < BED ? satoshis : BED;
  }
  const gave = wallet - all;
  return (gave > 0n ? gave : 0n) + (covenants > 0n ? covenants : 0n);
};

/** What a key has built and what happened of it is within its maximum, in every period. */
export const checkKeys = async (world: OpenedWorld): Promise<void> => {
  for (const { name, maximum, built } of world.scripts) {
    if (maximum === null) continue;
    const moved: { readonly at: number; readonly satoshis: bigint }[] = [];
    for (const one of new Map(built.map((each) => [each.txid, each])).values())
      if ((await runAs(null, () => world.node.transaction(one.txid))) !== null)
        moved.push({ at: one.at, satoshis: await movedBy(world, one) });
    for (const { at } of moved) {
      const within = moved.filter(
        (other) => other.at >= at && other.at < at + maximum.seconds - SKEW_SECONDS,
      );
      const sum = within.reduce((all, { satoshis }) => all + satoshis, 0n);
      if (sum <= maximum.satoshis) continue;
      world.find('keys', `${name} has moved ${sum} in ${maximum.seconds} s, of ${maximum.satoshis} at most`);
      return;
    }
    if (moved.length > 0) world.count('checked: the maximum of a key');
  }
};
