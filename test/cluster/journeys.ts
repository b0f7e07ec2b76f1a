/** What clients do: each makes records, funds them, claims, pays, pauses, and confirms each of it. */
import type { Random } from '../simulate/random.js';
import type { ClusterChain } from './chain.js';
import { freshKey, type Answer, type Client, type Json } from './client.js';
import type { Diary, Kind, Made } from './diary.js';

export type Pair = {
  readonly sender: Client;
  readonly recipient: Client;
  readonly chain: ClusterChain;
  readonly diary: Diary;
  readonly random: Random;
};

const HOUR = 3_600;
const COIN_SATOSHIS = 3_000_000n;

const ROUTES: Readonly<Record<Kind, string>> = {
  stream: '/api/streams',
  campaign: '/api/rewards',
  payment: '/api/payments',
};

const lockOf = ({ person }: Client): string => person.address('regtest').lockingBytecode;

/** Builds, signs, sends and confirms one move. @returns whether the chain has it and the service knows */
const carryOut = async (
  { diary, random }: Pair,
  who: Client,
  {
    made,
    verb,
    body = {},
    claim = {},
  }: { readonly made: Made; readonly verb: string; readonly body?: Json; readonly claim?: Json },
): Promise<boolean> => {
  const path = `${ROUTES[made.kind]}/${made.id}`;
  const built = await who.ask(
    verb === 'funding'
      ? { method: 'GET', path: `${path}/funding-info` }
      : { method: 'POST', path: `${path}/${verb}`, body },
  );
  const what = `${made.kind} ${verb}`;
  const refuse = (step: string, { body: said }: Answer): false => {
    diary.count(`${what}: ${step} refused, ${String(said['code'])}`);
    return false;
  };
  if (built.status !== 200) return refuse('build', built);
  const { txid, answer } = await who.send(built.body['wcTransaction']);
  if (answer.status !== 200) return refuse('broadcast', answer);
  const sent = { key: made.key, verb, txid, isConfirmed: false };
  diary.sent.push(sent);
  const confirm = () =>
    who.ask({ method: 'POST', path: `${path}/confirm-${verb}`, body: { ...claim, txHash: txid } });
  // Now and then twice at once, which two daemons answer.
  for (const { status, body: said } of await Promise.all(
    random.chance(0.3) ? [confirm(), confirm()] : [confirm()],
  )) {
    if (status === 200) continue;
    diary.find(
      `${made.label}: ${verb} ${txid} was sent, and its confirmation refused: ${JSON.stringify(said)}`,
    );
    return false;
  }
  sent.isConfirmed = true;
  diary.count(what);
  return true;
};

/** Makes a record; twice under the same key now and then, which must make it once. */
const make = async (pair: Pair, kind: Kind, terms: Json): Promise<Made | null> => {
  const { sender, diary, random } = pair;
  const key = freshKey(kind);
  diary.begun.set(key, kind);
  const asked = {
    method: 'POST',
    path: `${ROUTES[kind]}/create`,
    body: { ...terms, label: key },
    key,
  } as const;
  const answers = random.chance(0.3)
    ? await Promise.all([sender.ask(asked), sender.ask(asked)])
    : [await sender.ask(asked)];
  const ids = new Set<string>();
  for (const { status, body } of answers) {
    const record = body[kind] as Readonly<Record<string, string>> | undefined;
    if (status !== 200 || record === undefined) {
      diary.find(`${key} was refused: ${JSON.stringify(body)}`);
      continue;
    }
    ids.add(record['id'] ?? '');
    if (ids.size > 1) diary.find(`${key} was answered with ${[...ids].join(' and ')}`);
    if (diary.made.some((one) => one.key === key)) continue;
    const label = record[{ stream: 'stream_id', campaign: 'campaign_id', payment: 'payment_id' }[kind]] ?? '';
    diary.made.push({ kind, key, id: record['id'] ?? '', label, address: record['contract_address'] ?? '' });
    diary.count(`${kind} create`);
  }
  return diary.made.find((one) => one.key === key) ?? null;
};

const fund = async (pair: Pair, made: Made): Promise<boolean> => {
  await pair.chain.pay(lockOf(pair.sender), COIN_SATOSHIS, 1);
  return carryOut(pair, pair.sender, { made, verb: 'funding' });
};

/** Read whoever answers: what was confirmed before must be there. */
const read = async ({ recipient, diary }: Pair, made: Made): Promise<void> => {
  const { status, body } = await recipient.ask({ method: 'GET', path: `${ROUTES[made.kind]}/${made.id}` });
  diary.count('reads');
  if (status !== 200) {
    diary.find(`${made.label} was answered, and cannot be read: ${JSON.stringify(body)}`);
    return;
  }
  const known = new Set((body['events'] as readonly Json[]).map((event) => event['tx_hash']));
  for (const { key, verb, txid, isConfirmed } of diary.sent)
    if (key === made.key && isConfirmed && !known.has(txid))
      diary.find(`${made.label}: ${verb} ${txid} was confirmed, and a later read does not show it`);
};

const playStream = async (pair: Pair): Promise<void> => {
  const { sender, recipient, chain, random } = pair;
  const { medianTimePast: now } = await chain.tip();
  const made = await make(pair, 'stream', {
    recipient: recipient.address,
    streamType: 'LINEAR',
    totalAmount: 0.01,
    startTime: now - HOUR,
    endTime: now + 2 * HOUR,
  });
  if (made === null || !(await fund(pair, made))) return;
  const claim = () =>
    carryOut(pair, recipient, { made, verb: 'claim', body: { recipientAddress: recipient.address } });
  await claim();
  await read(pair, made);
  // Both at once: one of them is refused by the chain.
  if (random.chance(0.3)) await Promise.all([claim(), carryOut(pair, sender, { made, verb: 'pause' })]);
  else await carryOut(pair, sender, { made, verb: 'pause' });
  if (random.chance(0.5)) await carryOut(pair, sender, { made, verb: 'resume' });
  if (random.chance(0.5)) await carryOut(pair, sender, { made, verb: 'cancel' });
  await read(pair, made);
};

const playCampaign = async (pair: Pair): Promise<void> => {
  const { sender, recipient, random } = pair;
  const made = await make(pair, 'campaign', { title: 'By fire', totalPool: 0.01, maxRewardAmount: 0.005 });
  if (made === null || !(await fund(pair, made))) return;
  for (let times = random.whole(1, 3); times > 0; times -= 1) {
    const reward = { recipientAddress: recipient.address, amount: 0.0005 };
    await carryOut(pair, sender, { made, verb: 'distribute', body: reward, claim: reward });
    await read(pair, made);
  }
  if (random.chance(0.5)) await carryOut(pair, sender, { made, verb: 'cancel' });
  await read(pair, made);
};

const playPayment = async (pair: Pair): Promise<void> => {
  const { sender, recipient, chain, random } = pair;
  const { medianTimePast: now } = await chain.tip();
  const made = await make(pair, 'payment', {
    recipient: recipient.address,
    amountPerPeriod: 0.0005,
    interval: 'DAILY',
    startDate: now - 3 * 24 * HOUR,
  });
  if (made === null || !(await fund(pair, made))) return;
  await carryOut(pair, recipient, { made, verb: 'claim' });
  await read(pair, made);
  if (random.chance(0.5)) await carryOut(pair, sender, { made, verb: 'pause' });
  if (random.chance(0.5)) await carryOut(pair, sender, { made, verb: 'cancel' });
  await read(pair, made);
};

/** One record's life after another, until it is over. */
export const playPair = async (pair: Pair, isOver: () => boolean): Promise<void> => {
  const { chain, sender, recipient, random } = pair;
  await chain.pay(lockOf(sender), COIN_SATOSHIS, 10);
  await chain.pay(lockOf(recipient), COIN_SATOSHIS, 3);
  while (!isOver()) {
    await chain.pay(lockOf(sender), COIN_SATOSHIS, 1);
    await { stream: playStream, campaign: playCampaign, payment: playPayment }[
      random.weighed({ stream: 5, campaign: 3, payment: 3 })
    ](pair);
  }
};
