/** The coins of an address. */
import { z } from 'zod';
import { AddressField } from '../../bch/fields.js';
import { CHAIN_ERRORS, defineOperation, WALLET_ERRORS } from '../../operation/define.js';
import { FundingInputs, showInputs } from '../../offer/funding-reply.js';
import { meantWallet } from './wallet.js';

export const coins = defineOperation({
  id: 'wallet.coins',
  summary: 'List the coins of a wallet, or of any address',
  auth: 'optional',
  input: z.object({
    address: AddressField.optional().describe('Any address of the network, instead of the wallet’s own'),
  }),
  output: z.object({ coins: FundingInputs }),
  errors: [...WALLET_ERRORS, ...CHAIN_ERRORS],
  run: async ({ address }, context) => {
    const { lockingBytecode } = address ?? (await meantWallet(undefined, context)).address;
    return { coins: showInputs(await context.chain.coins(lockingBytecode)) };
  },
  view: (reply) => [
    {
      kind: 'table',
      head: ['Coin', 'Satoshis', 'Token', 'Amount', 'NFT'],
      rows: reply.coins.map(({ txid, vout, satoshis, token }) => [
        `${txid}:${vout}`,
        String(satoshis),
        token?.category ?? '',
        token?.amount ?? '',
        token?.nft === undefined ? '' : `${token.nft.capability} ${token.nft.commitment}`,
      ]),
      empty: 'No coins.',
    },
  ],
});
