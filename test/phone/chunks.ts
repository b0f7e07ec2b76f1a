/** Messages that are too long for one wrap, in parts. */
import { randomUUID } from 'node:crypto';

const LONGEST = 40_000;

type Chunk = {
  readonly action: 'chunk';
  readonly time: number;
  readonly msgId: string;
  readonly index: number;
  readonly total: number;
  readonly data: string;
};

export const isChunk = (message: Record<string, unknown>): message is Chunk => message['action'] === 'chunk';

/** A message as what is sent of it: itself, or its parts. */
export const toParts = (json: string, time: number, isChunked: boolean): string[] => {
  if (!isChunked || Buffer.byteLength(json) <= LONGEST) return [json];
  const whole = Buffer.from(json).toString('base64');
  const slices = whole.match(new RegExp(`.{1,${LONGEST}}`, 'g')) ?? [];
  const msgId = randomUUID();
  return slices.map((data, index) =>
    JSON.stringify({ action: 'chunk', time, msgId, index, total: slices.length, data } satisfies Chunk),
  );
};

/** Parts that wait for the others. */
export class Parts {
  readonly #waiting = new Map<string, Map<number, string>>();
  readonly #done = new Set<string>();

  /** The whole message when this was the last part; null before, and after. */
  take({ msgId, index, total, data }: Chunk): string | null {
    if (this.#done.has(msgId) || index < 0 || index >= total) return null;
    const parts = this.#waiting.get(msgId) ?? new Map<number, string>();
    parts.set(index, data);
    this.#waiting.set(msgId, parts);
    if (parts.size < total) return null;
    this.#waiting.delete(msgId);
    this.#done.add(msgId);
    const whole = Array.from({ length: total }, (_, at) => parts.get(at) ?? '').join('');
    return Buffer.from(whole, 'base64').toString();
  }
}
