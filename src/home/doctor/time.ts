/** Time: how old the tip is, whether this machine's clock and the chain agree, and whether the authority can witness it. */
import { BCH_DECIMALS, formatUnits } from '../../bch/amount.js';
import type { Network } from '../../bch/network.js';
import { showDate } from '../../bch/show-date.js';
import { TICKET_SATOSHIS } from '../../covenant/ticket.js';
import { witnessFigures } from '../../offer/witness/worker.js';
import { countText, listText, ok, problem, spanText, warning, type Check } from './check.js';

const HOUR = 3_600;

/** From which age on a tip is a warning, and a problem, in seconds; null for chains that are mined by hand. */
const ageLimits = (network: Network): { readonly warn: number; readonly fail: number } | null => {
  if (network === 'local' || network === 'regtest') return null;
  return network === 'mainnet' ? { warn: 2 * HOUR, fail: 6 * HOUR } : { warn: 12 * HOUR, fail: 24 * HOUR };
};

const AGE_ADVICE =
  'compare the tip with a block explorer; if it is behind, name other servers in TREASURY_ELECTRUM';

export const tipAge: Check = {
  name: 'tip',
  needs: ['chain'],
  look: async ({ context: { chain, clock, network } }) => {
    const { height, time } = await chain.tip();
    const age = clock.wall() - time;
    const limits = ageLimits(network);
    const when = age >= 0 ? `${spanText(age)} ago` : `${spanText(-age)} ahead of this machine's clock`;
    const detail = `block ${height} is of ${showDate(time)}, ${when}`;
    if (limits === null || age <= limits.warn) return [ok(detail)];
    return [age > limits.fail ? problem(detail, AGE_ADVICE) : warning(detail, AGE_ADVICE)];
  },
};

/** How far a block's time may be ahead of a node's clock, seconds. Source: the two-hour rule of block acceptance. */
const FARTHEST_AHEAD = 2 * HOUR;
const CLOCK_ADVICE = "set this machine's clock: with systemd, `timedatectl set-ntp true`";

export const machineClock: Check = {
  name: 'clock',
  needs: ['chain'],
  look: async ({ context: { chain, localChain, clock } }) => {
    const now = clock.wall();
    if (localChain !== null) {
      const ahead = clock.now() - now;
      const relation = ahead === 0 ? 'is that of this machine' : `was advanced by ${spanText(ahead)}`;
      return [ok(`the embedded chain has a clock of its own: it ${relation}, ${showDate(clock.now())}`)];
    }
    const { time, medianTimePast } = await chain.tip();
    if (time - now > FARTHEST_AHEAD) {
      return [problem(`this machine's clock is ${spanText(time - now)} behind the tip`, CLOCK_ADVICE)];
    }
    if (medianTimePast > now) {
      const behind = spanText(medianTimePast - now);
      return [problem(`this machine's clock is ${behind} behind the chain's median time past`, CLOCK_ADVICE)];
    }
    return [ok(`this machine's clock and the chain's time agree: ${showDate(now)}`)];
  },
};

/** How far two clocks may be apart, seconds: above what a question and its answer take. */
const APART_SECONDS = 5;

export const databaseClock: Check = {
  name: 'clock',
  needs: [],
  look: async ({ context: { store, clock }, surroundings: { failures } }) => {
    // The check of the store says so already.
    if (failures.store !== null || !store.isShared) return [];
    const ahead = clock.wall() - Math.floor((await store.time()) / 1_000);
    if (Math.abs(ahead) <= APART_SECONDS)
      return [ok("this machine's clock and the database's agree, within seconds")];
    const relation = `${spanText(Math.abs(ahead))} ${ahead > 0 ? 'ahead of' : 'behind'} the database's`;
    return [
      warning(
        `this machine's clock is ${relation}: challenges and tokens that one daemon gives may be over, or not valid yet, for another`,
        `${CLOCK_ADVICE}; the same for the machine of the database`,
      ),
    ];
  },
};

export const timeWitness: Check = {
  name: 'witness',
  needs: ['folder', 'store', 'chain'],
  look: async ({ context }) => {
    const wallets = await context.keys.list();
    // The check of the keys says so already.
    if (!wallets.some(({ isAuthority }) => isAuthority)) return [];
    const { address, tickets, satoshis, out } = await witnessFigures(context);
    const outText = out.length === 0 ? 'no witness is out' : `witnesses out for ${listText(out)}`;
    const detail = `${address} has ${countText(tickets, 'ticket')} of ${formatUnits(satoshis, BCH_DECIMALS)} BCH in all; ${outText}`;
    // On the embedded chain the faucet gives a ticket whenever one is needed.
    if (context.localChain !== null || satoshis >= TICKET_SATOSHIS) return [ok(detail)];
    return [
      warning(
        `${detail}: pauses and cancellations that the authority witnesses cannot be built for long`,
        `send ${formatUnits(TICKET_SATOSHIS * 10n, BCH_DECIMALS)} BCH to ${address}`,
      ),
    ];
  },
};
