/** Receivers of webhooks: each at a name of its own, honest, and now and then in trouble. */
import { Webhook } from 'standardwebhooks';
import type { Person } from '../../fixtures/people.js';
import type { Outgoing } from '../../src/adapters/messenger/messenger.js';
import type { PostAnswer, PostRequest } from '../../src/adapters/messenger/post.js';
import type { EventEntry } from '../../src/record/event-reading.js';
import type { Random } from './random.js';
import type { Timeline } from './timeline.js';

/** `forgets`: it takes a message, and its answer is lost. */
export const MOODS = ['well', 'answers 500', 'hangs', 'down', 'forgets', 'slow'] as const;
export type Mood = (typeof MOODS)[number];

/** What somebody has asked for with a webhook. */
export type Subscription = {
  readonly id: string;
  readonly label: string;
  readonly types: readonly string[];
  readonly record: string | null;
  readonly certainty: EventEntry['certainty'];
  /** It is told of what comes behind this place in the log. */
  readonly since: number;
};

export type Receiver = {
  readonly host: string;
  readonly owner: Person;
  mood: Mood;
  /** Null: nobody has told whoever made it of it yet. */
  subscription: Subscription | null;
  readonly secrets: string[];
  /** A message may be signed with a secret that its owner was not told of: the answer was lost. */
  isUnsure: boolean;
  isRemoved: boolean;
  /** What it has answered with 200, by ids of the events. */
  readonly taken: Map<string, EventEntry>;
  /** Everything that was signed well, taken or not. */
  readonly told: Map<string, EventEntry>;
};

type Telling = {
  readonly timeline: Timeline;
  readonly random: Random;
  readonly find: (check: string, what: string) => void;
  readonly count: (what: string) => void;
};

export type Receivers = {
  readonly all: Receiver[];
  readonly outgoing: Outgoing;
};

/** An address of the wide world. */
const ADDRESS = '93.184.216.34';
const LIMIT_MS = 10_000;

const errno = (code: string): Error => Object.assign(new Error(code), { code });

/** The event of a message that is signed as it should be; null: it is too old by now, or signed with what nobody knows yet. */
const verified = (
  receiver: Receiver,
  { body, headers }: PostRequest,
  { find, count }: Telling,
): EventEntry | null => {
  const faults: string[] = [];
  for (const secret of receiver.secrets.toReversed()) {
    try {
      const message = new Webhook(secret).verify(body, { ...headers }) as { readonly data: EventEntry };
      if (headers['webhook-id'] !== message.data.id)
        find('webhooks', `a message to ${receiver.host} says it is ${headers['webhook-id'] ?? ''}: ${body}`);
      return message.data;
    } catch (error) {
      faults.push(String(error));
    }
  }
  const isLate = faults.some((fault) => /timestamp/.test(fault));
  if (isLate) count('fault: a message to a webhook comes too late');
  else if (!receiver.isUnsure && receiver.secrets.length > 0)
    find('webhooks', `a message to ${receiver.host} is forged: ${faults.join('; ')}: ${body}`);
  return null;
};

/** What is told twice is the same. */
const note = (receiver: Receiver, event: EventEntry, { find }: Telling): void => {
  const before = receiver.told.get(event.id);
  if (before !== undefined && JSON.stringify(before) !== JSON.stringify(event))
    find(
      'webhooks',
      `${receiver.host} was told ${JSON.stringify(before)}, and then ${JSON.stringify(event)}`,
    );
  receiver.told.set(event.id, event);
};

/** What a receiver answers; null: nothing ever. */
const answerOf = (receiver: Receiver, request: PostRequest, telling: Telling): PostAnswer | null => {
  const { mood } = receiver;
  const answer = (status: number): PostAnswer => ({ status, location: null, body: '' });
  if (mood === 'hangs') return null;
  const event = verified(receiver, request, telling);
  if (event === null) return answer(400);
  note(receiver, event, telling);
  if (mood === 'answers 500') return answer(500);
  if (mood === 'forgets') return null;
  receiver.taken.set(event.id, event);
  telling.count('checked: a webhook was told');
  return answer(200);
};

/** The receivers of a world, and how messages come to them. */
export const createReceivers = (telling: Telling): Receivers => {
  const all: Receiver[] = [];
  const { timeline, random } = telling;
  const at = (host: string): Receiver | undefined => all.find((receiver) => receiver.host === host);
  const latency = (mood: Mood | undefined): number => random.next() * (mood === 'slow' ? 7_000 : 20);
  const outgoing: Outgoing = {
    limitMilliseconds: LIMIT_MS,
    resolve: async (host) => {
      await timeline.sleep(random.next() * 5);
      if (at(host) === undefined) throw errno('ENOTFOUND');
      return [ADDRESS];
    },
    post: (request) =>
      new Promise((resolve, reject) => {
        const receiver = at(request.url.hostname);
        request.signal.addEventListener('abort', () => {
          reject(new Error('aborted'));
        });
        const answered = (work: () => void): void => {
          timeline.after(latency(receiver?.mood), work);
        };
        if (receiver === undefined || receiver.mood === 'down') {
          answered(() => {
            reject(errno('ECONNREFUSED'));
          });
          return;
        }
        // It arrives, whatever becomes of whoever has sent it.
        let answer: PostAnswer | null = null;
        const way = latency(receiver.mood);
        timeline.after(
          way,
          () => {
            answer = answerOf(receiver, request, telling);
          },
          null,
        );
        timeline.after(way + 1 + latency(receiver.mood), () => {
          if (answer !== null) resolve(answer);
        });
      }),
  };
  return { all, outgoing };
};
