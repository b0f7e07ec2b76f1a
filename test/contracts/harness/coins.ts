/** The coins that contract tests spend, and the outputs they make. */
import { hash256, hexToBin, type Output } from '@bitauth/libauth';
import { bind, type Argument, type Bound } from './bound.js';
import { authority, outsider, type Party } from './parties.js';
import { IN_FORCE, type Input } from './spend.js';

export type Asset = 'BCH' | 'tokens';
export const ASSETS: readonly Asset[] = ['BCH', 'tokens'];

/** Categories, as transaction ids are shown. */
export const THREAD = 'a1'.repeat(32);
export const TOKEN = 'b2'.repeat(32);
export const OTHER = 'c3'.repeat(32);

export const DUST = 1_000n;
export const FEE = 50_000n;
/** Chain now of the tests, unix seconds. */
export const NOW = 1_800_000_000;

/** A category in the byte order of scripts. */
export const inScript = (category: string): Uint8Array => hexToBin(category).reverse();
/** The parameter `tokenCategory`. */
export const categoryOf = (asset: Asset): Uint8Array =>
  asset === 'BCH' ? new Uint8Array(32) : inScript(TOKEN);

export const concat = (...parts: readonly Uint8Array[]): Uint8Array => Uint8Array.from(Buffer.concat(parts));

/** The address of the thread's reserve, assembled by hand as the covenants do. */
export const reserveLockOf = (covenantLock: Uint8Array, category = THREAD): Uint8Array => {
  const script = concat(
    Uint8Array.of(0x23),
    covenantLock,
    Uint8Array.of(0x20),
    inScript(category),
    hexToBin('00ce7c517e8800c787'),
  );
  return concat(hexToBin('aa20'), hash256(script), hexToBin('87'));
};

export const reserveOf = ({ lock }: Bound, category = THREAD): Bound =>
  bind('token-reserve', [inScript(category), lock]);

export const plain = (lock: Uint8Array, satoshis: bigint): Output => ({
  lockingBytecode: lock,
  valueSatoshis: satoshis,
});

export const fungible = (lock: Uint8Array, amount: bigint, category = TOKEN): Output => ({
  lockingBytecode: lock,
  valueSatoshis: DUST,
  token: { category: hexToBin(category), amount },
});

export const nft = (
  lock: Uint8Array,
  commitment: string,
  satoshis: bigint,
  category = THREAD,
  capability: 'none' | 'mutable' | 'minting' = 'mutable',
): Output => ({
  lockingBytecode: lock,
  valueSatoshis: satoshis,
  token: { category: hexToBin(category), amount: 0n, nft: { capability, commitment: hexToBin(commitment) } },
});

/** `amount` of the asset for somebody. */
export const payment = (asset: Asset, lock: Uint8Array, amount: bigint): Output =>
  asset === 'BCH' ? plain(lock, amount) : fungible(lock, amount);

const outpoint = (name: string) => ({
  txid: Buffer.from(hash256(Buffer.from(name))).toString('hex'),
  vout: 0,
});

/** A coin of a contract, spent by a call. */
export const called = (
  name: string,
  coin: Output,
  contract: Bound,
  call: string,
  args: readonly Argument[] = [],
): Input => ({ ...outpoint(name), coin, unlock: { contract, call, args }, sequence: IN_FORCE });

/** A coin of a person. */
export const owned = (name: string, by: Party, coin = plain(by.lock, FEE)): Input => ({
  ...outpoint(name),
  coin,
  unlock: { key: by },
  sequence: IN_FORCE,
});

/** The coin that pays the fee. */
export const feeFrom = (by: Party): Input => owned(`fee of ${by.name}`, by);
/** The coin that makes the authority's witness revocable, and what gives it back. */
export const ticket = (): Input => owned('ticket', authority, plain(authority.lock, DUST));
export const ticketBack = (): Output => plain(authority.lock, DUST);

/** A reserve coin of a covenant's thread. */
export const reserveCoin = (covenant: Bound, amount: bigint, name = 'reserve', category = TOKEN): Input => {
  const reserve = reserveOf(covenant);
  return called(name, fungible(reserve.lock, amount, category), reserve, 'spend');
};
export const reserveOutput = (covenant: Bound, amount: bigint): Output =>
  fungible(reserveOf(covenant).lock, amount);

/** Where a thief wants things to go. */
export const thief = outsider;
