/**
 * What a transaction does to a wallet and whom it pays, read from the transaction and from those that it spends. A keeper
 * signs nothing that it has not looked at so: what built it, and who served the chain, is not believed.
 */
import { binToHex } from '@bitauth/libauth';
import { isDeepStrictEqual } from 'node:util';
import { addressOf, lockOfAddress } from '../bch/address.js';
import { BCH_DECIMALS, formatUnits } from '../bch/amount.js';
import { sumSatoshis, type Output } from '../bch/coins.js';
import { alignSources, type SigningRequest } from '../bch/signing-request.js';
import { fromLibauthOutput } from '../bch/transaction.js';
import { TreasuryError } from '../errors.js';
import type { Context } from '../operation/context.js';
import { tokenAsset } from '../record/assets.js';
import { shellLabel } from '../record/labels.js';
import type { KnownRule } from './known-rule.js';

/** Smallest units by asset; the key null is BCH. */
type Sums = Map<string | null, bigint>;

/** What a transaction does, by locking bytecode: what each has more or less afterwards. */
export type Effect = {
  /** Satoshis. */
  readonly fee: bigint;
  /** Locking bytecode to what it gains; less than 0: what it loses. */
  readonly changes: ReadonlyMap<string, ReadonlyMap<string | null, bigint>>;
  /** Locking bytecodes that lose an NFT, as `category commitment`. */
  readonly lostNfts: ReadonlySet<string>;
};

const nftText = ({ token }: Output): string | null =>
  token?.nft === undefined ? null : `${token.category} ${token.nft.capability} ${token.nft.commitment}`;

/** @param spent what its inputs spend */
export const effectOf = (spent: readonly Output[], made: readonly Output[]): Effect => {
  const changes = new Map<string, Sums>();
  const nfts = new Map<string, number>();
  const add = ({ lockingBytecode, satoshis, token, ...rest }: Output, sign: 1n | -1n): void => {
    const sums: Sums = changes.get(lockingBytecode) ?? new Map<string | null, bigint>();
    changes.set(lockingBytecode, sums);
    sums.set(null, (sums.get(null) ?? 0n) + sign * satoshis);
    if (token === undefined) return;
    sums.set(token.category, (sums.get(token.category) ?? 0n) + sign * token.amount);
    const nft = nftText({ lockingBytecode, satoshis, token, ...rest });
    if (nft === null) return;
    const key = `${lockingBytecode} ${nft}`;
    nfts.set(key, (nfts.get(key) ?? 0) + Number(sign));
  };
  for (const output of spent) add(output, -1n);
  for (const output of made) add(output, 1n);
  const lost = [...nfts].filter(([, count]) => count < 0).map(([key]) => key.split(' ')[0] ?? '');
  return { fee: sumSatoshis(spent) - sumSatoshis(made), changes, lostNfts: new Set(lost) };
};

/**
 * The effect of a transaction that waits for a signature. What its inputs are said to spend is compared with the
 * transactions that made it.
 *
 * @throws keeper_refused when it is another, tx_malformed, and what reading the chain throws
 */
export const lookAt = async (
  request: Pick<SigningRequest, 'transaction' | 'sourceOutputs'>,
  label: string,
  { chain }: Pick<Context, 'chain'>,
): Promise<Effect> => {
  const sources = alignSources(request);
  const spent = sources.map(fromLibauthOutput);
  for (const [index, { outpointTransactionHash, outpointIndex }] of sources.entries()) {
    const txid = binToHex(outpointTransactionHash);
    const made = (await chain.transaction(txid))?.transaction.outputs[outpointIndex];
    if (made === undefined)
      throw new TreasuryError('tx_missing_inputs', { outpoint: `${txid}:${outpointIndex}` });
    if (!isDeepStrictEqual(plain(made), plain(spent[index])))
      throw wrong(label, `${txid}:${outpointIndex} holds something else than its transaction says`);
  }
  return effectOf(spent, request.transaction.outputs.map(fromLibauthOutput));
};

/** An output without fields that are not there. */
const plain = (output: Output | undefined): unknown =>
  output === undefined
    ? null
    : {
        lockingBytecode: output.lockingBytecode,
        satoshis: output.satoshis,
        token:
          output.token === undefined
            ? null
            : { category: output.token.category, amount: output.token.amount, nft: nftText(output) },
      };

/** What a rule does not do now, and may do later: too small, too dear, enough for today. */
export const refused = (label: string, reason: string): TreasuryError =>
  new TreasuryError('keeper_refused', { label: shellLabel(label), reason, isWrong: false });

/** What no rule allows, and somebody has to look at. */
const wrong = (label: string, reason: string): TreasuryError =>
  new TreasuryError('keeper_refused', { label: shellLabel(label), reason, isWrong: true });

const bch = (satoshis: bigint): string => `${formatUnits(satoshis, BCH_DECIMALS)} BCH`;

/** What a transaction moves by its rule, and what it costs. */
export type Moves = { readonly fee: bigint; readonly moved: ReadonlyMap<string | null, bigint> };

type Site = Pick<Context, 'network' | 'covenants' | 'store'>;

/** A thing to be done, as far as its transaction is held against it. */
export type Looked = {
  readonly label: string;
  /** Of a push: who is paid, a cash address. */
  readonly recipient?: string;
  readonly amount: { readonly category: string | null; readonly units: bigint } | null;
};

/** What contracts hold beside what they are about: the dust of outputs. */
const DUST_ROOM = 3_000n;

/** Who has more afterwards, one apart, and how much of what. */
const paidOf = ({ changes }: Effect, own: string | null) =>
  [...changes].flatMap(([lock, sums]) =>
    lock === own
      ? []
      : [...sums].filter(([, units]) => units > 0n).map(([category, units]) => ({ lock, category, units })),
  );

const nameOf = (lock: string, { network }: Site): string =>
  addressOf(lock, network)?.text ?? `script ${lock}`;

/** True for the contract of a record, or the reserve of it. */
const isOfRecord = async (lock: string, label: string, { network, covenants }: Site): Promise<boolean> => {
  const address = addressOf(lock, network);
  const found = address === null ? null : await covenants.at(address);
  return found !== null && shellLabel(found.label) === shellLabel(label);
};

/** The lock whose gains are no payment: the wallet's. Of a vault's spend it gives nothing, and is a payee as others are. */
const ownLock = ({ flow, signer }: KnownRule): string | null =>
  flow === 'sends' ? null : signer.address.lockingBytecode;

/** Whom a rule may pay: of a refill the record, of a push its recipient, within the list where there is one. */
const mayBePaid = async (
  lock: string,
  rule: KnownRule,
  { label, recipient = '' }: Looked,
  site: Site,
): Promise<boolean> => {
  if (rule.flow === 'refills') return isOfRecord(lock, label, site);
  if (rule.flow !== 'pushes') return rule.payees.includes(lock);
  return lock === lockOfAddress(recipient) && (rule.to === undefined || rule.payees.includes(lock));
};

/** Checks whom it pays. @throws keeper_refused */
const checkPayees = async (effect: Effect, rule: KnownRule, item: Looked, site: Site): Promise<void> => {
  for (const { lock } of paidOf(effect, ownLock(rule))) {
    if (await mayBePaid(lock, rule, item, site)) continue;
    const who = nameOf(lock, site);
    const isListed = rule.flow === 'ends' || rule.flow === 'sends' || rule.to !== undefined;
    const list = isListed ? ', which is not in its "to"' : '';
    throw wrong(item.label, `its transaction pays ${who}${list}`);
  }
};

/** Checks what the wallet gives. @throws keeper_refused */
const checkOwn = (effect: Effect, rule: KnownRule, { label, amount }: Looked): void => {
  const own = rule.signer.address.lockingBytecode;
  if (effect.lostNfts.has(own)) throw wrong(label, 'its transaction takes an NFT out of the wallet');
  for (const [category, units] of effect.changes.get(own) ?? []) {
    const asked = rule.flow === 'refills' && amount?.category === category ? amount.units : 0n;
    const laysDust = rule.flow === 'refills' || rule.flow === 'pushes';
    const dust = laysDust && category === null && amount?.category !== null ? DUST_ROOM : 0n;
    const room = asked + dust + (category === null ? effect.fee : 0n);
    if (-units > room)
      throw wrong(
        label,
        `its transaction takes more out of the wallet than it should (${-units}, not ${room})`,
      );
  }
};

/** What it moves: what the wallet has more, or what others have. */
const movedBy = (
  effect: Effect,
  rule: KnownRule,
  { amount, recipient = '' }: Looked,
): ReadonlyMap<string | null, bigint> => {
  const moved: Sums = new Map();
  const own = rule.signer.address.lockingBytecode;
  if (rule.flow === 'pushes' && own === lockOfAddress(recipient)) {
    // The wallet pays itself, and the fee beside it.
    const category = amount?.category ?? null;
    const gained = effect.changes.get(own)?.get(category) ?? 0n;
    return moved.set(category, gained + (category === null ? effect.fee : 0n));
  }
  if (rule.flow === 'takes') {
    for (const [category, units] of effect.changes.get(own) ?? []) if (units > 0n) moved.set(category, units);
    return moved;
  }
  for (const { category, units } of paidOf(effect, ownLock(rule)))
    // Beside tokens, the BCH of a refill or a push is dust.
    if ((rule.flow !== 'refills' && rule.flow !== 'pushes') || category === (amount?.category ?? null))
      moved.set(category, (moved.get(category) ?? 0n) + units);
  return moved;
};

/** What it costs the wallet: the fee, and of a push the satoshis that tokens lie on. */
const costOf = ({ fee, changes }: Effect, { flow, signer }: KnownRule): bigint => {
  const lost = -(changes.get(signer.address.lockingBytecode)?.get(null) ?? 0n);
  return flow === 'pushes' && lost > fee ? lost : fee;
};

/** Checks that it brings as much as the rule asks for. @throws keeper_refused */
const checkWorth = async (
  { fee, moved }: Moves,
  rule: KnownRule,
  { label, amount }: Looked,
  { store }: Site,
): Promise<void> => {
  // Tokens that were locked are the wallet's own: they are worth having back.
  if (rule.do === 'governance unlock') return;
  const category = amount?.category ?? null;
  // What is taken is less by its fee already; what is pushed is paid whole, and the wallet pays the fee.
  const paidByWallet = rule.flow === 'pushes' && category === null ? fee : 0n;
  const [units, least] = [(moved.get(category) ?? 0n) - paidByWallet, rule.least.get(category)];
  if (category === null) {
    const asked = least ?? fee;
    if (units < asked)
      throw refused(
        label,
        `after the fee of ${bch(fee)} it brings ${bch(units)}, and ${bch(asked)} is the least`,
      );
    return;
  }
  const { decimals, symbol } = await tokenAsset(category, store);
  // Whom a push pays is agreed: whatever token it is in.
  if (least === undefined && rule.flow === 'pushes') return;
  if (least === undefined) throw refused(label, `its rule has no "minimum" for the token ${symbol}`);
  if (units < least)
    throw refused(
      label,
      `it brings ${formatUnits(units, decimals)} ${symbol}, and ${formatUnits(least, decimals)} is the least`,
    );
};

/**
 * Holds a transaction against its rule: its fee, whom it pays, what leaves the wallet, what comes in.
 *
 * @throws keeper_refused
 */
export const checkEffect = async (
  effect: Effect,
  rule: KnownRule,
  item: Looked,
  site: Site,
): Promise<Moves> => {
  const { fee } = effect;
  if (fee > rule.mostFee)
    throw refused(item.label, `its fee is ${bch(fee)}, and the rule allows ${bch(rule.mostFee)} at most`);
  await checkPayees(effect, rule, item, site);
  checkOwn(effect, rule, item);
  const moves = { fee: costOf(effect, rule), moved: movedBy(effect, rule, item) };
  if (rule.flow === 'takes' || rule.flow === 'pushes') await checkWorth(moves, rule, item, site);
  return moves;
};
