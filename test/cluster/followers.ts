/** Who is told of events: followers of the stream, who lose their connection and come back, and the receiver of a webhook. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import type { Random } from '../simulate/random.js';
import type { Diary } from './diary.js';
import type { Place } from './place.js';

/** What is looked at of an event. */
export type Told = {
  readonly sequence: number;
  readonly id: string;
  readonly type: string;
  readonly subject: { readonly id: string } | null;
  readonly certainty: string | null;
  readonly was: string | null;
  readonly txHash: string | null;
  readonly reverts: string | null;
  readonly data: Readonly<Record<string, unknown>>;
};

export type Follower = {
  readonly name: string;
  readonly from: number;
  readonly told: readonly Told[];
  readonly stop: () => void;
};

/** The messages of a stream of Server-Sent Events, until it ends. */
async function* messagesOf(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ readonly id: string; readonly data: string }> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    for (let at = rest.indexOf('\n\n'); at !== -1; at = rest.indexOf('\n\n')) {
      const lines = rest.slice(0, at).split('\n');
      rest = rest.slice(at + 2);
      const field = (name: string) =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? '';
      if (field('id') !== '') yield { id: field('id'), data: field('data') };
    }
  }
}

/** Follows from a place of the log on, and drops the connection at random. */
export const follow = (
  {
    url,
    name,
    from,
    random,
  }: { readonly url: string; readonly name: string; readonly from: number; readonly random: Random },
  diary: Diary,
): Follower => {
  const told: Told[] = [];
  const over = new AbortController();
  let current: AbortController | null = null;
  const read = async (): Promise<void> => {
    current = new AbortController();
    const quits = setTimeout(() => current?.abort(), random.whole(3_000, 40_000));
    try {
      const last = String(told.at(-1)?.sequence ?? from);
      const response = await fetch(`${url}/api/events/stream`, {
        headers: { 'last-event-id': last },
        signal: current.signal,
      });
      if (!response.ok || response.body === null) return;
      for await (const { id, data } of messagesOf(response.body)) {
        const event = JSON.parse(data) as Told;
        if (String(event.sequence) !== id)
          diary.find(`${name}: message ${id} has the event ${event.sequence}`);
        told.push(event);
      }
    } finally {
      clearTimeout(quits);
    }
  };
  void (async () => {
    while (!over.signal.aborted) {
      await read().catch(() => undefined);
      diary.count('streams of events that ended, and were gone on with');
      await wait(random.whole(50, 500));
    }
  })();
  return {
    name,
    from,
    told,
    stop: () => {
      over.abort();
      current?.abort();
    },
  };
};

export type Receiver = {
  readonly url: string;
  /** Ids of what came signed, with how often. */
  readonly taken: ReadonlyMap<string, number>;
  readonly setSecret: (secret: string) => void;
  /** True: it answers 500. */
  readonly fail: (isFailing: boolean) => void;
};

export const openReceiver = async ({ teardown }: Place, diary: Diary): Promise<Receiver> => {
  const taken = new Map<string, number>();
  let secret = '';
  let isFailing = false;
  const server = createServer((request, response) => {
    void text(request)
      .then((body) => {
        if (isFailing) {
          response.writeHead(500).end();
          return;
        }
        const { data } = new Webhook(secret).verify(body, request.headers as Record<string, string>) as {
          data: Told;
        };
        if (data.id !== request.headers['webhook-id'])
          diary.find(`a webhook of ${data.id} is called otherwise`);
        taken.set(data.id, (taken.get(data.id) ?? 0) + 1);
        response.writeHead(204).end();
      })
      .catch((error: unknown) => {
        diary.find(`a webhook that nobody has signed: ${String(error)}`);
        response.destroy();
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    taken,
    setSecret: (to) => {
      secret = to;
    },
    fail: (now) => {
      isFailing = now;
    },
  };
};
