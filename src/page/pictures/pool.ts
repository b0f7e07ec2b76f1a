/** The pool of a reward campaign, as it was drawn down. */
import { html } from '../html.js';
import { shorten } from '../amounts.js';
import { say, showDay, showMoment } from '../say.js';
import { amountLine, timeAxis, timeScale, TODAY_ROOM, todayMark } from './axes.js';
import { filled, type Node, type Picture, type Rows } from './figure.js';
import { amountText, percentOf, sentences, type Asset } from './format.js';
import { placeOf } from './scale.js';
import { areaPath, heightOf, linePath, stairs, type Corner, type Plot } from './steps.js';

/** Of the reply of `GET /api/rewards/:id`. */
export type CampaignShown = {
  readonly campaign: {
    readonly campaign_id: string;
    readonly status: string;
    readonly total_poolOnChain: string;
    readonly distributed_totalOnChain: string;
    readonly distributed_count: number;
    readonly start_date: number;
    readonly created_at: number;
    readonly end_date: number | null;
  };
  /** Newest first, the latest 50. */
  readonly distributions: readonly {
    readonly recipient: string;
    readonly amountOnChain: string;
    readonly distributed_at: number;
  }[];
};

export type Payout = {
  readonly time: number;
  readonly amount: bigint;
  readonly left: bigint;
  readonly to: string;
};

export type PoolShape = {
  readonly first: number;
  readonly last: number;
  readonly total: bigint;
  readonly distributed: bigint;
  /** Paid before the first of the payouts that are known, and to how many. */
  readonly earlier: bigint;
  readonly earlierCount: number;
  /** Oldest first. */
  readonly payouts: readonly Payout[];
  /** What was left, as stairs. */
  readonly left: readonly Corner[];
};

/** What was left of a pool when. */
export const shapeOfPool = ({ campaign, distributions }: CampaignShown, readersNow: number): PoolShape => {
  // A chain for tests may be ahead of the reader's clock.
  const now = Math.max(readersNow, ...distributions.map(({ distributed_at: time }) => time));
  const [total, distributed] = [
    BigInt(campaign.total_poolOnChain),
    BigInt(campaign.distributed_totalOnChain),
  ];
  const known = distributions.reduce((sum, { amountOnChain }) => sum + BigInt(amountOnChain), 0n);
  const earlier = distributed > known ? distributed - known : 0n;
  let left = total - earlier;
  const payouts = distributions.toReversed().map(({ recipient: to, amountOnChain, distributed_at: time }) => {
    const amount = BigInt(amountOnChain);
    left -= amount;
    return { time, amount, left, to };
  });
  const times = payouts.map(({ time }) => time);
  const first = Math.min(campaign.start_date > 0 ? campaign.start_date : campaign.created_at, now, ...times);
  const last = now;
  const begun = payouts[0]?.time ?? last;
  // How it went before that is not told: a straight line stands for it.
  const start = [
    { time: first, amount: total },
    ...(earlier === 0n ? [] : [{ time: begun, amount: total - earlier }]),
  ];
  const steps = stairs(
    [
      { time: begun, amount: total - earlier },
      ...payouts.map((one) => ({ time: one.time, amount: one.left })),
    ],
    last,
  );
  return {
    first,
    last,
    total,
    distributed,
    earlier,
    earlierCount: Math.max(0, campaign.distributed_count - distributions.length),
    payouts,
    left: [...start, ...steps],
  };
};

const HEIGHT = 220;

const marks = (plot: Plot, { payouts }: PoolShape, asset: Asset): Node[] =>
  payouts.map(
    ({ time, amount, left, to }) => html`
      <g class="claim">
        <title>
          ${say('pool.payout', { amount: amountText(amount, asset), to: shorten(to), day: showDay(time) })}
        </title>
        <circle cx=${placeOf(plot.time, time)} cy=${heightOf(plot, left)} r="4" />
      </g>
    `,
  );

const tableOf = ({ first, total, earlier, earlierCount, payouts }: PoolShape, asset: Asset): Rows => {
  const amount = (units: bigint) => amountText(units, asset);
  return {
    head: [
      ['picture.when', 'date'],
      ['picture.to', 'whole'],
      ['picture.amount', 'amount'],
      ['pool.head-left', 'amount'],
    ],
    rows: [
      [showDay(first), say('pool.begin'), '', amount(total)],
      ...(earlier === 0n
        ? []
        : [['', say('pool.earlier', { count: earlierCount }), amount(earlier), amount(total - earlier)]]),
      ...payouts.map(({ time, to, amount: paid, left }) => [
        showMoment(time),
        to,
        amount(paid),
        amount(left),
      ]),
    ],
  };
};

/** How a pool was drawn down. `now` in unix seconds. */
export const drawPool = (
  shown: CampaignShown & { readonly now: number },
  asset: Asset,
  width: number,
): Picture => {
  const id = 'reward-pool';
  const { campaign, now } = shown;
  const shape = shapeOfPool(shown, now);
  const { total, distributed } = shape;
  const time = timeScale(shape.first, shape.last, width);
  const plot = { time, whole: total, top: TODAY_ROOM + 20, bottom: HEIGHT - 28 };
  const whole = [
    { time: shape.first, amount: total },
    { time: shape.last, amount: total },
  ];
  const amount = (units: bigint) => amountText(units, asset);
  const isOver = campaign.status === 'CANCELLED';
  return {
    id,
    title: say('pool.title', { label: campaign.campaign_id }),
    caption: sentences([
      say('pool.paid', {
        paid: amount(distributed),
        total: amount(total),
        share: percentOf(distributed, total),
        count: campaign.distributed_count,
      }),
      say(isOver ? 'pool.returned' : 'pool.left', { amount: amount(total - distributed) }),
    ]),
    width,
    height: HEIGHT,
    drawing: [
      html`
        <path d=${areaPath(plot, whole, shape.left)} ...${filled(id, 'hatched')} />
        <path d=${areaPath(plot, shape.left)} ...${filled(id, isOver ? 'empty' : 'full')} />
        <path class="curve" d=${linePath(plot, shape.left)} />
      `,
      amountLine(time, plot.top, amount(total)),
      timeAxis(time, plot.bottom),
      todayMark(time, shape.last, [TODAY_ROOM, plot.bottom]),
      ...marks(plot, shape, asset),
    ],
    keys: [
      { look: isOver ? 'empty' : 'full', text: say(isOver ? 'pool.is-returned' : 'pool.is-left') },
      { look: 'hatched', text: say('pool.is-paid') },
    ],
    table: tableOf(shape, asset),
  };
};
