/** What a file claims against what was worked out anew, check by check in words. */
import { transactionDigest, parseDigest } from '../../../bch/digest.js';
import type { Output } from '../../../bch/coins.js';
import type { Network } from '../../../bch/network.js';
import { feeFor } from '../../../bch/transaction.js';
import type { SigningRequest } from '../../../bch/wallet-transaction.js';
import { artifactOf } from '../../../covenant/artifact.js';
import type { Finding } from '../../../covenant/genesis.js';
import { nftWords } from './flows.js';
import type { Places } from './places.js';
import type { FoundSignature, Resolved } from './signatures.js';
import type { SpentCoin } from './sources.js';
import type { Trial } from './trial.js';
import type { HomeVoice } from './voice.js';

const finding = (check: string, problems: readonly string[], fine: string): Finding => ({
  check,
  ok: problems.length === 0,
  detail: problems.length === 0 ? fine : problems.join('; '),
});

/**
 * `0.5 BCH and 3 GEMS at bchtest:...`.
 *
 * @param isState true: its NFT is the state of a contract, which is told elsewhere
 */
export const outputWords = (
  { satoshis, token, lockingBytecode }: Output,
  voice: HomeVoice,
  isState = false,
): string => {
  const amounts = [
    voice.amount(satoshis, null),
    ...(token !== undefined && token.amount > 0n ? [voice.amount(token.amount, token.category)] : []),
    ...(token?.nft === undefined ? [] : [isState ? 'its state' : nftWords(token.category, token.nft)]),
  ];
  return `${amounts.join(' and ')} at ${voice.lock(lockingBytecode)}`;
};

/** One text for one output, whatever object it is. */
const identity = ({ lockingBytecode, satoshis, token }: Output): string =>
  JSON.stringify([
    lockingBytecode,
    String(satoshis),
    token?.category ?? null,
    String(token?.amount ?? 0n),
    token?.nft?.capability ?? null,
    token?.nft?.commitment ?? null,
  ]);

/** What the file says of its inputs, against the chain. */
export const checkSources = (spent: readonly SpentCoin[], voice: HomeVoice): Finding => {
  const problems = spent.flatMap(({ index, coin, by, claimed }) => {
    if (by !== 'chain' || coin === null || claimed === null || identity(coin) === identity(claimed))
      return [];
    return [
      `input ${index} spends ${outputWords(coin, voice)}, but the file says ${outputWords(claimed, voice)}`,
    ];
  });
  const told = spent.filter(({ by }) => by === 'chain').length;
  return finding('inputs', problems, `${told} of ${spent.length} were looked up in the chain`);
};

/** The digest, worked out anew; null while nobody says what all inputs spend. */
export const digestOf = (resolved: Resolved | null, network: Network): string | null =>
  resolved === null ? null : transactionDigest(resolved, network);

/** The digest that the file has, and the one that somebody was told. */
export const checkDigests = (
  digest: string | null,
  inFile: string | undefined,
  told: string | undefined,
): readonly Finding[] =>
  (
    [
      ['digest in the file', inFile],
      ['digest that was given', told],
    ] as const
  ).flatMap(([check, claimed]) => {
    if (claimed === undefined) return [];
    const read = parseDigest(claimed);
    // What stands there is not repeated: it may be anything.
    if (read === null) return [finding(check, ['it is none: eight groups of four letters and digits'], '')];
    if (digest === null) return [finding(check, ['it cannot be worked out: not all inputs are known'], '')];
    const problems =
      read === digest ? [] : [`it is ${read}, but this transaction has ${digest}: it is another one`];
    return [finding(check, problems, 'it is the one of this transaction')];
  });

/** A contract's name from a file: repeated only where it is one. */
const calledName = (name: string): string =>
  artifactOf(name) === undefined ? 'contract of another name' : name;

/** What the file calls its contracts. */
export const checkContracts = (
  spent: readonly SpentCoin[],
  { sourceOutputs }: Pick<SigningRequest, 'sourceOutputs'>,
  places: Places,
): Finding => {
  const names = spent.flatMap(({ index, coin }) => {
    const claimed = sourceOutputs[index]?.contract?.artifact.contractName;
    const own = places.contractAt(coin?.lockingBytecode ?? '');
    const lock = coin?.lockingBytecode ?? '';
    const found = places.isReserve(lock) ? 'TokenReserve' : own?.contractName;
    // What is not recognised is told of as that.
    if (claimed === undefined || found === undefined || claimed === found) return [];
    return [`the file calls input ${index} a ${calledName(claimed)}, and it is a ${found}`];
  });
  const idle = places.idleTerms.map(
    ({ contract }) => `the file has terms of a ${calledName(contract)} that nothing here is locked with`,
  );
  return finding(
    'contracts',
    [...names, ...idle],
    'each was built anew from its artifact and its parameters',
  );
};

/** What nobody pays by mistake: so many times what the network asks for, and more than this (satoshis). */
const MOST_FEE_RATIO = 20n;
const SMALL_FEE = 20_000n;

const feeProblems = (fee: bigint, size: number, voice: HomeVoice): readonly string[] => {
  if (fee < 0n) return [`the outputs hold ${voice.amount(-fee, null)} more than the inputs`];
  const times = fee / feeFor(size);
  return fee > SMALL_FEE && times >= MOST_FEE_RATIO
    ? [`it is ${voice.amount(fee, null)}, ${times} times what a transaction of this size needs`]
    : [];
};

/**
 * Outputs hold no more than inputs, and not so much less that it is given away.
 *
 * @param size bytes, as it stands
 */
export const checkFee = (fee: bigint | null, size: number, voice: HomeVoice): readonly Finding[] =>
  fee === null
    ? []
    : [finding('fee', feeProblems(fee, size, voice), voice.amount(fee < 0n ? 0n : fee, null))];

/** Signatures that are there. */
export const checkSignatures = (signatures: readonly FoundSignature[], voice: HomeVoice): Finding => {
  const problems = signatures.flatMap(({ input, of, state, reason }) =>
    state === 'wrong'
      ? [`the signature of ${voice.lock(of)} at input ${input} is wrong: ${reason ?? ''}`]
      : [],
  );
  const counts = (wanted: FoundSignature['state']) =>
    signatures.filter(({ state }) => state === wanted).length;
  return finding('signatures', problems, `${counts('given')} given, ${counts('missing')} missing`);
};

/** What the virtual machine said. */
export const checkTrial = (trial: Trial | null): readonly Finding[] =>
  trial === null || trial.state === 'not tried'
    ? []
    : [
        {
          check: 'rules of the contracts and the network',
          ok: trial.state === 'taken',
          detail: trial.detail,
        },
      ];
