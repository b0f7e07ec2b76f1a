/** A client of Server-Sent Events that keeps what it was sent. */
import { request, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

export type SseMessage = { readonly id: string; readonly event: string; readonly data: unknown };

export type SseClient = {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly messages: readonly SseMessage[];
  readonly comments: readonly string[];
  /** What an EventSource would send as `Last-Event-ID`. */
  readonly lastId: () => string;
  /** All that was sent, as it came. */
  readonly text: () => string;
  readonly isEnded: () => boolean;
  /** Resolves when it holds; rejects after ten seconds. */
  readonly until: (holds: () => boolean) => Promise<void>;
  readonly close: () => void;
};

/** Reads blocks as the specification says: fields in lines, a block ends with an empty line, one without data is no message. */
const createParser = () => {
  const messages: SseMessage[] = [];
  const comments: string[] = [];
  let lastId = '';
  let rest = '';
  const readBlock = (block: string): void => {
    const data: string[] = [];
    let event = 'message';
    for (const line of block.split('\n')) {
      if (line.startsWith(':')) comments.push(line.slice(1).trim());
      const [, name, value = ''] = /^(\w+):? ?(.*)$/s.exec(line) ?? [];
      if (name === 'id') lastId = value;
      if (name === 'event') event = value;
      if (name === 'data') data.push(value);
    }
    if (data.length > 0) messages.push({ id: lastId, event, data: JSON.parse(data.join('\n')) });
  };
  return {
    messages,
    comments,
    lastId: () => lastId,
    take: (text: string): void => {
      const blocks = `${rest}${text}`.split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) readBlock(block);
    },
  };
};

/** Opens a stream; the answer may be an error as well. */
export const openSse = (url: string, headers: OutgoingHttpHeaders = {}): Promise<SseClient> =>
  new Promise((resolve, reject) => {
    const sending = request(url, { headers, agent: false });
    sending.once('error', reject);
    sending.once('response', (response) => {
      const parser = createParser();
      let [text, isEnded] = ['', false];
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        parser.take(chunk);
      });
      response.on('close', () => {
        isEnded = true;
      });
      response.on('error', () => undefined);
      const until = async (holds: () => boolean): Promise<void> => {
        const late = performance.now() + 10_000;
        while (!holds()) {
          if (performance.now() > late) throw new Error(`it never held: ${text.slice(-2_000)}`);
          await wait(5);
        }
      };
      resolve({
        ...parser,
        status: response.statusCode ?? 0,
        headers: response.headers,
        text: () => text,
        isEnded: () => isEnded,
        until,
        close: () => {
          response.destroy();
        },
      });
    });
    sending.end();
  });
