/** Time: how old the tip is, and whether this machine's clock and the chain agree. */
import type { Network } from '../../bch/network.js';
import { showDate } from '../../bch/show-date.js';
import type { Check } from './check.js';
import { ok, problem, spanText, warning } from './finding.js';

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
