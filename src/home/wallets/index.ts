/** Wallets: keys, balances, payments. */
import type { Offer } from '../../operation/define.js';
import { address, list, show, use } from './wallet.js';
import { connect, disconnect } from './connect.js';
import { balance, coins } from './holdings.js';
import { create, exportWallet, importWallet, signMessage } from './secrets.js';
import { send } from './send.js';

export const operations: readonly Offer[] = [
  create,
  importWallet,
  connect,
  disconnect,
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
