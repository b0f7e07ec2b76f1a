/** What a wallet scans for WizardConnect: a key, a secret, and a relay where it is not the usual one. Pure. */

const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
/** Where wallets look when no relay is named: at both. Source: WizardConnect. */
export const USUAL_RELAYS: readonly string[] = [
  'wss://relay.riften.net:443',
  'wss://relay.cauldron.quest:443',
];

/** Bytes in groups of five bits, the last filled with zeros. */
export const inFives = (bytes: Uint8Array): string => {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => ALPHABET[parseInt(group.padEnd(5, '0'), 2)] ?? '').join('');
};

export type Invitation = {
  /** 32 bytes, x only. */
  readonly publicKey: Uint8Array;
  /** 8 bytes. */
  readonly secret: Uint8Array;
  /** Without a path; null: the usual ones. */
  readonly relayUrl: string | null;
};

/** The address of an invitation. */
export const invitationUri = ({ publicKey, secret, relayUrl }: Invitation): string => {
  const relay = relayUrl === null ? null : new URL(relayUrl);
  const place = relay?.host ?? '';
  const protocol = relay?.protocol === 'ws:' ? '&pr=ws' : '';
  return `wiz://${place}?p=${inFives(publicKey)}&s=${inFives(secret)}${protocol}`;
};

/** The same as it stands in a QR code: upper case is smaller there, and has none of `?`, `=` and `&`. */
export const invitationPicture = (uri: string): string =>
  uri.toUpperCase().replaceAll('?', '%3F').replaceAll('=', '%3D').replaceAll('&', '%26');
