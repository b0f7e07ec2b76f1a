/** One POST to an address that was resolved and judged before: no redirects, bounded in time, and little of the answer is read. */
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';

/** So much of an answer is read, bytes. */
const MOST_BYTES = 4_096;

export type PostRequest = {
  readonly url: URL;
  /** The IP address that the connection goes to, whatever the name of the URL stands for by then. */
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
};

/** What came back: of the body the first 4 KiB, or what had come by the time that the signal ended it. */
export type PostAnswer = {
  readonly status: number;
  readonly location: string | null;
  readonly body: string;
};

/** How messages leave. @throws Error when there is no answer */
export type Post = (request: PostRequest) => Promise<PostAnswer>;

/** The beginning of a body. The connection is let go of then: nobody waits for the rest. */
const readStart = (response: IncomingMessage): Promise<string> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const end = (): void => {
      resolve(Buffer.concat(chunks).subarray(0, MOST_BYTES).toString('utf8'));
      response.destroy();
    };
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= MOST_BYTES) end();
    });
    // What was answered stands, however the body ends.
    response.once('end', end).once('error', end).once('close', end);
  });

/** Sends over a connection of its own: one that is kept might lead to another address than the one that was judged. */
export const postOnce: Post = ({ url, address, headers, body, signal }) =>
  new Promise((resolve, reject) => {
    const isSecure = url.protocol === 'https:';
    const bytes = Buffer.from(body);
    let isAnswered = false;
    const sent = (isSecure ? requestHttps : requestHttp)(
      {
        method: 'POST',
        host: address,
        port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port),
        path: `${url.pathname}${url.search}`,
        // The certificate is that of the name, not of the address.
        servername: url.hostname.startsWith('[') || address === url.hostname ? '' : url.hostname,
        headers: { ...headers, host: url.host, 'content-length': bytes.length, connection: 'close' },
        agent: false,
        signal,
      },
      (response) => {
        isAnswered = true;
        const { statusCode: status = 0, headers: answered } = response;
        readStart(response).then((start) => {
          resolve({ status, location: answered.location ?? null, body: start });
        }, reject);
      },
    );
    sent.on('error', (error) => {
      // A body that is cut off is what had come of it.
      if (!isAnswered) reject(error);
    });
    // One that is answered with another protocol (101) is closed, without any error.
    sent.once('close', () => {
      if (!isAnswered) reject(new Error('the connection was closed before an answer came'));
    });
    sent.end(bytes);
  });
