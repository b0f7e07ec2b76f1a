/** The screen of the phone: what waits for a person, and what they do with it. Both protocols put their requests here. */
import { binToHex } from '@bitauth/libauth';
import type { Behaviour, PhoneEvent } from './behaviour.js';
import { addressOf, deriveKey, type ChainName, type Key } from './key.js';
import { answerText, answerTransaction, type Lie, type MessageLie, type SignedAnswer } from './lies.js';
import type { Asked, Pen } from './signing.js';

export type Tell = (event: PhoneEvent) => void;

/** What stands on the screen. Amounts as text: satoshis. */
export const show = ({ transaction, sources }: Asked, chain: ChainName): Record<string, unknown> => {
  const place = (lockingBytecode: Uint8Array): string =>
    addressOf(binToHex(lockingBytecode), chain) ?? binToHex(lockingBytecode);
  const token = (given: Asked['sources'][number]['token']): Record<string, unknown> =>
    given === undefined
      ? {}
      : {
          token: {
            category: binToHex(given.category),
            amount: `${given.amount}`,
            isNft: given.nft !== undefined,
          },
        };
  const sum = (items: readonly { readonly valueSatoshis: bigint }[]): bigint =>
    items.reduce((total, { valueSatoshis }) => total + valueSatoshis, 0n);
  return {
    locktime: transaction.locktime,
    fee: `${sum(sources) - sum(transaction.outputs)}`,
    spends: sources.map((source) => ({
      from: place(source.lockingBytecode),
      value: `${source.valueSatoshis}`,
      ...token(source.token),
      ...(source.contract === undefined
        ? {}
        : { contract: source.contract.artifact?.contractName, does: source.contract.abiFunction?.name }),
    })),
    pays: transaction.outputs.map((output) => ({
      to: place(output.lockingBytecode),
      value: `${output.valueSatoshis}`,
      ...token(output.token),
    })),
  };
};

/** The wallet's account: one address, which can be changed. */
export class Account {
  index = 0;
  readonly #seed: string;
  readonly chain: ChainName;

  constructor(seed: string, chain: ChainName) {
    this.#seed = seed;
    this.chain = chain;
  }

  get key(): Key {
    return this.keyAt(this.index);
  }

  get address(): string {
    return this.addressAt(this.index);
  }

  readonly #keys = new Map<number, Key>();

  keyAt(index: number): Key {
    const key = this.#keys.get(index) ?? deriveKey(this.#seed, `0/${index}`);
    this.#keys.set(index, key);
    return key;
  }

  addressAt(index: number): string {
    return addressOf(this.keyAt(index).lockingBytecode, this.chain) ?? '';
  }
}

/** Behaviours that wait for their request. */
export class Plans {
  readonly #plans: Behaviour[] = [];

  add(plans: readonly Behaviour[]): void {
    this.#plans.push(...plans);
  }

  /** The first that is for this method, taken away; `accept` when there is none. */
  take(method: string): Behaviour {
    const isSigned = method.startsWith('bch_sign') || method === 'sign_transaction_request';
    const index = this.#plans.findIndex(({ for: wanted }) =>
      wanted === undefined ? isSigned : wanted === method,
    );
    return this.#plans.splice(index, index < 0 ? 0 : 1)[0] ?? { do: 'accept' };
  }
}

/** There is nothing in this transaction to tell this lie about. */
export class ImpossibleLie extends Error {}

/** @throws ImpossibleLie */
export const signAsTold = (asked: Asked, pen: Pen, plan: Behaviour): SignedAnswer => {
  const { lie, index, type, after } = plan;
  const answer = answerTransaction(asked, pen, lie as Lie | undefined, {
    ...(index === undefined ? {} : { index }),
    ...(type === undefined ? {} : { type }),
    ...(after === undefined ? {} : { after }),
  });
  if (answer === null) throw new ImpossibleLie(`"${lie}" cannot be told of this transaction`);
  return answer;
};

export const textAsTold = (text: string, key: Key, { lie }: Behaviour): string =>
  answerText(text, key, lie as MessageLie | undefined);
