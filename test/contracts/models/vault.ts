/** Vault(vaultId, key1, key2, key3): coins that two of three signers spend. State: `version u8 | spends u32`. */
import {
  bytesOf,
  categoryOf,
  commitmentOf,
  field,
  inputAt,
  MUTABLE,
  outputAt,
  sizeOf,
  unsigned,
  type Coin,
  type Law,
  type Model,
} from './vocabulary.js';

const OVER_EVERYTHING = 0x61;
const STATE_SIZE = 5;
const VERSION = '01';
/** Counts keep their top bit clear: of four bytes, this is the last one. */
const LAST_COUNT = 0x7fffffffn;

const spendsOf = (coin: Coin): bigint => unsigned(commitmentOf(coin).slice(2));

/** Rule 18: only this kind is a thread, and one more spend fits its count. All else moves freely. */
const isThread = (coin: Coin): boolean =>
  coin.token?.nft?.capability === 'mutable' &&
  sizeOf(commitmentOf(coin)) === STATE_SIZE &&
  commitmentOf(coin).startsWith(VERSION) &&
  spendsOf(coin) < LAST_COUNT;

const signs = ({ call, must }: Law, slot: 'A' | 'B'): void => {
  const signature = call.signatures[`sig${slot}`];
  must(signature?.by === call.args[`key${slot}`], `signer ${slot} signs`);
  // Two careless signatures over one small coin would open everything that joins.
  must(
    signature?.scheme === 'schnorr' && signature.hashType === OVER_EVERYTHING,
    `signature ${slot} is over everything`,
  );
};

export const vault: Model = {
  /** Signed by two distinct ones of the three, in the constructor's order, so that nobody can swap the slots. */
  spend: (law) => {
    const { terms, call, must } = law;
    must(call.at === 0, 'the spend is at input 0');
    const keys = ['key1', 'key2', 'key3'].map((name) => bytesOf(terms, name));
    const [a, b] = ['keyA', 'keyB'].map((name) => keys.indexOf(call.args[name] ?? ''));
    must(a !== -1 && b !== -1, 'both are signers');
    must((a ?? 0) < (b ?? 0), 'they are two, in order');
    signs(law, 'A');
    signs(law, 'B');
    const before = inputAt(call, 0);
    if (!isThread(before)) return;
    const after = outputAt(call, 0);
    must(after.lock === before.lock, 'the thread stays at the vault');
    must(categoryOf(after) === (before.token?.category ?? '') + MUTABLE, 'the thread stays the thread');
    must(commitmentOf(after) === VERSION + field(spendsOf(before) + 1n, 4), 'the thread counts the spend');
  },

  /** Signed by nobody: the two signatures at input 0 cover it. */
  join: ({ call, must }) => {
    const own = inputAt(call, call.at);
    must(call.at > 0, 'who joins is not input 0');
    must(inputAt(call, 0).lock === own.lock, 'input 0 is the same vault');
    must(!isThread(own), 'the thread does not join');
  },
};
