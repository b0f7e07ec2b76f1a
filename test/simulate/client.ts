/** What people do with a daemon and with the network: ask over a wire that loses, sign, send. */
import type { Person } from '../../fixtures/people.js';
import { signerOf } from '../../src/bch/keys.js';
import { signWalletTransaction, type WalletTransaction } from '../../src/bch/wallet-transaction.js';
import { TreasuryError } from '../../src/errors.js';
import { operationsOf, type Action, type AnyOperation } from '../../src/operation/define.js';
import { inputSchema } from '../../src/operation/coerce.js';
import { nouns } from '../../src/app.js';
import { service } from '../../src/home/index.js';
import { answerOf, NETWORK, type Answer, type Json, type SimDaemon } from './processes.js';
import { runAs } from './timeline.js';
import type { Known, OpenedWorld, Signed } from './world.js';

const offers = (await Promise.all([...nouns, service].map((noun) => noun.load()))).flatMap(
  ({ operations }) => operations,
);
const operations = new Map<string, AnyOperation>(operationsOf(offers).map((one) => [one.id, one]));
/** By the id of what builds. */
export const actions = new Map<string, Action>(
  offers.flatMap((offer) => ('kind' in offer ? [[offer.build.id, offer] as const] : [])),
);

export const addressOf = (who: Person): string => who.address(NETWORK).text;

/** The part of a reply that says what was made. */
export const madeOf = (reply: Json): Json => {
  for (const name of ['stream', 'payment', 'plan', 'proposal', 'campaign', 'vault']) {
    const found = reply[name];
    if (typeof found === 'object' && found !== null) return found as Json;
  }
  return reply;
};

/** What people call a record. */
export const labelIn = (made: Json): string | null => {
  const texts = Object.values(made).filter((value) => typeof value === 'string');
  return texts.find((text) => /^#?[A-Z]+-\d{4,}$/.test(text))?.replace('#', '') ?? null;
};

/** Null: no answer came. */
export type Got = Answer | null;

/** What an answer means for whoever asked. */
const outcomeOf = (got: Got): string =>
  got === null ? 'unanswered' : got.status < 300 ? 'done' : got.status < 500 ? 'refused' : 'failed';

const LONGEST_WAIT_MS = 90_000;

/** The daemon that is asked; null when none is open. */
const anyDaemon = (world: OpenedWorld): SimDaemon | null => {
  const open = world.daemons.filter((daemon) => daemon.face() !== null);
  return open.length === 0 ? null : world.random.pick(open);
};

const routeOf = (operation: AnyOperation, input: Json): { method: string; url: string; body?: Json } => {
  const { method, path } = operation.http ?? { method: 'GET', path: '' };
  const named = new Set([...path.matchAll(/:(\w+)/g)].map(([, name]) => name));
  const target = path.replaceAll(/:(\w+)/g, (_all, name: string) => encodeURIComponent(String(input[name])));
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !named.has(name)));
  if (method !== 'GET') return { method, url: target, body: rest };
  const query = new URLSearchParams(
    Object.entries(rest).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return { method, url: query === '' ? target : `${target}?${query}` };
};

/** Who asks: somebody by their address, a script with a key, or nobody in particular. */
export type Asker = Person | { readonly bearer: string } | null;

const credentialsOf = (who: Asker): Readonly<Record<string, string>> => {
  if (who === null) return {};
  return 'bearer' in who ? { authorization: `Bearer ${who.bearer}` } : { 'x-user-address': addressOf(who) };
};

/** Asks a daemon. An answer of 500 is a finding. */
export const ask = async (
  world: OpenedWorld,
  who: Asker,
  id: string,
  input: Json,
  key: string | null = null,
  isStillWanted: () => boolean = () => true,
): Promise<Got> => {
  const { timeline, random } = world;
  const operation = operations.get(id);
  if (operation === undefined) throw new Error(`there is no operation ${id}`);
  const isLost = (): boolean => random.chance(world.lossy);
  await timeline.sleep(1 + random.next() * 30);
  const daemon = anyDaemon(world);
  // Days may have passed since it was decided.
  if (daemon === null || isLost() || !isStillWanted()) return null;
  const headers = {
    ...credentialsOf(who),
    ...(key === null ? {} : { 'idempotency-key': key }),
  };
  const answer = await new Promise<Got>((resolve) => {
    const giveUp = (): void => {
      resolve(null);
    };
    daemon.process.onEnd.add(giveUp);
    timeline.after(LONGEST_WAIT_MS, giveUp, null);
    const asked = { ...routeOf(operation, input), headers };
    const reach = (work: () => void): void => {
      // Who stands still takes it once they go on.
      if (daemon.process.frozenUntil() > timeline.now()) timeline.after(0, work, daemon.process);
      else work();
    };
    if (random.chance(world.lossy / 2)) {
      // It arrives twice; the second answer goes nowhere.
      world.count('fault: a request arrives twice');
      reach(() => void answerOf(daemon, asked));
    }
    reach(() => {
      void answerOf(daemon, asked).then((given) => {
        daemon.process.onEnd.delete(giveUp);
        resolve(daemon.process.isAlive() ? given : null);
      });
    });
  });
  world.count(`move: ${id}: ${outcomeOf(answer)}`);
  world.count(`answer: ${answer === null ? 'none' : answer.status}`);
  if (answer !== null && answer.status >= 500) {
    const code = String(answer.body['code']);
    const isTrouble = timeline.now() < world.diskTroubleUntil;
    if (!isTrouble && ['internal_error', 'store_damaged'].includes(code))
      world.find('answers', `${id} is answered ${answer.status} ${code}: ${JSON.stringify(answer.body)}`);
  }
  await timeline.sleep(1 + random.next() * 30);
  return isLost() ? null : answer;
};

/** A key is known for a day, in which the answer has to come. */
const KEPT_MS = 23 * 3_600_000;

/** The same again until an answer comes, under one key: what an honest client does. */
export const askPatiently = async (
  world: OpenedWorld,
  who: Person,
  id: string,
  input: Json,
  { key = null, times = 4 }: { readonly key?: string | null; readonly times?: number } = {},
): Promise<Got> => {
  const isForgottenAt = world.timeline.wall() + KEPT_MS;
  const isKnown = (): boolean => world.timeline.wall() < isForgottenAt;
  for (let left = times; left > 0 && isKnown(); left -= 1) {
    const got = await ask(world, who, id, input, key, isKnown);
    const mayHelp = got === null || got.body['retryable'] === true;
    if (!mayHelp || left === 1) return got;
    world.count('fault: an answer did not come, and is asked for again');
    await world.timeline.sleep(500 + world.random.next() * 8_000);
  }
  return null;
};

/** What confirms a build: its input, of the build's and of the reply's fields. */
const confirmInputOf = (build: string, input: Json, reply: Json, caller: string): Json => {
  const confirm = actions.get(build)?.confirm;
  if (confirm === undefined) return {};
  const { properties, required } = inputSchema(confirm);
  const from = (fields: Json) =>
    Object.fromEntries(Object.entries(fields).filter(([name]) => Object.hasOwn(properties, name)));
  const known = Object.fromEntries(
    required.filter((name) => Object.hasOwn(reply, name)).map((name) => [name, reply[name]]),
  );
  const voter = Object.hasOwn(properties, 'voterAddress') ? { voterAddress: caller } : {};
  return { ...voter, ...known, ...from(input) };
};

/** Signs what a build has answered, and keeps it; null when there is nothing to sign. */
export const signReply = (
  world: OpenedWorld,
  who: Person,
  { build, record, input }: { readonly build: string; readonly record: Known | null; readonly input: Json },
  reply: Json,
): Signed | null => {
  const isPreparation = reply['requiresPreparation'] === true;
  const wc = (reply[isPreparation ? 'preparationTransaction' : 'wcTransaction'] ??
    null) as WalletTransaction | null;
  if (wc === null) return null;
  try {
    const { transaction, txid } = signWalletTransaction(wc, signerOf(who.name, who.privateKey, NETWORK));
    const signed: Signed = {
      who,
      raw: transaction,
      txid,
      build: isPreparation ? 'preparation' : build,
      confirm: isPreparation ? null : (actions.get(build)?.confirm.id ?? null),
      record,
      confirmInput: confirmInputOf(build, input, reply, addressOf(who)),
      at: world.timeline.now(),
      wasSent: false,
    };
    world.drawer.push(signed);
    return signed;
  } catch (error) {
    // A wallet that is none of the transaction's refuses; that is the thief's usual fate.
    if (error instanceof TreasuryError) return null;
    throw error;
  }
};

/** Hands a transaction to the network: through a daemon, or past all of them. Returns whether it was taken. */
export const send = async (world: OpenedWorld, signed: Signed, how: 'daemon' | 'node'): Promise<boolean> => {
  if (how === 'daemon') {
    const got = await ask(world, signed.who, 'transactions.broadcast', { transaction: signed.raw });
    const isTaken = got?.status === 200;
    if (isTaken) {
      signed.wasSent = true;
      const found = await runAs(null, () => world.node.transaction(signed.txid));
      if (found === null && !world.forgotten.has(signed.txid))
        world.find('answers', `a broadcast of ${signed.txid} is answered 200, and no node has it`);
    }
    return isTaken;
  }
  try {
    await runAs(null, () => world.node.broadcast(signed.raw));
    signed.wasSent = true;
    world.count('move: sent past the daemons: done');
    return true;
  } catch (error) {
    if (!(error instanceof TreasuryError)) throw error;
    world.count('move: sent past the daemons: refused');
    return false;
  }
};

/** Confirms what was sent. */
export const confirm = async (world: OpenedWorld, who: Person, signed: Signed): Promise<Got> => {
  if (signed.confirm === null) return null;
  return ask(world, who, signed.confirm, { ...signed.confirmInput, txHash: signed.txid });
};
