/** Long messages in parts: what is wrapped twice must fit into what NIP-44 takes. Pure. */
import { z } from 'zod';

/** Longest message that is sent whole, bytes; and longest part of one that is not, characters. */
const LONGEST = 40_000;
/** Parts of a message that does not become whole are dropped after that, seconds. */
const KEPT_SECONDS = 120;
/** Most parts of one message: more than the largest transaction needs. */
const MOST_PARTS = 200;

const Chunk = z.object({
  action: z.literal('chunk'),
  msgId: z.string().max(100),
  index: z.int().min(0),
  total: z.int().min(1).max(MOST_PARTS),
  data: z.string().max(LONGEST),
});

/** True for what has to be sent in parts. */
export const isLong = (text: string): boolean => Buffer.byteLength(text) > LONGEST;

/** The parts of a text, each a message of its own. */
export const partsOf = (text: string, time: number, msgId: string): readonly Record<string, unknown>[] => {
  const all = Buffer.from(text).toString('base64');
  const parts = all.match(new RegExp(`.{1,${LONGEST}}`, 'g')) ?? [];
  return parts.map((data, index) => ({ action: 'chunk', time, msgId, index, total: parts.length, data }));
};

/** Most messages that are put together at once, and most that are known to be whole. */
const MOST_BEGUN = 4;
const MOST_DONE = 50;

/** Puts the parts of one sender together, in whatever order they come, each message once. */
export const createJoiner = () => {
  const begun = new Map<string, { readonly since: number; readonly parts: (string | undefined)[] }>();
  const done = new Set<string>();
  const forgetFirst = (kept: Map<string, unknown> | Set<string>, most: number): void => {
    for (const id of kept.keys()) if (kept.size > most) kept.delete(id);
  };
  /** @returns the whole text with its last part; null: parts are missing, or it is no part */
  return (message: unknown, now: number): string | null => {
    for (const [id, { since }] of begun) if (now - since > KEPT_SECONDS) begun.delete(id);
    const read = Chunk.safeParse(message);
    if (!read.success || read.data.index >= read.data.total || done.has(read.data.msgId)) return null;
    const { msgId, index, total, data } = read.data;
    const entry = begun.get(msgId) ?? { since: now, parts: Array<string | undefined>(total).fill(undefined) };
    if (entry.parts.length !== total) return null;
    entry.parts[index] = data;
    begun.set(msgId, entry);
    forgetFirst(begun, MOST_BEGUN);
    if (entry.parts.includes(undefined)) return null;
    begun.delete(msgId);
    done.add(msgId);
    forgetFirst(done, MOST_DONE);
    return Buffer.from(entry.parts.join(''), 'base64').toString('utf8');
  };
};
