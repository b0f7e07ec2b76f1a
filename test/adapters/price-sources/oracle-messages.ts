/** Messages of a price oracle whose key is a test's. */
import { binToHex, secp256k1, sha256 } from '@bitauth/libauth';
import { authority, mallory, type Person } from '../../../fixtures/people.js';

export const ORACLE_KEY = binToHex(authority.publicKey);

export type MessageFields = {
  readonly timestamp: number;
  readonly sequence?: number;
  readonly priceSequence?: number;
  readonly cents?: number;
};

/** Four little-endian signed 32-bit fields, hex. */
export const encodeMessage = ({
  timestamp,
  sequence = 1_000,
  priceSequence = 900,
  cents = 41_234,
}: MessageFields): string => {
  const view = new DataView(new ArrayBuffer(16));
  [timestamp, sequence, priceSequence, cents].forEach((field, index) => {
    view.setInt32(index * 4, field, true);
  });
  return binToHex(new Uint8Array(view.buffer));
};

const sign = (messageHex: string, { privateKey }: Person): string => {
  const signature = secp256k1.signMessageHashSchnorr(privateKey, sha256.hash(Buffer.from(messageHex, 'hex')));
  if (typeof signature === 'string') throw new Error(signature);
  return binToHex(signature);
};

/** A message as a relay gives it, signed by the oracle. */
export const signedMessage = (fields: MessageFields) => {
  const message = encodeMessage(fields);
  return { message, publicKey: ORACLE_KEY, signature: sign(message, authority) };
};

/** A message that claims to be the oracle's, and is signed by somebody else. */
export const forgedMessage = (fields: MessageFields) => {
  const message = encodeMessage(fields);
  return { message, publicKey: ORACLE_KEY, signature: sign(message, mallory) };
};
