/** Whoever wants to know what happens: they follow the event log by its cursor, or have webhooks. */
import type { Person } from '../../fixtures/people.js';
import type { EventEntry } from '../../src/record/event-reading.js';
import { honest, type Play } from './cast.js';
import { ask, askPatiently } from './client.js';
import type { Json } from './processes.js';
import { MOODS, type Receiver } from './receivers.js';
import type { OpenedWorld } from './world.js';

/** Somebody who follows the log over HTTP. */
export type Follower = {
  /** Null: nobody in particular. */
  readonly who: Person | null;
  cursor: number;
  /** By their sequences. */
  readonly read: Map<number, EventEntry>;
  isReading: boolean;
};

/** Everybody, and somebody whom nobody knows. */
export const createFollowers = (people: readonly Person[]): Follower[] =>
  [...people, null].map((who) => ({ who, cursor: 0, read: new Map<number, EventEntry>(), isReading: false }));

const nameOf = ({ who }: Follower): string => who?.name ?? 'somebody';

type Page = { readonly events: readonly EventEntry[]; readonly cursor: number; readonly hasMore: boolean };

/** Takes in what was answered. What comes behind a cursor is all after it, in order, and was not read before. */
const takeIn = (world: OpenedWorld, follower: Follower, { events, cursor }: Page): void => {
  let last = follower.cursor;
  for (const event of events) {
    if (event.sequence <= last || follower.read.has(event.sequence))
      world.find('events', `${nameOf(follower)} asks behind ${last} and is answered ${event.sequence} again`);
    last = event.sequence;
    follower.read.set(event.sequence, event);
  }
  if (cursor < last)
    world.find('events', `the cursor of ${nameOf(follower)} goes back to ${cursor} from ${last}`);
  follower.cursor = cursor;
};

/** Reads on. Returns whether there may be more; without an answer, there may. */
export const readOn = async (world: OpenedWorld, follower: Follower, limit: number): Promise<boolean> => {
  if (follower.isReading) return true;
  follower.isReading = true;
  try {
    const got = await ask(world, follower.who, 'events.list', { since: follower.cursor, limit });
    if (got === null) return true;
    if (got.status === 200) {
      takeIn(world, follower, got.body as unknown as Page);
      return got.body['hasMore'] === true;
    }
    if (got.status < 500)
      world.find(
        'events',
        `${nameOf(follower)} has read up to ${follower.cursor}, and is refused: ${JSON.stringify(got.body)}`,
      );
    return true;
  } finally {
    follower.isReading = false;
  }
};

/** One of those who follow reads a page. */
export const follow = async ({ world, random }: Play): Promise<void> => {
  await readOn(world, random.pick(world.followers), random.whole(1, 100));
};

/** Somebody makes a webhook. */
export const subscribe = async (play: Play, who: Person, wish: Json): Promise<Receiver> => {
  const { world, tag } = play;
  const host = `${tag}.example`.toLowerCase();
  const receiver: Receiver = {
    host,
    owner: who,
    mood: 'well',
    subscription: null,
    secrets: [],
    isUnsure: true,
    isRemoved: false,
    taken: new Map(),
    told: new Map(),
  };
  world.receivers.all.push(receiver);
  const since = world.followers[0]?.cursor ?? 0;
  const asked = { url: `https://${host}/hooks`, since, ...wish };
  const got = await ask(world, who, 'webhooks.add', asked);
  world.tell(`${who.name} makes a webhook to ${host}: ${got === null ? 'no answer' : got.status}`);
  if (got?.status !== 201) return receiver;
  const made = got.body['webhook'] as Json;
  receiver.subscription = {
    id: String(made['id']),
    label: String(made['label']),
    types: made['types'] as string[],
    record: (made['record'] ?? null) as string | null,
    certainty: (made['certainty'] ?? null) as EventEntry['certainty'],
    since,
  };
  receiver.secrets.push(String(got.body['secret']));
  receiver.isUnsure = false;
  return receiver;
};

/** Another secret. Without an answer its owner does not know which. */
const rotate = async (world: OpenedWorld, receiver: Receiver): Promise<boolean> => {
  const { owner, subscription } = receiver;
  if (subscription === null) return true;
  receiver.isUnsure = true;
  const got = await ask(world, owner, 'webhooks.rotate', { id: subscription.id });
  if (got?.status !== 200) return false;
  receiver.secrets.push(String(got.body['secret']));
  receiver.isUnsure = false;
  return true;
};

const MOST_RECEIVERS = 5;

const wishOf = ({ random, world }: Play): Json => ({
  ...(random.chance(0.5)
    ? {}
    : { types: random.pick(['stream.*', 'vault.*,chain.reorg', 'stream.claimed', 'payment.*']) }),
  ...(random.chance(0.3) ? { certainty: random.pick(['seen', 'confirmed', 'safe']) } : {}),
  ...(random.chance(0.2) && world.known.length > 0 ? { record: random.pick(world.known).label } : {}),
  atOnce: random.pick([1, 1, 5]),
});

/** Somebody makes a webhook, or does something with one. */
export const webhook = async (play: Play): Promise<void> => {
  const { world, random } = play;
  const all = world.receivers.all.filter(
    ({ isRemoved, subscription }) => !isRemoved && subscription !== null,
  );
  if (all.length === 0 || (all.length < MOST_RECEIVERS && random.chance(0.4))) {
    await subscribe(play, random.pick(honest(play)), wishOf(play));
    return;
  }
  const receiver = random.pick(all);
  const id = receiver.subscription?.id ?? '';
  const what = random.weighed({ rotate: 3, resend: 3, remove: 1, list: 1 });
  world.tell(`${receiver.owner.name}: ${what} of the webhook to ${receiver.host}`);
  if (what === 'rotate') await rotate(world, receiver);
  else if (what === 'list') await ask(world, receiver.owner, 'webhooks.list', {});
  else if (what === 'remove') {
    receiver.isRemoved = true;
    await ask(world, receiver.owner, 'webhooks.remove', { id });
  } else {
    // Where it began, or any time after it: nothing is lost by it.
    const since = random.whole(receiver.subscription?.since ?? 0, world.followers[0]?.cursor ?? 0);
    await ask(world, receiver.owner, 'webhooks.resend', {
      id,
      ...random.pick([{ since }, { setAside: true }]),
    });
  }
};

const TROUBLE_MS = 60_000;

/** A receiver is in trouble for a while. */
export const troubleReceiver = async ({ world, random }: Play): Promise<void> => {
  const { all } = world.receivers;
  if (all.length === 0) return Promise.resolve();
  const receiver = random.pick(all);
  receiver.mood = random.pick(MOODS);
  world.count(`fault: a receiver ${receiver.mood === 'well' ? 'is well again' : receiver.mood}`);
  world.tell(`${receiver.host}: ${receiver.mood}`);
  world.timeline.after(
    random.next() * TROUBLE_MS,
    () => {
      receiver.mood = 'well';
    },
    null,
  );
  return Promise.resolve();
};

/** Everybody knows their secrets again, and what was given up is sent again. */
export const mendWebhooks = async (world: OpenedWorld): Promise<void> => {
  for (const receiver of world.receivers.all) {
    const { owner, subscription } = receiver;
    if (subscription === null || receiver.isRemoved) continue;
    const { id } = subscription;
    if (receiver.isUnsure && !(await rotate(world, receiver)))
      world.find('webhooks', `the secret of ${receiver.host} cannot be changed`);
    for (const [what, input] of [
      ['webhooks.enable', { id }],
      ['webhooks.resend', { id, setAside: true }],
    ] as const) {
      const got = await askPatiently(world, owner, what, input);
      if (got?.status !== 200) world.find('webhooks', `${what} of ${receiver.host}: ${JSON.stringify(got)}`);
    }
  }
};

/** Everybody reads to the end. */
export const readToTheEnd = async (world: OpenedWorld): Promise<void> => {
  for (const follower of world.followers)
    for (let pages = 0, isMore = true; isMore && pages < 500; pages += 1)
      isMore = await readOn(world, follower, 100);
};
