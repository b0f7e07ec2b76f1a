/** Bytes as hex and back, for what is read by the thousand: libauth makes an array of every byte on the way. */

/**
 * The bytes of hex digits, which must be an even number of such.
 *
 * @example
 * bytesOf('00ff'); // new Uint8Array([0, 255])
 */
export const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'));

/**
 * Lower-case hex of bytes.
 *
 * @example
 * hexOf(new Uint8Array([0, 255])); // '00ff'
 */
export const hexOf = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('hex');
