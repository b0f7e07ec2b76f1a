/** A vault's contract in words. */
import { binToHex, hash160, hexToBin } from '@bitauth/libauth';
import { param, type ContractWords } from '../../covenant/contract-words.js';
import { vaultState } from './contract.js';

export const words: ContractWords = {
  contract: 'vault',
  what: 'vault',
  terms: (params, voice) =>
    [1, 2, 3].map((number) => {
      const key = param(params, `key${number}`);
      return [`Signer ${number}`, voice.party(binToHex(hash160(hexToBin(key))))];
    }),
  state: (commitment) => {
    const state = vaultState.decode(commitment);
    return state?.version === 1 ? [['Spends so far', String(state.spends)]] : null;
  },
};
