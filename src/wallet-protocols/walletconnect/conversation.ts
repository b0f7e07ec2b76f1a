/**
 * A session's conversation over a relay: what the wallet says by itself is taken in and answered, and its answers find whoever
 * waits for them. Every change is kept before anything that follows of it is sent.
 */
import { hexBytes } from '../bytes.js';
import type { RemoteWallet } from '../remote-wallet.js';
import { isMethod, nextPeerId, type Incoming, type Method } from './messages.js';
import { openPeer } from './peer.js';
import type { Relay } from './relay.js';
import { withAnswer, withSent, type Answer, type SessionState } from './state.js';
import { takeIn } from './taken-in.js';

/** The wallet that a session is with. */
export type SessionOwner = Pick<
  RemoteWallet,
  'name' | 'address' | 'nowMs' | 'random' | 'asking' | 'words'
> & {
  readonly waitSeconds: number;
  readonly save: (state: SessionState) => Promise<void>;
};

export type Conversation = {
  readonly state: () => SessionState;
  /** Resolves when it is kept. */
  readonly keep: (change: (state: SessionState) => SessionState) => Promise<void>;
  /** An id that was never given. */
  readonly nextId: () => number;
  /** Sends a message under an id. @returns what it is answered, in time */
  readonly send: (
    id: number,
    message: { readonly method: Method; readonly params: unknown; readonly ttl?: number },
  ) => Promise<{ readonly answer: Promise<Answer> }>;
  /** What a message is answered that was sent before. */
  readonly answerTo: (id: number) => Promise<Answer>;
  /** Resolves when the wallet ends the session. */
  readonly ended: Promise<void>;
};

/** The state of a session, and how it is kept: one change after the other. */
const createKeeper = (first: SessionState, save: SessionOwner['save']) => {
  let state = first;
  let saving: Promise<void> = Promise.resolve();
  return {
    state: () => state,
    keep: (change: (state: SessionState) => SessionState): Promise<void> => {
      const next = change(state);
      if (next === state) return saving;
      state = next;
      saving = saving.then(() => save(next));
      return saving;
    },
    /** Resolves when all is kept. */
    isKept: () => saving,
  };
};

/** Answers and those who wait for them. One that nobody waits for is kept for whoever asks the same. */
const createAnswers = ({ state, keep }: Pick<Conversation, 'state' | 'keep'>) => {
  const waiters = new Map<number, (answer: Answer) => void>();
  return {
    take: async (id: number, { result, error }: Incoming): Promise<void> => {
      const answer: Answer = error === undefined ? { result } : { result, error };
      if (state().open.some((one) => one.id === id)) await keep((current) => withAnswer(current, id, answer));
      waiters.get(id)?.(answer);
    },
    answerTo: (id: number): Promise<Answer> =>
      new Promise((resolve) => {
        waiters.set(id, (answer) => {
          waiters.delete(id);
          resolve(answer);
        });
      }),
  };
};

/** Opens the conversation; what was kept for it is taken in when this resolves. @throws relay_unavailable, project_id_refused */
export const openConversation = async (
  relay: Relay,
  first: SessionState,
  { nowMs, random, save }: SessionOwner,
): Promise<Conversation> => {
  const symKey = hexBytes(first.symKey);
  const peer = openPeer({ relay, topic: first.topic, symKey, random });
  const { state, keep, isKept } = createKeeper(first, save);
  const { take: takeAnswer, answerTo } = createAnswers({ state, keep });
  const over = new AbortController();

  const takeRequest = async (idText: string, method: Method, params: unknown): Promise<void> => {
    const taken = takeIn(state(), { id: Number(idText), method, params }, Math.floor(nowMs() / 1_000));
    await keep(() => taken.state);
    if (taken.answer !== null) await peer.answer(idText, method, taken.answer);
    if (taken.state.ended !== null) over.abort();
  };
  await peer.listen(({ id, method, ...message }) => {
    if (id === null) return;
    if (method === null) {
      if ('result' in message || 'error' in message)
        takeAnswer(Number(id), { id, method, ...message }).catch(() => undefined);
      return;
    }
    // Some relays give back what was sent: whoever answered that would answer in the wallet's place.
    if (state().sent.includes(Number(id)) || !isMethod(method)) return;
    takeRequest(id, method, message.params).catch(() => undefined);
  });
  await isKept();
  return {
    state,
    keep,
    nextId: () => nextPeerId(state().lastId, nowMs()),
    send: async (id, { method, params, ttl }) => {
      const answer = answerTo(id);
      await keep((current) => withSent(current, id));
      await peer.send(id, method, params, ttl);
      return { answer };
    },
    answerTo,
    ended: new Promise((resolve) => {
      over.signal.addEventListener('abort', () => {
        resolve();
      });
    }),
  };
};
