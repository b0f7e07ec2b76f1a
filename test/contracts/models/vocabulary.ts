/**
 * What the models speak of: coins, transactions, calls, and rules that hold or refuse. Nothing here runs a script. Bytes
 * are hex, in the order in which scripts see them; money is in the smallest unit, times are unix seconds.
 */
import { binToHex, hash160, hash256, hexToBin } from '@bitauth/libauth';

export type Hex = string;

export type Nft = { readonly capability: 'none' | 'mutable' | 'minting'; readonly commitment: Hex };
export type Token = { readonly category: Hex; readonly amount: bigint; readonly nft: Nft | null };
export type Coin = { readonly lock: Hex; readonly satoshis: bigint; readonly token: Token | null };

/** A transaction with the outputs that it spends. */
export type Transaction = {
  readonly inputs: readonly { readonly coin: Coin; readonly sequence: number }[];
  readonly outputs: readonly Coin[];
  readonly locktime: number;
};

/** A signature over the transaction: whose it is (null: nobody's whose key is shown with it), and what it covers. */
export type Signature = {
  readonly by: Hex | null;
  readonly scheme: 'schnorr' | 'ecdsa';
  readonly hashType: number;
};

/** A function that is called at an input. */
export type Call = {
  readonly transaction: Transaction;
  readonly at: number;
  readonly name: string;
  /** By name: `amount`, `recipientKey`. */
  readonly args: Readonly<Record<string, Hex>>;
  /** By name: `recipientSig`. */
  readonly signatures: Readonly<Record<string, Signature>>;
};

/** Parameters by name. */
export type Terms = Readonly<Record<string, Hex | bigint>>;

/** Refuses in a rule's name when it does not hold. */
export type Must = (holds: boolean, rule: string) => void;

/** What a function's model has before it. */
export type Law = { readonly terms: Terms; readonly call: Call; readonly must: Must };

/** A contract: what each of its functions demands. */
export type Model = Readonly<Record<string, (law: Law) => void>>;

export type Verdict = { readonly allowed: true } | { readonly allowed: false; readonly rule: string };

class Refusal extends Error {}

/** For what has no meaning at all: a figure that is none, a state that does not fit. */
const refuse = (rule: string): never => {
  throw new Refusal(rule);
};

/** A rule that is left out, to see whether anybody notices; and who wants to know of each that is asked for. */
export type Asked = { readonly off?: string | null; readonly met?: (rule: string) => void };

/** What a contract's model says of a call. */
export const judge = (model: Model, terms: Terms, call: Call, { off = null, met }: Asked = {}): Verdict => {
  const must: Must = (holds, rule) => {
    met?.(rule);
    if (!holds && rule !== off) refuse(rule);
  };
  try {
    const demand = model[call.name] ?? refuse('the contract has such a function');
    demand({ terms, call, must });
    return { allowed: true };
  } catch (error) {
    if (error instanceof Refusal) return { allowed: false, rule: error.message };
    throw error;
  }
};

/** What stands where no output is. */
const NOTHING: Coin = { lock: '', satoshis: -1n, token: null };

export const outputAt = ({ transaction }: Call, index: number): Coin => transaction.outputs[index] ?? NOTHING;
export const inputAt = ({ transaction }: Call, index: number): Coin =>
  transaction.inputs[index]?.coin ?? NOTHING;

const CAPABILITIES = { none: '', mutable: '01', minting: '02' } as const;
export const MUTABLE = CAPABILITIES.mutable;

/** A coin's category and capability as a script reads them, empty for none. An immutable NFT has no capability. */
export const categoryOf = ({ token }: Coin): Hex =>
  token === null ? '' : token.category + CAPABILITIES[token.nft?.capability ?? 'none'];
/** Empty where there is no NFT, and for one that says nothing: a script cannot tell them apart. */
export const commitmentOf = ({ token }: Coin): Hex => token?.nft?.commitment ?? '';
export const tokensOf = ({ token }: Coin): bigint => token?.amount ?? 0n;

export const sizeOf = (bytes: Hex): number => bytes.length / 2;

/** Of `size` bytes, little-endian, without sign. */
export const unsigned = (bytes: Hex): bigint =>
  bytes === '' ? 0n : BigInt(`0x${binToHex(hexToBin(bytes).reverse())}`);

/** An integer as a state holds it. The top bit stays clear (rule 12). */
export const field = (value: bigint, size: number): Hex => {
  const fits = value >= 0n && value < 1n << BigInt(8 * size - 1);
  if (!fits) return refuse('a figure fits its field');
  const digits = value.toString(16).padStart(2 * size, '0');
  return binToHex(hexToBin(digits).reverse());
};

/** Bytes cut into pieces. Refuses any other length. */
export const pieces = (bytes: Hex, sizes: readonly number[]): Hex[] => {
  const whole = sizes.reduce((sum, size) => sum + size, 0);
  if (sizeOf(bytes) !== whole) return refuse(`the state has ${whole} bytes`);
  let from = 0;
  return sizes.map((size) => {
    from += size;
    return bytes.slice(2 * (from - size), 2 * from);
  });
};

const SIGN = 0x80;

/** An integer argument. It has one encoding only: the shortest, with a sign in the top bit. */
export const integer = ({ args }: Call, name: string): bigint => {
  const bytes = [...hexToBin(args[name] ?? '')];
  const [last = 0, before = 0] = bytes.toReversed();
  const isShortest =
    bytes.length === 0 || (last & ~SIGN) !== 0 || (bytes.length > 1 && (before & SIGN) !== 0);
  if (!isShortest) return refuse(`${name} is an integer`);
  const size = unsigned(binToHex(Uint8Array.from([...bytes.slice(0, -1), last & ~SIGN])));
  return (last & SIGN) === 0 ? size : -size;
};

/** A parameter of bytes, and one that is an integer. */
export const bytesOf = (terms: Terms, name: string): Hex => String(terms[name]);
export const numberOf = (terms: Terms, name: string): bigint => BigInt(terms[name] ?? refuse(name));

export const hash160Of = (bytes: Hex): Hex => binToHex(hash160(hexToBin(bytes)));

/** Where who has the key of a hash is paid. */
export const payeeLock = (hash: Hex): Hex => `76a914${hash}88ac`;
/** The lock of a script that is shown when it is spent (P2SH32). */
export const scriptLock = (script: Hex): Hex => `aa20${binToHex(hash256(hexToBin(script)))}87`;
