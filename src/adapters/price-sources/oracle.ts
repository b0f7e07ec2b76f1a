/** The price oracle behind a relay: its newest signed messages, their layout and their signature. Source: docs/design/api.md. */
import { hexToBin, secp256k1, sha256 } from '@bitauth/libauth';
import { z } from 'zod';
import { fetchLimited } from '../fetch-limited.js';

/** A reading may be this old, and no older; nor this far ahead of the clock. */
export const STALE_SECONDS = 600;

const MESSAGE_BYTES = 16;
const SIGNATURE_BYTES = 64;

const HexBytes = z.string().regex(/^(?:[0-9a-f]{2})+$/i);

/** What a relay answers. */
const RelayAnswer = z.object({
  oracleMessages: z.array(z.object({ message: HexBytes, publicKey: HexBytes, signature: HexBytes })),
});
type RelayMessage = z.output<typeof RelayAnswer>['oracleMessages'][number];

/** A price that an oracle signed. */
export type PriceMessage = {
  /** Unix seconds. */
  readonly timestamp: number;
  /** Counts every message of the oracle. */
  readonly sequence: number;
  /** Counts its prices. */
  readonly priceSequence: number;
  /** USD cents per 1 BCH. */
  readonly cents: number;
  readonly messageHex: string;
  readonly signatureHex: string;
};

/**
 * The price in a message of four little-endian, signed 32-bit fields, or null when it carries none: a message whose
 * third field is not positive is metadata.
 */
export const readPriceMessage = (messageHex: string, signatureHex: string): PriceMessage | null => {
  const bytes = hexToBin(messageHex);
  if (bytes.length !== MESSAGE_BYTES) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [timestamp = 0, sequence = 0, priceSequence = 0, cents = 0] = [0, 4, 8, 12].map((offset) =>
    view.getInt32(offset, true),
  );
  if (priceSequence <= 0 || cents <= 0) return null;
  return { timestamp, sequence, priceSequence, cents, messageHex, signatureHex };
};

/** True when the signature is a Schnorr signature of that key over the sha256 of the message. */
export const isSigned = (
  { messageHex, signatureHex }: Pick<PriceMessage, 'messageHex' | 'signatureHex'>,
  publicKeyHex: string,
): boolean => {
  const signature = hexToBin(signatureHex);
  if (signature.length !== SIGNATURE_BYTES) return false;
  return secp256k1.verifySignatureSchnorr(
    signature,
    hexToBin(publicKeyHex),
    sha256.hash(hexToBin(messageHex)),
  );
};

/** The newest price among the messages that the key signed, or null. */
export const newestPrice = (messages: readonly RelayMessage[], publicKeyHex: string): PriceMessage | null => {
  const prices = messages
    .filter(({ publicKey }) => publicKey.toLowerCase() === publicKeyHex)
    .flatMap(({ message, signature }) => {
      const price = readPriceMessage(message.toLowerCase(), signature.toLowerCase());
      return price === null ? [] : [price];
    })
    .sort((a, b) => b.sequence - a.sequence);
  return prices.find((price) => isSigned(price, publicKeyHex)) ?? null;
};

/**
 * Why a price is refused, or null when it is good: it is too old, too far ahead, or behind one that was taken before.
 *
 * @param now - unix seconds
 */
export const refusalOf = (
  price: PriceMessage,
  earlier: Pick<PriceMessage, 'sequence' | 'priceSequence'> | null,
  now: number,
): string | null => {
  if (now - price.timestamp > STALE_SECONDS) return `its newest price is ${now - price.timestamp} s old`;
  if (price.timestamp - now > STALE_SECONDS) return 'its newest price lies in the future';
  if (earlier === null) return null;
  const isBehind = price.sequence < earlier.sequence || price.priceSequence < earlier.priceSequence;
  return isBehind ? `it went back to message ${price.sequence}` : null;
};

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
