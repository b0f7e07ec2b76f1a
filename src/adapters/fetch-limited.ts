/** One request to a web server, bounded in time and in size. */

/** No answer that is read here comes near this size. */
const MAXIMUM_BYTES = 256 * 1024;

export type LimitedRequest = {
  readonly method?: 'GET' | 'HEAD';
  /** For the whole exchange, body included. */
  readonly limitMilliseconds: number;
  /** Ends the request early. */
  readonly signal?: AbortSignal;
};

const readBody = async (response: Response): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    const bytes = chunk as Uint8Array;
    size += bytes.length;
    if (size > MAXIMUM_BYTES) throw new Error(`the answer is larger than ${MAXIMUM_BYTES} bytes`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
};

/**
 * The status and the body of an answer.
 *
 * @throws Error when there is no answer in time, or a larger one than is ever needed
 */
export const fetchLimited = async (
  url: string,
  { method = 'GET', limitMilliseconds, signal }: LimitedRequest,
): Promise<{ readonly status: number; readonly body: string }> => {
  const timeout = AbortSignal.timeout(limitMilliseconds);
  const response = await fetch(url, {
    method,
    headers: { accept: 'application/json, */*' },
    signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
  });
  return { status: response.status, body: await readBody(response) };
};
