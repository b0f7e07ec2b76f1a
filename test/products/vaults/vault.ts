/** Vaults in the states that tests start from: alice made it and signs, with bob and carol; dave is nobody. */
import { binToHex } from '@bitauth/libauth';
import { alice, bob, carol, type Person } from '../../../fixtures/people.js';
import { parseAddress } from '../../../src/bch/address.js';
import { sumSatoshis, sumTokens, type Coin } from '../../../src/bch/coins.js';
import type { Treasury } from '../../treasury.js';

export type Json = Record<string, unknown>;

export const signers: readonly Person[] = [alice, bob, carol];

/** What a request to create a vault says. */
export const vaultTerms = (extra: Json = {}): Json => ({
  name: 'Common funds',
  signers: signers.map((signer) => signer.address('local').text),
  signerPubkeys: signers.map(({ publicKey }) => binToHex(publicKey)),
  totalDeposit: '0.1',
  isPublic: true,
  ...extra,
});

export type TestVault = {
  readonly id: string;
  readonly address: string;
  /** A deposit of the creator, confirmed; returns the transaction id. */
  readonly deposit: (amount?: string) => Promise<string>;
  /** Coins sent straight to the address by anybody; not confirmed. */
  readonly gift: (who: Person, amount: string, tokenCategory?: string) => Promise<string>;
  readonly coins: () => Promise<readonly Coin[]>;
  readonly satoshis: () => Promise<bigint>;
  readonly tokens: (category: string) => Promise<bigint>;
  readonly shown: (who?: Person) => Promise<Json>;
  /** A spend proposed by alice; returns its answer. */
  readonly propose: (
    outputs: readonly {
      readonly to: Person | string;
      readonly amount: string;
      readonly tokenCategory?: string;
    }[],
    memo?: string,
  ) => Promise<Json>;
  /** The wcTransaction for a signer. */
  readonly request: (who: Person, spendId: unknown) => Promise<unknown>;
  /** A signature given and handed in. */
  readonly sign: (who: Person, spendId: unknown) => Promise<Json>;
  readonly broadcast: (spendId: unknown) => Promise<string>;
  readonly shownSpend: (spendId: unknown) => Promise<Json>;
};

/** A pending vault of alice, who has coins to fund it. */
export const createVault = async (treasury: Treasury, extra: Json = {}): Promise<TestVault> => {
  for (let coin = 0; coin < 3; coin += 1) await treasury.give(alice, 20_000_000n);
  const created = await treasury.ask(alice, 'vaults.create', vaultTerms(extra));
  const id = String(created['id']);
  const address = String(created['contractAddress']);
  const { lockingBytecode } = parseAddress(address);
  const coins = () => treasury.app.context.chain.coins(lockingBytecode);
  const request = async (who: Person, spendId: unknown) =>
    (await treasury.ask(who, 'vaults.spend-transaction', { id, spendId }))['wcTransaction'];
  return {
    id,
    address,
    coins,
    request,
    deposit: async (amount) => {
      const input = { id, ...(amount === undefined ? {} : { amount }) };
      const built = await treasury.ask(alice, 'vaults.deposit', input);
      const txid = await treasury.send(alice, built['wcTransaction']);
      await treasury.ask(alice, 'vaults.update-balance', { ...input, txid });
      return txid;
    },
    gift: async (who, amount, tokenCategory) => {
      const built = await treasury.ask(who, 'wallet.send', { to: address, amount, tokenCategory });
      return treasury.send(who, built['wcTransaction']);
    },
    satoshis: async () => sumSatoshis(await coins()),
    tokens: async (category) => sumTokens(await coins(), category),
    shown: (who = alice) => treasury.ask(who, 'vaults.show', { id }),
    propose: (outputs, memo = '') =>
      treasury.ask(alice, 'vaults.spend-create', {
        id,
        memo,
        outputs: outputs.map(({ to, ...output }) => ({
          ...output,
          to: typeof to === 'string' ? to : treasury.addressOf(to).text,
        })),
      }),
    sign: async (who, spendId) => {
      const signedTransaction = treasury.sign(who, await request(who, spendId));
      return treasury.ask(who, 'vaults.spend-submit', { id, spendId, signedTransaction });
    },
    broadcast: async (spendId) =>
      String((await treasury.ask(alice, 'vaults.spend-broadcast', { id, spendId }))['txHash']),
    shownSpend: (spendId) => treasury.ask(alice, 'vaults.spend-show', { id, spendId }),
  };
};

/** An active vault with 0.1 BCH of alice in it. */
export const fundVault = async (treasury: Treasury, extra: Json = {}): Promise<TestVault> => {
  const vault = await createVault(treasury, extra);
  await vault.deposit();
  return vault;
};
