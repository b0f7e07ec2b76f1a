/** Long messages in parts: what is wrapped twice must fit into what NIP-44 takes. Pure. */
import { fromBase64, textOf, toBase64, utf8 } from '../bytes.js';
import { exactly, fields, readOr, text as words, whole } from '../shape.js';

/** Longest message that is sent whole, bytes; and longest part of one that is not, characters. */
const LONGEST = 40_000;
/** Parts of a message that does not become whole are dropped after that, seconds. */
const KEPT_SECONDS = 120;
/** Most parts of one message: more than the largest transaction needs. */
const MOST_PARTS = 200;

/** Longest name of a message. */
const LONGEST_NAME = 100;

const Chunk = fields({ action: exactly('chunk'), msgId: words, index: whole, total: whole, data: words });

/** A part that may be kept; null for what is none. */
const readChunk = (message: unknown) => {
  const chunk = readOr(Chunk, message);
  if (chunk === null || chunk.msgId.length > LONGEST_NAME || chunk.data.length > LONGEST) return null;
  const isPlaced = chunk.index >= 0 && chunk.index < chunk.total && chunk.total <= MOST_PARTS;
  return isPlaced ? chunk : null;
};

/** True for what has to be sent in parts. */
export const isLong = (text: string): boolean => utf8(text).length > LONGEST;

/** The parts of a text, each a message of its own. */
export const partsOf = (text: string, time: number, msgId: string): readonly Record<string, unknown>[] => {
  const all = toBase64(utf8(text));
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
    const chunk = readChunk(message);
    if (chunk === null || done.has(chunk.msgId)) return null;
    const { msgId, index, total, data } = chunk;
    const entry = begun.get(msgId) ?? { since: now, parts: Array<string | undefined>(total).fill(undefined) };
    if (entry.parts.length !== total) return null;
    entry.parts[index] = data;
    begun.set(msgId, entry);
    forgetFirst(begun, MOST_BEGUN);
    if (entry.parts.includes(undefined)) return null;
    begun.delete(msgId);
    done.add(msgId);
    forgetFirst(done, MOST_DONE);
    return textOf(fromBase64(entry.parts.join('')));
  };
};
