/** Wallets: keys, balances, payments. */
import type { Offer } from '../../operation/define.js';
import { address, list, show, use } from './wallet.js';
import { balance, coins } from './holdings.js';
import { create, exportWallet, importWallet, signMessage } from './secrets.js';
import { send } from './send.js';

export const operations: readonly Offer[] = [
  create,
  importWallet,
  list,
  show,
  use,
  address,
  balance,
  coins,
  send,
  signMessage,
  exportWallet,
];
