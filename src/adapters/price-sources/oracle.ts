/** The price oracle behind a relay, asked for its newest signed messages. */
import { fetchLimited } from '../fetch-limited.js';
import { newestPrice, refusalOf, RelayAnswer, type PriceMessage } from './oracle-message.js';

export type OracleSettings = {
  /** The relay's base URL. */
  readonly url: string;
  /** The key that must have signed: 33 bytes as lower-case hex. */
  readonly publicKey: string;
};

/** Among that many newest messages there is a price: metadata messages are rare. */
const MESSAGES = 10;

const urlOf = ({ url, publicKey }: OracleSettings): string => {
  const query = new URLSearchParams({ publicKey, count: String(MESSAGES) });
  return `${url.replace(/\/+$/, '')}/api/v1/oracleMessages?${query.toString()}`;
};

/** Asks for a price. `earlier` is the last one taken: a relay that goes back behind it is refused. */
export const fetchOraclePrice = async (
  settings: OracleSettings,
  {
    earlier,
    now,
    ...request
  }: {
    readonly earlier: PriceMessage | null;
    /** Unix seconds. */
    readonly now: number;
    readonly limitMilliseconds: number;
    readonly signal: AbortSignal;
  },
): Promise<PriceMessage> => {
  const { status, body } = await fetchLimited(urlOf(settings), request);
  if (status !== 200) throw new Error(`the oracle answers ${status}`);
  const price = newestPrice(RelayAnswer.parse(JSON.parse(body)).oracleMessages, settings.publicKey);
  if (price === null) throw new Error('the oracle has no price that its key signed');
  const refusal = refusalOf(price, earlier, now);
  if (refusal !== null) throw new Error(`the oracle is refused: ${refusal}`);
  return price;
};
