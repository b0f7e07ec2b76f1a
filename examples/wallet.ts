/**
 * A recipient's wallet: logs in to a treasury, lists its streams, claims what can be claimed, and confirms what it sent.
 *
 *     npm install @bitauth/libauth
 *     TREASURY=http://127.0.0.1:4280 WIF=... node wallet.ts [--claim]          (Node 22.18 or newer)
 *
 * What a transaction takes from this wallet and gives it is worked out from the transaction. Which contract a stream is,
 * it believes the service: a key that also signs for vaults wants a wallet that knows them.
 */
import {
  bigIntToCompactUint,
  binToBase64,
  binToHex,
  decodePrivateKeyWif,
  decodeTransaction,
  encodeLockingBytecodeP2pkh,
  encodeTransaction,
  flattenBinArray,
  generateSigningSerializationBch,
  hash160,
  hash256,
  hexToBin,
  type Input,
  lockingBytecodeToCashAddress,
  type Output,
  secp256k1,
  type Transaction,
  utf8ToBin,
} from '@bitauth/libauth';

type Source = Input & Output & { contract?: { redeemScript: Uint8Array } };
type Request = { transaction: string; sourceOutputs: Source[] };
type Stream = Record<'id' | 'stream_id' | 'claimable_amountOnChain', string> & {
  token_category: string | null;
};

const { TREASURY = 'http://127.0.0.1:4280', WIF = '' } = process.env;
const must = <T>(made: T | string): T => {
  if (typeof made === 'string') throw new Error(made);
  return made;
};
const { privateKey, type } = must(decodePrivateKeyWif(WIF));
const publicKey = must(secp256k1.derivePublicKeyCompressed(privateKey));
const lock = encodeLockingBytecodeP2pkh(hash160(publicKey));
const prefix = type.startsWith('mainnet') ? 'bitcoincash' : 'bchtest';
const { address } = must(lockingBytecodeToCashAddress({ bytecode: lock, prefix }));

/** Bytes and amounts stand in the JSON as `<Uint8Array: 0x…>` and `<bigint: …n>`. */
const revive = (_key: string, value: unknown): unknown => {
  const [, bytes, integer] = /^<(?:Uint8Array: 0x([0-9a-f]*)|bigint: (\d+)n)>$/.exec(String(value)) ?? [];
  if (bytes !== undefined) return hexToBin(bytes);
  return integer === undefined ? value : BigInt(integer);
};
let token = '';
const ask = async <T>(path: string, body?: object): Promise<T> => {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
  const asked = body && { method: 'POST', body: JSON.stringify(body) };
  const reply = await fetch(new URL(`/api${path}`, TREASURY), { headers, ...asked });
  const answer = JSON.parse(await reply.text(), revive) as T & { error?: string };
  if (!reply.ok) throw new Error(answer.error);
  return answer;
};

const logIn = async (): Promise<void> => {
  const { challenge } = await ask<{ challenge: string }>('/auth/challenge', { address });
  const text = utf8ToBin(challenge);
  const magic = utf8ToBin('\u0018Bitcoin Signed Message:\n');
  const length = bigIntToCompactUint(BigInt(text.length));
  const digest = hash256(flattenBinArray([magic, length, text]));
  const { recoveryId, signature } = must(secp256k1.signMessageHashRecoverableCompact(privateKey, digest));
  const signed = binToBase64(Uint8Array.of(31 + recoveryId, ...signature));
  const login = { address, challenge, signature: signed };
  token = (await ask<{ accessToken: string }>('/auth/token', login)).accessToken;
};

/** Fills what is this wallet's to fill: its own coins, and zeros where a contract wants its signature or key. */
const sign = ({ transaction: raw, sourceOutputs }: Request): Transaction => {
  const transaction = must(decodeTransaction(hexToBin(raw)));
  const inputs = transaction.inputs.map((input, inputIndex) => {
    const source = sourceOutputs[inputIndex] ?? must<Source>('an input without its coin');
    const signOver = (coveredBytecode: Uint8Array): string => {
      const covered = { coveredBytecode, signingSerializationType: Uint8Array.of(0x61) }; // ALL, FORKID, UTXOS
      const signed = generateSigningSerializationBch({ inputIndex, transaction, sourceOutputs }, covered);
      return `41${binToHex(must(secp256k1.signMessageHashSchnorr(privateKey, hash256(signed))))}61`;
    };
    const key = `21${binToHex(publicKey)}`;
    let unlocking = binToHex(source.unlockingBytecode);
    if (source.contract) {
      const { redeemScript } = source.contract;
      unlocking = unlocking.replace(`41${'00'.repeat(65)}`, () => signOver(redeemScript));
      unlocking = unlocking.replace(`21${'00'.repeat(33)}`, key);
    } else if (unlocking === '' && isOwn(source)) unlocking = signOver(source.lockingBytecode) + key;
    return { ...input, unlockingBytecode: hexToBin(unlocking) };
  });
  return { ...transaction, inputs };
};

const isOwn = ({ lockingBytecode }: Output): boolean => binToHex(lockingBytecode) === binToHex(lock);
/** Of an asset, what a side of a transaction has that is this wallet's. */
const sumOf = (outputs: readonly Output[], category: string | null): bigint =>
  outputs.filter(isOwn).reduce((sum, { valueSatoshis, token: held }) => {
    if (category === null) return sum + valueSatoshis;
    return held && binToHex(held.category) === category ? sum + held.amount : sum;
  }, 0n);

const claim = async ({ id, stream_id: label, token_category: category }: Stream): Promise<void> => {
  const { wcTransaction } = await ask<{ wcTransaction: Request }>(`/streams/${id}/claim`, {});
  const signed = sign(wcTransaction);
  const spent = wcTransaction.sourceOutputs;
  const gained = (asset: string | null) => sumOf(signed.outputs, asset) - sumOf(spent, asset);
  const isTaken = spent.some(
    (own) => isOwn(own) && own.token && (own.token.nft || gained(binToHex(own.token.category)) < 0n),
  );
  if (isTaken || gained(category) <= 0n || gained(null) < -10_000n)
    throw new Error(`${label} would take from you`);
  const transaction = binToHex(encodeTransaction(signed));
  const { txHash } = await ask<{ txHash: string }>('/transactions/broadcast', { transaction });
  await ask(`/streams/${id}/confirm-claim`, { txHash });
  console.log(`${label}: ${gained(category)} more in ${txHash}`);
};

await logIn();
const { streams } = await ask<{ streams: Stream[] }>(`/streams?recipient=${address}&limit=100`);
const due = streams.filter((stream) => BigInt(stream.claimable_amountOnChain) > 0n);
for (const stream of due)
  console.log(`${stream.stream_id}: ${stream.claimable_amountOnChain} can be claimed`);
if (process.argv.includes('--claim')) for (const stream of due) await claim(stream);
