/** A transaction examined: from a file, the chain and the artifacts alone. */
import { encodeTransaction } from '@bitauth/libauth';
import { sumSatoshis, type Output } from '../../../bch/coins.js';
import { addressOf } from '../../../bch/address.js';
import { fromLibauthTransaction } from '../../../bch/transaction.js';
import type { SigningRequest } from '../../../bch/wallet-transaction.js';
import type { ContractWords } from '../../../covenant/contract-words.js';
import type { Finding } from '../../../covenant/genesis.js';
import { isTreasuryError } from '../../../errors.js';
import type { Context } from '../../../operation/context.js';
import { changeOf, type ContractChange } from './changes.js';
import {
  checkContracts,
  checkDigests,
  checkFee,
  checkSignatures,
  checkSources,
  checkTrial,
  digestOf,
} from './checks.js';
import { burntOf, flowsOf, type Flow, type IsState } from './flows.js';
import { findPlaces, isPlain, type Places } from './places.js';
import { findSignatures, resolve, type FoundSignature } from './signatures.js';
import { readSources, type Sources, type SpentCoin } from './sources.js';
import { tryTransaction, type Trial } from './trial.js';
import { voiceOf, type HomeVoice } from './voice.js';

/** A file as it was read: a raw transaction has no sources and says nothing. */
export type Claimed = Pick<SigningRequest, 'transaction' | 'sourceOutputs'> &
  Partial<Pick<SigningRequest, 'digest' | 'contracts'>>;

export type Examined = {
  readonly digest: string | null;
  readonly spent: readonly SpentCoin[];
  readonly outputs: readonly Output[];
  readonly places: Places;
  readonly flows: readonly Flow[];
  readonly changes: readonly ContractChange[];
  readonly signatures: readonly FoundSignature[];
  /** Satoshis; null while not all inputs are known. */
  readonly fee: bigint | null;
  readonly locktime: number;
  readonly version: number;
  /** True for an output that carries the state of a contract that was recognised. */
  readonly isState: IsState;
  readonly checks: readonly Finding[];
  /** What has no name here. */
  readonly unnamed: readonly string[];
  /** What was not checked, and why. */
  readonly unchecked: readonly string[];
  /** What else is worth knowing. */
  readonly notes: readonly string[];
  /** Why the chain could not be asked; null: it was, or was not to be. */
  readonly failure: string | null;
  readonly voice: HomeVoice;
};

type Asked = Pick<Context, 'chain' | 'network' | 'store' | 'keys' | 'covenants'> & {
  readonly words: readonly ContractWords[];
  /** True: the chain is not asked. */
  readonly offline: boolean;
  /** A digest that somebody was told. */
  readonly told: string | undefined;
};

const unnamedOutputs = async (
  outputs: readonly Output[],
  { contractAt }: Places,
  { network, covenants }: Asked,
): Promise<string[]> => {
  const texts: string[] = [];
  for (const [index, { lockingBytecode: lock }] of outputs.entries()) {
    if (isPlain(lock, network) || contractAt(lock) !== null) continue;
    const address = addressOf(lock, network);
    const known = address === null ? null : await covenants.at(address);
    texts.push(
      known === null
        ? `output ${index} pays ${address?.text ?? `the script ${lock}`}: a contract whose terms nobody shows here`
        : `output ${index} pays ${address?.text ?? ''}: this home knows it as ${known.label}, and nothing in the file shows its terms`,
    );
  }
  return texts;
};

const unnamedOf = async (
  spent: readonly SpentCoin[],
  outputs: readonly Output[],
  places: Places,
  asked: Asked & { readonly voice: HomeVoice },
): Promise<string[]> => {
  const inputs = spent.flatMap(({ index, outpoint, coin }) => {
    if (coin === null) return [`input ${index} spends ${outpoint}, and nobody shows what that is`];
    const { lockingBytecode: lock } = coin;
    if (isPlain(lock, asked.network) || places.contractAt(lock) !== null) return [];
    return [`input ${index} spends a coin of ${asked.voice.lock(lock)}: none of this program's contracts`];
  });
  const threads = new Set(
    places.contracts.flatMap(({ lockingBytecode }) =>
      [...spent.flatMap(({ coin }) => (coin === null ? [] : [coin])), ...outputs].flatMap((item) =>
        item.lockingBytecode === lockingBytecode && item.token?.nft !== undefined
          ? [item.token.category]
          : [],
      ),
    ),
  );
  const categories = new Set(
    [...spent.flatMap(({ coin }) => (coin === null ? [] : [coin])), ...outputs].flatMap(({ token }) =>
      token === undefined || threads.has(token.category) ? [] : [token.category],
    ),
  );
  const tokens = [...categories]
    .filter((category) => !asked.voice.knowsToken(category))
    .map((category) => `the token ${category}: this home has no name and no decimals for it`);
  return [...inputs, ...(await unnamedOutputs(outputs, places, asked)), ...tokens];
};

/** Locks that are looked at to see whether a coin is still there: more than any transaction of this program spends. */
const MOST_LOCKS = 20;

/** Whether it is on chain already, and which of its coins are gone. */
const notesOf = async (txid: string, spent: readonly SpentCoin[], { chain }: Asked): Promise<string[]> => {
  const found = await chain.transaction(txid);
  if (found !== null) return [`${txid} is on chain already`];
  const locks = [...new Set(spent.flatMap(({ coin }) => (coin === null ? [] : [coin.lockingBytecode])))];
  if (locks.length > MOST_LOCKS) return [];
  const coins = (await Promise.all(locks.map((lock) => chain.coins(lock)))).flat();
  return spent.flatMap(({ index, outpoint, by }) =>
    by !== 'chain' || coins.some(({ txid: id, vout }) => `${id}:${vout}` === outpoint)
      ? []
      : [
          `input ${index} spends ${outpoint}, which is spent already (or not to be spent yet): it cannot be sent as it is`,
        ],
  );
};

const uncheckedOf = (
  { spent, failure }: Sources,
  offline: boolean,
  trial: Trial | null,
): readonly string[] => [
  ...(failure === null ? [] : [`the chain: ${failure}`]),
  ...(offline ? ['the chain was not asked'] : []),
  ...spent.flatMap(({ index, outpoint, by }) => {
    if (by === 'file') return [`input ${index}: what ${outpoint} holds is what the file says`];
    return by === 'nobody' ? [`input ${index}: what ${outpoint} holds is not known`] : [];
  }),
  ...(trial === null ? ['the rules of the contracts: not all that it spends is known'] : []),
  ...(trial?.state === 'not tried' ? [`the rules of the contracts: ${trial.detail}`] : []),
];

const timeOf = async ({ chain }: Asked, isReached: boolean) => {
  if (!isReached) return null;
  const { medianTimePast, height } = await chain.tip();
  return { medianTimePast, height };
};

/** Where the chain fails on the way, it was not reached: that is said, and the rest stands. */
const ifReached = async <Value>(read: () => Promise<Value>, otherwise: Value): Promise<Value> => {
  try {
    return await read();
  } catch (error) {
    if (isTreasuryError(error) && error.code === 'chain_unavailable') return otherwise;
    throw error;
  }
};

/** Examines a transaction. Nothing that the file says in words is believed. */
export const examine = async (claimed: Claimed, asked: Asked): Promise<Examined> => {
  const { network, offline, words } = asked;
  const { txid, outputs, locktime, version } = fromLibauthTransaction(claimed.transaction);
  const sources = await readSources(claimed, offline ? null : asked);
  const { spent, failure } = sources;
  const coins = spent.flatMap(({ coin }) => (coin === null ? [] : [coin]));
  const voice = await voiceOf(asked);
  const places = findPlaces(spent, outputs, { terms: claimed.contracts ?? [], words, network });
  const resolved = resolve(claimed.transaction, spent);
  const digest = digestOf(resolved, network);
  const signatures = findSignatures(spent, resolved, places);
  const isReached = !offline && failure === null;
  const time = await ifReached(() => timeOf(asked, isReached), null);
  const trial = resolved === null ? null : tryTransaction(resolved, signatures, places, time);
  const fee = resolved === null ? null : sumSatoshis(coins) - sumSatoshis(outputs);
  const isState: IsState = ({ lockingBytecode, token }) => {
    const contract = places.contractAt(lockingBytecode);
    return contract?.words.state(token?.nft?.commitment ?? '', contract.params, voice) != null;
  };
  return {
    digest,
    spent,
    outputs,
    places,
    flows: flowsOf(spent, outputs, { ...places, isState }),
    changes: places.contracts.map((contract) => changeOf(contract, spent, outputs, voice)),
    signatures,
    fee,
    locktime,
    version,
    isState,
    checks: [
      checkSources(spent, voice),
      ...checkDigests(digest, claimed.digest, asked.told),
      checkContracts(spent, claimed, places),
      ...checkFee(fee, encodeTransaction(resolved?.transaction ?? claimed.transaction).length, voice),
      checkSignatures(signatures, voice),
      ...checkTrial(trial),
    ],
    unnamed: await unnamedOf(spent, outputs, places, { ...asked, voice }),
    unchecked: uncheckedOf(sources, offline, trial),
    notes: [
      ...burntOf(coins, outputs, { isState, voice }),
      ...(isReached ? await ifReached(() => notesOf(txid, spent, asked), []) : []),
    ],
    failure,
    voice,
  };
};
