/** Vaults: what other parts may import, and the operations in README order. */
import type { Offer } from '../../operation/define.js';
import { addViewer } from './operations/add-viewer.js';
import { create } from './operations/create.js';
import { deposit } from './operations/deposit.js';
import { list } from './operations/list.js';
import { show, state } from './operations/show.js';
import { spendCreate } from './operations/spend-create.js';
import { spendBroadcast, spendConfirm } from './operations/spend-broadcast.js';
import { spendCancel } from './operations/spend-cancel.js';
import { spendList } from './operations/spend-list.js';
import { spendShow } from './operations/spend-show.js';
import { spendSign, spendTransaction } from './operations/spend-sign.js';
import { spendSubmit } from './operations/spend-submit.js';

export { readableVault, sightOf, vaultReaders, type Sight } from './access.js';
export { chooseVault } from './choices.js';
export { keptRecords } from './kept-records.js';
export { deployable } from './deployable.js';
export { findVault } from './records.js';
export { spendCollection } from './spend.js';
export { vaultCollection } from './vault.js';
export { checkVaultReader, roleIn } from './rules.js';
export type { VaultRecord, VaultRole } from './vault.js';

export const operations: readonly Offer[] = [
  create,
  list,
  show,
  state,
  deposit,
  addViewer,
  spendCreate,
  spendList,
  spendShow,
  spendTransaction,
  spendSign,
  spendSubmit,
  spendBroadcast,
  spendConfirm,
  spendCancel,
];
