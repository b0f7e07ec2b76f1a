/** How many streams one standard transaction can fund. */
import { MAXIMUM_TOKEN_AMOUNT } from '../../bch/amount.js';
import { MAXIMUM_STANDARD_SIZE, outputSize } from '../../bch/transaction.js';
import { genesisOutputs } from '../../covenant/genesis.js';
import { RESERVE_DUST } from '../../covenant/reserve.js';
import { TreasuryError } from '../../errors.js';
import type { Asset } from '../../record/assets.js';
import { streamState } from './state.js';

/** Room for the payer's inputs and change: seven signed inputs, which a wallet in ordinary use has few of. */
const ROOM = 1_200;
/** P2SH32. */
const CONTRACT_LOCK = 'aa20' + '00'.repeat(32) + '87';
const CATEGORY = '00'.repeat(32);

/** How many streams in an asset one standard transaction can fund. */
export const maximumBatch = ({ category }: Pick<Asset, 'category'>): number => {
  const outputs = genesisOutputs(
    [
      {
        lockingBytecode: CONTRACT_LOCK,
        commitment: '00'.repeat(streamState.size),
        pool: category === null ? 0n : MAXIMUM_TOKEN_AMOUNT,
        token: category === null ? null : { category, reserveLock: () => CONTRACT_LOCK },
      },
    ],
    CATEGORY,
    RESERVE_DUST,
  );
  const size = outputs.reduce((sum, output) => sum + outputSize(output), 0);
  return Math.floor((MAXIMUM_STANDARD_SIZE - ROOM) / size);
};

/** @throws batch_too_large with how many fit */
export const checkBatchSize = (count: number, asset: Pick<Asset, 'category'>): void => {
  const maximum = maximumBatch(asset);
  if (count > maximum) throw new TreasuryError('batch_too_large', { count, maximum });
};
