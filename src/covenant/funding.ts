/**
 * Funding: the transaction that mints a product's threads and puts their pools in.
 *
 * The genesis coin is any token-free coin with index 0 of the payer, since an outpoint's index 0 is what lets its
 * transaction id become a category. Where there is none, a self-send makes one first.
 */
import type { Address } from '../bch/address.js';
import { plainCoins, type Coin, type Output } from '../bch/coins.js';
import { buildPayment, type Payment } from '../bch/payment.js';
import { genesisOutputs, type GenesisMember } from './genesis.js';
import { RESERVE_DUST } from './reserve.js';

export type FundingPlan = {
  readonly payer: Address;
  readonly payerCoins: readonly Coin[];
  readonly members: readonly GenesisMember[];
  /** The coin to start from; null: one is chosen. */
  readonly genesisCoin?: Coin | null;
};

export type Funding =
  | {
      readonly kind: 'ready';
      readonly payment: Payment;
      readonly promised: readonly Output[];
      /** What the threads start from. */
      readonly genesisCoin: Coin;
    }
  /** The self-send to sign first; then ask again. */
  | { readonly kind: 'preparation'; readonly payment: Payment };

/** Stands for the category, and for the genesis coin, before there is one. */
const UNKNOWN_CATEGORY = '00'.repeat(32);
/** More than any funding takes. */
const ENDLESS = 2n ** 62n;

/**
 * Satoshis that a genesis coin must hold to carry a funding alone, its tokens and its fee included.
 *
 * @throws insufficient_funds in the token
 */
const genesisSatoshis = ({ payer, payerCoins, members }: FundingPlan): bigint => {
  const { lockingBytecode } = payer;
  const genesis: Coin = {
    txid: UNKNOWN_CATEGORY,
    vout: 0,
    satoshis: ENDLESS,
    lockingBytecode,
    height: null,
  };
  const { outputs, changeIndex } = buildPayment({
    payer,
    coins: payerCoins.filter(({ token }) => token !== undefined),
    outputs: genesisOutputs(members, UNKNOWN_CATEGORY, RESERVE_DUST),
    requiredCoins: [genesis],
  });
  return ENDLESS - (outputs[changeIndex ?? -1]?.satoshis ?? 0n);
};

/**
 * The coin to start from: the smallest that carries the funding alone, since it is kept for it until then; else the
 * largest. Undefined when none has index 0.
 *
 * @throws insufficient_funds in the token
 */
const chooseGenesis = (plan: FundingPlan): Coin | undefined => {
  const candidates = plainCoins(plan.payerCoins).filter(({ vout }) => vout === 0);
  if (candidates.length < 2) return candidates[0];
  const needed = genesisSatoshis(plan);
  return candidates.findLast(({ satoshis }) => satoshis >= needed) ?? candidates[0];
};

/**
 * The funding of one or several threads by one payer, or the preparation it needs.
 *
 * @throws insufficient_funds, in BCH or in the token
 * @example
 * const plan = { payer: alice.address, payerCoins: [coin], members: [genesis] };
 * buildFunding(plan).genesisCoin; // coin
 * buildFunding({ ...plan, payerCoins: [{ ...coin, vout: 1 }] }).kind; // 'preparation'
 */
export const buildFunding = (plan: FundingPlan): Funding => {
  const { payer, payerCoins, members } = plan;
  const coins = [...payerCoins];
  const genesisCoin = plan.genesisCoin ?? chooseGenesis(plan);
  if (genesisCoin !== undefined) {
    const promised = genesisOutputs(members, genesisCoin.txid, RESERVE_DUST);
    const payment = buildPayment({ payer, coins, outputs: promised, requiredCoins: [genesisCoin] });
    return { kind: 'ready', payment, promised, genesisCoin };
  }

  // Build: one coin at index 0 that carries the funding alone; change follows. Nothing is prepared for tokens that lack.
  const output: Output = { lockingBytecode: payer.lockingBytecode, satoshis: genesisSatoshis(plan) };
  return { kind: 'preparation', payment: buildPayment({ payer, coins, outputs: [output] }) };
};
