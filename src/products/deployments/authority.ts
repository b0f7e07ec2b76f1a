/**
 * Whose word an audit takes for a claim authority. A deployment that can be paused or cancelled stands on its
 * authority's honesty about time: with a key of the sender's own it is nobody's. Source: docs/design/covenants.md, rules 5 and 16.
 */
import { binToHex, hash160, hexToBin } from '@bitauth/libauth';
import { parseAddress } from '../../bch/address.js';
import type { Network } from '../../bch/network.js';
import type { Finding } from '../../covenant/genesis.js';
import { TreasuryError } from '../../errors.js';
import type { Context } from '../../operation/context.js';
import type { CovenantRecord } from '../../record/deployable.js';
import { invalidInput } from '../../operation/read-input.js';

/** What a request says of an expected authority. */
export const AUTHORITY_HELP =
  'Claim authority that you expect: its public key (66 hex digits) or its address, as the service publishes it; ' +
  'default the authority keys of this home';

/** The authorities that are expected: hashes of their keys, hex. */
export type KnownAuthorities = { readonly hashes: readonly string[]; readonly areGiven: boolean };

const hashOfKey = (publicKey: string): string => binToHex(hash160(hexToBin(publicKey)));

const hashOf = (text: string, network: Network): string => {
  if (/^0[23][0-9a-f]{64}$/i.test(text)) return hashOfKey(text.toLowerCase());
  try {
    const { kind, hash } = parseAddress(text, network);
    if (kind === 'p2pkh') return hash;
  } catch (error) {
    if (!(error instanceof TreasuryError)) throw error;
  }
  const message = `"${text}" is no authority: expected a public key of 66 hex digits that begins with 02 or 03, or the address of one key on ${network}`;
  throw invalidInput([{ path: 'authority', message }]);
};

/**
 * Those that a request names, or else the authority keys of this home.
 *
 * @throws invalid_input
 */
export const knownAuthorities = async (
  given: readonly string[],
  { keys, network }: Pick<Context, 'keys' | 'network'>,
): Promise<KnownAuthorities> => {
  if (given.length > 0) return { hashes: given.map((text) => hashOf(text, network)), areGiven: true };
  const own = (await keys.list()).filter(({ isAuthority }) => isAuthority);
  return { hashes: own.map(({ publicKey }) => hashOfKey(publicKey)), areGiven: false };
};

const knownFinding = (
  key: string,
  record: CovenantRecord,
  { hashes, areGiven }: KnownAuthorities,
): Finding => {
  const check = 'known authority';
  const whose = areGiven ? 'that was given' : 'of this home';
  if (hashes.includes(hashOfKey(key))) return { check, ok: true, detail: `${key} is an authority ${whose}` };
  // Nothing that is irrevocable needs the authority, so it can do nothing about it.
  const { cancelable } = record as { readonly cancelable?: unknown };
  if (cancelable === false)
    return {
      check,
      ok: true,
      detail: `${key} is no authority ${whose}; this is irrevocable, and needs none`,
    };
  const detail = areGiven
    ? `${key} is no authority ${whose}: whoever holds it decides with the sender what is paid`
    : `${key} is no authority ${whose}: give --authority ${key} only if the service publishes it (GET /api)`;
  return { check, ok: false, detail };
};

/** The authority that the record names is the one that the contract knows, and one that is expected. */
export const authorityFindings = (record: CovenantRecord, known: KnownAuthorities): readonly Finding[] => {
  const { authority_pubkey: key } = record as { readonly authority_pubkey?: unknown };
  if (typeof key !== 'string') return [];
  const ok = record.constructor_params.includes(hashOfKey(key));
  return [
    { check: 'authority', ok, detail: `${key} ${ok ? 'is' : 'is not'} the key that the contract knows` },
    knownFinding(key, record, known),
  ];
};
