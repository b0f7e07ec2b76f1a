/** Wallets: keys, balances, payments. */
import type { Offer } from '../../operation/define.js';
import { address } from './address.js';
import { balance } from './balance.js';
import { coins } from './coins.js';
import { create } from './create.js';
import { exportWallet } from './export.js';
import { importWallet } from './import.js';
import { list } from './list.js';
import { send } from './send.js';
import { show } from './show.js';
import { signMessage } from './sign-message.js';
import { use } from './use.js';

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
