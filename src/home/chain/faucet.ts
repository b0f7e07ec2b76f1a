/** New coins of the embedded chain. */
import { z } from 'zod';
import { parseAddress, type Address } from '../../bch/address.js';
import {
  BCH_DECIMALS,
  formatUnits,
  MAXIMUM_SATOSHIS,
  toPositiveUnits,
  showAmounts,
} from '../../bch/amount.js';
import { ADDRESS_FORMAT, AmountField } from '../../bch/fields.js';
import { dustOf } from '../../bch/transaction.js';
import { TreasuryError } from '../../errors.js';
import type { Context } from '../../operation/context.js';
import { defineOperation, KEYS_ERRORS } from '../../operation/define.js';
import { embeddedChain } from './embedded-chain.js';

/** The address that a text spells, or that of the wallet it names. @throws invalid_address */
const payeeOf = async (
  text: string,
  { keys, network }: Pick<Context, 'keys' | 'network'>,
): Promise<Address> => {
  const wallet = (await keys.list()).find(({ name }) => name === text);
  return wallet?.address ?? parseAddress(text, network);
};

export const faucet = defineOperation({
  id: 'chain.faucet',
  summary: 'Pay new coins to an address or a wallet (embedded chain only)',
  cli: { positional: ['address', 'amount'], example: 'chain faucet main 5' },
  auth: 'none',
  input: z.object({
    address: z
      .string()
      .trim()
      .min(1)
      .meta({ format: ADDRESS_FORMAT, description: 'Cash address, or the name of a wallet' }),
    amount: AmountField.describe('BCH'),
  }),
  output: z.object({
    txHash: z.string(),
    address: z.string(),
    amount: z.number().describe('BCH'),
    amountOnChain: z.string().describe('Satoshis'),
  }),
  errors: [
    'local_only',
    'invalid_address',
    'invalid_amount',
    'amount_below_dust',
    'insufficient_funds',
    ...KEYS_ERRORS,
  ],
  run: async ({ address: text, amount }, context) => {
    // Check:
    const chain = embeddedChain(context, 'faucet');
    const address = await payeeOf(text, context);
    const satoshis = toPositiveUnits(amount, BCH_DECIMALS, 'amount', MAXIMUM_SATOSHIS);
    const minimum = dustOf({ lockingBytecode: address.lockingBytecode, satoshis });
    if (satoshis < minimum) {
      throw new TreasuryError('amount_below_dust', {
        field: 'amount',
        amount: amount.decimal,
        minimum: formatUnits(minimum, BCH_DECIMALS),
      });
    }

    const txHash = await chain.faucet(address.lockingBytecode, satoshis);
    return {
      txHash,
      address: address.text,
      ...showAmounts({ amount: satoshis }, BCH_DECIMALS),
    };
  },
});
