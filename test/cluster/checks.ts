/** Whether all is as it was answered. It is held against the clients' diary and the chain, and asked of the API alone. */
import { parseAddress } from '../../src/bch/address.js';
import type { ClusterChain } from './chain.js';
import type { Answer, Client, Json } from './client.js';
import type { Diary, Kind, Made } from './diary.js';
import type { Follower, Receiver, Told } from './followers.js';

const grouped = <T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> => {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
};

const LISTS: Readonly<
  Record<Kind, { readonly path: string; readonly list: string; readonly label: string }>
> = {
  stream: { path: '/api/streams', list: 'streams', label: 'stream_id' },
  campaign: { path: '/api/rewards', list: 'campaigns', label: 'campaign_id' },
  payment: { path: '/api/payments', list: 'payments', label: 'payment_id' },
};

export type Checked = {
  readonly diary: Diary;
  readonly chain: ClusterChain;
  readonly senders: readonly Client[];
  /** Somebody who asks. */
  readonly asker: Client;
};

const get = (client: Client, path: string): Promise<Answer> => client.ask({ method: 'GET', path });

/** Every record of a sender, over all pages. */
const listOf = async (sender: Client, kind: Kind): Promise<readonly Json[]> => {
  const { path, list } = LISTS[kind];
  const by = kind === 'campaign' ? 'creator' : 'sender';
  const found: Json[] = [];
  for (let page = 1; ; page += 1) {
    const query = `${by}=${encodeURIComponent(sender.address)}&limit=100&page=${page}`;
    const { body } = await get(sender, `${path}?${query}`);
    found.push(...((body[list] ?? []) as readonly Json[]));
    if (body['hasNextPage'] !== true) return found;
  }
};

/** Each creation that was answered is there once, no other is there twice, and no label is another's. */
export const checkMade = async ({ diary, senders }: Checked): Promise<void> => {
  for (const kind of ['stream', 'campaign', 'payment'] as const) {
    const records = (await Promise.all(senders.map((sender) => listOf(sender, kind)))).flat();
    const byKey = grouped(records, (record) => String(record['own_label']));
    const byLabel = grouped(records, (record) => String(record[LISTS[kind].label]));
    for (const { key, id, label } of diary.made.filter((one) => one.kind === kind)) {
      const found = byKey.get(key) ?? [];
      if (found.length !== 1)
        diary.find(`${label}, ${key}: it was made once, and is there ${found.length} times`);
      else if (found[0]?.['id'] !== id || found[0][LISTS[kind].label] !== label)
        diary.find(`${key} was answered as ${label}, ${id}, and is another`);
    }
    for (const [key, found] of byKey) {
      if (diary.begun.get(key) !== kind) diary.find(`nobody has made ${kind} ${key}`);
      if (found.length > 1) diary.find(`${key} is there ${found.length} times`);
    }
    for (const [label, found] of byLabel)
      if (found.length > 1) diary.find(`${label} is what ${found.length} records are called`);
    diary.count(`checked: ${kind}s`, records.length);
  }
};

/** What a record says that it holds, in satoshis without the dust of its thread; null: it does not say. */
const poolOf = (kind: Kind, record: Json): bigint | null => {
  const amount = (name: string): bigint => BigInt(String(record[`${name}OnChain`]));
  if (record['status'] === 'PENDING' || record['status'] === 'CANCELLED') return null;
  if (kind === 'stream') return amount('total_amount') - amount('withdrawn_amount');
  if (kind === 'campaign') return amount('total_pool') - amount('distributed_total');
  return amount('funded_amount');
};

const THREAD_SATOSHIS = 1_000n;

/** A record tells each of its transactions once, those that the chain has and no other; and holds what lies there. */
const checkRecord = async (checked: Checked, { kind, id, label, key, address }: Made): Promise<void> => {
  const { diary, chain, asker } = checked;
  const { status, body } = await get(asker, `${LISTS[kind].path}/${id}`);
  if (status !== 200) {
    diary.find(`${label} cannot be read: ${JSON.stringify(body)}`);
    return;
  }
  const record = body[kind] as Json;
  const { lockingBytecode } = parseAddress(address);
  const onChain = (await chain.history(lockingBytecode)).map(({ txid }) => txid);
  const inRecord = (body['events'] as readonly Json[])
    .map((event) => event['tx_hash'])
    .filter((txid): txid is string => typeof txid === 'string');
  for (const txid of onChain) {
    const times = inRecord.filter((one) => one === txid).length;
    if (times !== 1) diary.find(`${label}: ${txid} is on the chain, and ${times} times in the record`);
  }
  for (const txid of inRecord)
    if (!onChain.includes(txid)) diary.find(`${label}: ${txid} is in the record and not on the chain`);
  for (const { verb, txid } of diary.sent.filter((sent) => sent.key === key))
    if (!onChain.includes(txid)) diary.find(`${label}: ${verb} ${txid} was taken, and is not on the chain`);
  const pool = poolOf(kind, record);
  const held = await chain.held(lockingBytecode);
  if (pool !== null && held !== pool + THREAD_SATOSHIS)
    diary.find(`${label} says that it holds ${pool} satoshis, and ${held} lie there with its thread`);
  if (record['status'] === 'CANCELLED' && onChain.length > 0 && held !== 0n)
    diary.find(`${label} is cancelled, and ${held} satoshis lie there`);
};

export const checkRecords = async (checked: Checked): Promise<void> => {
  for (const made of checked.diary.made) await checkRecord(checked, made);
  checked.diary.count('checked: transactions that were sent', checked.diary.sent.length);
};

/** The whole log, as the API tells it from the beginning. */
export const readLog = async ({ asker }: Checked): Promise<readonly Told[]> => {
  const log: Told[] = [];
  for (let since = 0; ;) {
    const { body } = await get(asker, `/api/events?since=${since}&limit=100`);
    log.push(...((body['events'] ?? []) as readonly Told[]));
    since = Number(body['cursor']);
    if (body['hasMore'] !== true) return log;
  }
};

const checkOrder = (diary: Diary, name: string, told: readonly Told[]): void => {
  for (const [index, { sequence }] of told.entries()) {
    const before = told[index - 1]?.sequence;
    if (before !== undefined && sequence !== before + 1)
      diary.find(`${name}: event ${sequence} comes after ${before}`);
  }
};

/** Each move that was confirmed is told once of each certainty that it stands at, and nothing else was withdrawn. */
const checkMoves = (diary: Diary, log: readonly Told[]): void => {
  const reverted = new Set(log.map(({ reverts }) => reverts));
  const standing = log.filter(({ id, type }) => !reverted.has(id) && !type.endsWith('.reverted'));
  const byMove = grouped(
    standing.filter(({ txHash }) => txHash !== null),
    ({ data, type, txHash, subject }) =>
      (data['moveId'] as string | undefined) ?? `${type} ${txHash} ${subject?.id}`,
  );
  for (const [move, events] of byMove) {
    const certainties = events.map(({ certainty }) => certainty);
    if (new Set(certainties).size < certainties.length)
      diary.find(
        `move ${move} (${events[0]?.type}) is told as ${certainties.join(', ')}: events ${events.map(({ sequence }) => sequence).join(', ')}`,
      );
  }
  const told = new Set(standing.map(({ txHash }) => txHash));
  for (const { verb, txid, isConfirmed } of diary.sent)
    if (isConfirmed && !told.has(txid)) diary.find(`${verb} ${txid} was confirmed, and no event tells of it`);
};

/** The log has no gap, tells each thing once, and whoever followed was told all of it, in order, once. */
export const checkEvents = (
  { diary }: Checked,
  log: readonly Told[],
  { followers, receiver }: { readonly followers: readonly Follower[]; readonly receiver: Receiver },
): void => {
  checkOrder(diary, 'the log', log);
  if (log[0]?.sequence !== 1) diary.find(`the log begins with ${log[0]?.sequence}`);
  for (const [id, events] of grouped(log, (event) => event.id))
    if (events.length > 1)
      diary.find(
        `event id ${id} is there ${events.length} times: ${events.map(({ sequence, type }) => `${sequence} ${type}`).join(', ')}`,
      );
  checkMoves(diary, log);
  // Clients pay what they are asked for, and nothing else.
  for (const { sequence, type, txHash } of log)
    if (type.startsWith('unexpected.funding'))
      diary.find(`event ${sequence} tells of unexpected funding by ${txHash}, and nobody has sent any`);
  const ids = new Map(log.map(({ sequence, id }) => [sequence, id]));
  for (const { name, from, told } of followers) {
    checkOrder(diary, name, told);
    for (const { sequence, id } of told)
      if (ids.get(sequence) !== id)
        diary.find(`${name} was told ${id} as ${sequence}, and the log has ${ids.get(sequence)}`);
    const [first, last] = [told.at(0)?.sequence, told.at(-1)?.sequence];
    if (first !== from + 1 || last !== log.at(-1)?.sequence)
      diary.find(`${name} was told ${first} to ${last}, of ${from + 1} to ${log.at(-1)?.sequence}`);
    diary.count('events that followers were told', told.length);
  }
  const known = new Set(log.map(({ id }) => id));
  for (const { id, sequence, type } of log)
    if (!receiver.taken.has(id)) diary.find(`the webhook was not told of event ${sequence} ${type}`);
  for (const id of receiver.taken.keys())
    if (!known.has(id)) diary.find(`the webhook was told of ${id}, which is not in the log`);
  diary.count('events', log.length);
  diary.count(
    'webhook deliveries',
    [...receiver.taken.values()].reduce((sum, times) => sum + times, 0),
  );
};
