// A wallet of a treasury's recipient, in a hundred lines: logs in, lists what can be claimed, claims it, and confirms.
// npm install @bitauth/libauth
// TREASURY_URL=http://127.0.0.1:4280 WALLET_WIF=... npx tsx wallet.ts
import * as libauth from '@bitauth/libauth';

const { TREASURY_URL = 'http://127.0.0.1:4280', WALLET_WIF = '' } = process.env;
type Json = Record<string, unknown>;
type Coin = libauth.Input & libauth.Output & { contract?: { redeemScript: Uint8Array } };

const orThrow = <T>(result: T | string): T => {
  if (typeof result === 'string') throw new Error(result);
  return result;
};
const { privateKey, type } = orThrow(libauth.decodePrivateKeyWif(WALLET_WIF));
const publicKey = orThrow(libauth.secp256k1.derivePublicKeyCompressed(privateKey));
const ownLock = libauth.encodeLockingBytecodeP2pkh(libauth.hash160(publicKey));
const prefix = type.startsWith('mainnet') ? 'bitcoincash' : 'bchtest';
const { address } = orThrow(libauth.lockingBytecodeToCashAddress({ bytecode: ownLock, prefix }));

let token = '';
/** Asks the service. What it answers to a refusal says what is wrong, and whether to try again. */
const ask = async (method: 'GET' | 'POST', path: string, body?: Json): Promise<Json> => {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) };
  const content = body && { body: JSON.stringify(body) };
  const response = await fetch(TREASURY_URL + path, { method, headers, ...content });
  const answer = (await response.json()) as Json;
  if (answer['retryable'] === true) {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    return ask(method, path, body);
  }
  if (!response.ok) throw new Error(String(answer['error']));
  return answer;
};

/** A Bitcoin signed message: proves the address without a transaction. */
const signMessage = (text: string): string => {
  const message = libauth.utf8ToBin(text);
  const magic = libauth.utf8ToBin('\u0018Bitcoin Signed Message:\n');
  const length = libauth.bigIntToCompactUint(BigInt(message.length));
  const digest = libauth.hash256(libauth.flattenBinArray([magic, length, message]));
  const signed = orThrow(libauth.secp256k1.signMessageHashRecoverableCompact(privateKey, digest));
  return libauth.binToBase64(Uint8Array.of(31 + signed.recoveryId, ...signed.signature));
};

const logIn = async (): Promise<void> => {
  const { challenge } = await ask('POST', '/api/auth/challenge', { address });
  const signature = signMessage(String(challenge));
  token = String((await ask('POST', '/api/auth/token', { address, challenge, signature }))['accessToken']);
};

/** Bytes and large numbers travel as text: <Uint8Array: 0x00>, <bigint: 1n>. */
const revive = (_name: string, value: unknown): unknown => {
  const [, bytes, integer] = /^<(?:Uint8Array: 0x([0-9a-f]*)|bigint: (\d+)n)>$/.exec(String(value)) ?? [];
  if (bytes !== undefined) return libauth.hexToBin(bytes);
  return integer === undefined ? value : BigInt(integer);
};

/** Signs what waits for this key: coins of its own, and the placeholders (zeros) of contracts. */
const sign = (wcTransaction: unknown): string => {
  type Asked = { transaction: string; sourceOutputs: Coin[] };
  const { transaction: raw, sourceOutputs } = JSON.parse(JSON.stringify(wcTransaction), revive) as Asked;
  const transaction = orThrow(libauth.decodeTransaction(libauth.hexToBin(raw)));
  const signature = (inputIndex: number, coveredBytecode: Uint8Array): string => {
    const context = { inputIndex, transaction, sourceOutputs };
    // The type 0x61 covers all of it: inputs, what they spend, outputs.
    const covered = { coveredBytecode, signingSerializationType: Uint8Array.of(0x61) };
    const digest = libauth.hash256(libauth.generateSigningSerializationBch(context, covered));
    return libauth.binToHex(orThrow(libauth.secp256k1.signMessageHashSchnorr(privateKey, digest)));
  };
  const own = `21${libauth.binToHex(publicKey)}`;
  const inputs = transaction.inputs.map((input, index) => {
    const { contract, lockingBytecode = new Uint8Array() } = sourceOutputs[index] ?? {};
    const isOwn = input.unlockingBytecode.length === 0 && libauth.binsAreEqual(lockingBytecode, ownLock);
    const unlocking = contract
      ? libauth
          .binToHex(input.unlockingBytecode)
          .replace(`41${'00'.repeat(65)}`, () => `41${signature(index, contract.redeemScript)}61`)
          .replace(`21${'00'.repeat(33)}`, own)
      : isOwn
        ? `41${signature(index, lockingBytecode)}61${own}`
        : libauth.binToHex(input.unlockingBytecode);
    return { ...input, unlockingBytecode: libauth.hexToBin(unlocking) };
  });
  return libauth.binToHex(libauth.encodeTransaction({ ...transaction, inputs }));
};

await logIn();
const { streams } = (await ask('GET', `/api/streams?recipient=${address}&status=ACTIVE`)) as {
  streams: Json[];
};
console.log(`${address} has ${streams.length} streams`);
for (const { id, stream_id: label } of streams) {
  const { claimInfo } = (await ask('GET', `/api/streams/${String(id)}/claim-info`)) as { claimInfo: Json };
  if (claimInfo['claimableAmount'] === 0) continue;
  const claim = await ask('POST', `/api/streams/${String(id)}/claim`, { recipientAddress: address });
  const transaction = sign(claim['wcTransaction']); // A wallet for people shows first what it pays, and to whom.
  const { txHash } = await ask('POST', '/api/transactions/broadcast', { transaction });
  const { claimedAmount } = await ask('POST', `/api/streams/${String(id)}/confirm-claim`, { txHash });
  console.log(`${String(label)}: claimed ${String(claimedAmount)} in ${String(txHash)}`);
}
