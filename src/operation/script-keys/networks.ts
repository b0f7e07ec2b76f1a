/** From where a key may be used: networks as CIDR. */
import { BlockList, isIP } from 'node:net';

/** A network: its address, how many of its bits count, and which family it is of. */
type Cidr = { readonly address: string; readonly bits: number; readonly family: 'ipv4' | 'ipv6' };

/** A network of a text such as `10.0.0.0/8`; a lone address is itself. Null for what is none. */
export const readCidr = (text: string): Cidr | null => {
  const [, address = '', bits] = /^([0-9A-Fa-f.:]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  if (version === 0) return null;
  const most = version === 4 ? 32 : 128;
  const length = bits === undefined ? most : Number(bits);
  return length > most ? null : { address, bits: length, family: version === 4 ? 'ipv4' : 'ipv6' };
};

/** An address as one of IPv4, where it is one in the clothes of IPv6. */
const plainIp = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '');

/** True when an address lies in one of these networks; an unknown one lies in none. */
export const isWithin = (address: string | undefined, networks: readonly string[]): boolean => {
  const asked = plainIp(address ?? '');
  const version = isIP(asked);
  if (version === 0) return false;
  const list = new BlockList();
  for (const text of networks) {
    const cidr = readCidr(text);
    if (cidr !== null) list.addSubnet(cidr.address, cidr.bits, cidr.family);
  }
  return list.check(asked, version === 4 ? 'ipv4' : 'ipv6');
};
