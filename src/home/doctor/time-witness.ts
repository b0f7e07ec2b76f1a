/** The time witness: whether the authority has coins to witness with. */
import { TICKET_SATOSHIS } from '../../covenant/ticket.js';
import { witnessFigures } from '../../offer/witness/worker.js';
import type { Check } from './check.js';
import { countText, listText, ok, warning } from './finding.js';

export const timeWitness: Check = {
  name: 'witness',
  needs: ['folder', 'store', 'chain'],
  look: async ({ context }) => {
    const wallets = await context.keys.list();
    // The check of the keys says so already.
    if (!wallets.some(({ isAuthority }) => isAuthority)) return [];
    const { address, tickets, satoshis, out } = await witnessFigures(context);
    const outText = out.length === 0 ? 'no witness is out' : `witnesses out for ${listText(out)}`;
    const detail = `${address} has ${countText(tickets, 'ticket')} of ${satoshis} satoshis in all; ${outText}`;
    // On the embedded chain the faucet gives a ticket whenever one is needed.
    if (context.localChain !== null || satoshis >= TICKET_SATOSHIS) return [ok(detail)];
    return [
      warning(
        `${detail}: pauses and cancellations that the authority witnesses cannot be built for long`,
        `send ${TICKET_SATOSHIS * 10n} satoshis to ${address}`,
      ),
    ];
  },
};
