/** The public price API, asked when the oracle fails. */
import { z } from 'zod';
import { fetchLimited, type LimitedRequest } from '../fetch-limited.js';

const ApiAnswer = z.object({ 'bitcoin-cash': z.object({ usd: z.number().positive() }) });

/** USD per 1 BCH. @throws Error when it does not answer with a price */
export const fetchApiPrice = async (url: string, request: LimitedRequest): Promise<number> => {
  const { status, body } = await fetchLimited(url, request);
  if (status !== 200) throw new Error(`the price API answers ${status}`);
  return ApiAnswer.parse(JSON.parse(body))['bitcoin-cash'].usd;
};
