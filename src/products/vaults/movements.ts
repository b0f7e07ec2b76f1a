/** What the events of a vault tell of its money. */
import { z } from 'zod';
import { BCH_DECIMALS } from '../../bch/amount.js';
import { categoriesOf, sumTokens, type Output } from '../../bch/coins.js';
import type { EventRecord } from '../../record/events.js';
import type { Flow, Movement } from '../../record/movement.js';

/** `category amount, category amount`: tokens beside the satoshis, smallest unit. */
const Tokens = z.codec(
  z.string().regex(/^[0-9a-f]{64} \d+(, [0-9a-f]{64} \d+)*$/),
  z.array(z.object({ category: z.string(), amount: z.bigint() })),
  {
    decode: (text) =>
      text.split(', ').map((part) => {
        const [category = '', amount = ''] = part.split(' ');
        return { category, amount: BigInt(amount) };
      }),
    encode: (tokens) => tokens.map(({ category, amount }) => `${category} ${amount}`).join(', '),
  },
);

/** What the event of a deposit tells. */
export const Deposited = z.object({ tokens: Tokens.exactOptional() });

/** The event of a spend tells beside it whose two keys signed, and which proposed transaction it is. */
export const Spent = Deposited.extend({ signers: z.string(), unsigned_txid: z.string() });

/** The tokens of some outputs, for an event. */
export const tokensOf = (outputs: readonly Output[]): z.output<typeof Deposited> => {
  const tokens = categoriesOf(outputs.filter(({ token }) => token?.amount !== 0n)).map((category) => ({
    category,
    amount: sumTokens(outputs, category),
  }));
  return tokens.length === 0 ? {} : { tokens };
};

const FLOW: Readonly<Record<string, Flow>> = { deposited: 'in', spent: 'out' };

/** Every satoshi and token that comes to a vault's address, or leaves it. */
export const vaultMovements = ({ event_type, actor: party, amount, details }: EventRecord): Movement[] => {
  const flow = FLOW[event_type];
  if (flow === undefined) return [];
  const { tokens = [] } = Deposited.parse(details);
  return [
    { flow, party, category: null, amount, decimals: BCH_DECIMALS },
    ...tokens.map((token) => ({ flow, party, ...token, decimals: null })),
  ];
};
