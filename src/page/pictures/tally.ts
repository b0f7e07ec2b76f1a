/** What was voted: for, against, abstain, and whether enough have. */
import { html } from '../html.js';
import { showUnits } from '../amounts.js';
import { say, showMoment, type WordKey } from '../say.js';
import { filled, textAt, type Look, type Node, type Picture } from './figure.js';
import { percentOf, sentences } from './format.js';
import { round, shareOf, widthOf } from './scale.js';

/** Of the reply of `GET /api/governance/:proposalId`. */
export type TallyShown = {
  readonly title: string;
  readonly status: string;
  readonly quorum: number;
  readonly votingEndsAt: string;
  readonly tokenCategory: string | null;
  readonly votes: readonly {
    readonly vote: string;
    readonly weightExact: string;
    readonly method: 'locked' | 'off-chain';
  }[];
};

/** Weights have so many decimals, the most that a token can have. */
const DECIMALS = 18;

/** A plain number as a weight. JSON writes the smallest with an exponent. */
export const weightOf = (written: string): bigint => {
  const [digits = '0', exponent = '0'] = written.toLowerCase().split('e');
  const [whole = '0', fraction = ''] = digits.split('.');
  const shift = DECIMALS - fraction.length + Number(exponent);
  const all = whole + fraction;
  return BigInt(shift >= 0 ? all + '0'.repeat(shift) : all.slice(0, shift) || '0');
};

const CHOICES = ['FOR', 'AGAINST', 'ABSTAIN'] as const;
type Choice = (typeof CHOICES)[number];

export type Sum = { readonly choice: Choice; readonly weight: bigint; readonly voters: number };

export type TallyShape = {
  readonly sums: readonly Sum[];
  readonly turnout: bigint;
  readonly quorum: bigint;
  /** Votes that were only said, where locked tokens alone count. */
  readonly uncounted: number;
};

/** The sums of what counts: locked votes, and what was only said where the proposal fixes no token. */
export const shapeOfTally = ({ votes, tokenCategory, quorum }: TallyShown): TallyShape => {
  const counted = votes.filter(({ method }) => method === 'locked' || tokenCategory === null);
  const sums = CHOICES.map((choice) => {
    const own = counted.filter(({ vote }) => vote === choice);
    return {
      choice,
      weight: own.reduce((sum, vote) => sum + weightOf(vote.weightExact), 0n),
      voters: own.length,
    };
  });
  return {
    sums,
    turnout: sums.reduce((sum, { weight }) => sum + weight, 0n),
    quorum: weightOf(String(quorum)),
    uncounted: votes.length - counted.length,
  };
};

const LOOKS: Readonly<Record<Choice, Look>> = { FOR: 'full', AGAINST: 'hatched', ABSTAIN: 'dotted' };
const NAMES: Readonly<Record<Choice, WordKey>> = {
  FOR: 'tally.for',
  AGAINST: 'tally.against',
  ABSTAIN: 'tally.abstain',
};
const ROW = 46;
const BAR = 18;
const LEFT = 10;
const weightText = (weight: bigint): string => showUnits(weight, DECIMALS);

type Row = { readonly label: string; readonly figures: string; readonly share: number; readonly look: Look };

const rowOf = (
  { label, figures, share, look }: Row,
  index: number,
  { id, width }: { id: string; width: number },
): Node => {
  const y = index * ROW;
  const long = round((width - 2 * LEFT) * share);
  return html`
    <g>
      ${textAt({ x: LEFT, y: y + 14 }, label, { anchor: 'start', look: 'strong' })}
      ${textAt({ x: width - LEFT, y: y + 14 }, figures, { anchor: 'end' })}
      <rect class="trough" x=${LEFT} y=${y + 20} width=${width - 2 * LEFT} height=${BAR} />
      <rect x=${LEFT} y=${y + 20} width=${long} height=${BAR} ...${filled(id, look)} />
    </g>
  `;
};

/** All votes against the quorum: as long as the larger of both. */
const quorumRow = ({ turnout, quorum }: TallyShape, place: { id: string; width: number }): Node => {
  const whole = turnout > quorum ? turnout : quorum;
  const y = CHOICES.length * ROW;
  const mark = round(LEFT + (place.width - 2 * LEFT) * shareOf(quorum, whole));
  const label = say('tally.quorum-of', { weight: weightText(quorum) });
  const half = widthOf(label) / 2;
  const centre = Math.min(place.width - LEFT - half, Math.max(LEFT + half, mark));
  const row = {
    label: say('tally.all'),
    figures: weightText(turnout),
    share: shareOf(turnout, whole),
    look: turnout < quorum ? 'crossed' : 'full',
  } as const;
  return html`
    ${rowOf(row, CHOICES.length, place)}
    <path class="quorum" d="M${mark} ${y + 18}V${y + 42}" />
    ${textAt({ x: centre, y: y + 56 }, label)}
  `;
};

const captionOf = (shown: TallyShown, shape: TallyShape): string => {
  const { turnout, quorum, uncounted } = shape;
  const end = showMoment(Date.parse(shown.votingEndsAt) / 1000);
  const lacking = turnout < quorum ? weightText(quorum - turnout) : null;
  const point = {
    ACTIVE: lacking === null ? say('tally.open', { end }) : say('tally.open-lacking', { end, lacking }),
    PASSED: say('tally.passed', { end }),
    REJECTED: say('tally.rejected', { end }),
    EXPIRED: say('tally.expired', { end, lacking: lacking ?? '0' }),
  };
  const said = uncounted === 0 ? null : say('tally.uncounted', { count: uncounted });
  return sentences([point[shown.status as keyof typeof point], said]);
};

/** The tally of a proposal. */
export const drawTally = (shown: TallyShown, width: number): Picture => {
  const id = 'vote-tally';
  const shape = shapeOfTally(shown);
  const { sums, turnout, quorum } = shape;
  const place = { id, width };
  return {
    id,
    title: say('tally.title', { title: shown.title }),
    caption: captionOf(shown, shape),
    width,
    height: CHOICES.length * ROW + (quorum === 0n ? 0 : 62),
    drawing: [
      ...sums.map(({ choice, weight }, index) =>
        rowOf(
          {
            label: say(NAMES[choice]),
            figures: `${weightText(weight)} (${percentOf(weight, turnout)})`,
            share: shareOf(weight, turnout),
            look: LOOKS[choice],
          },
          index,
          place,
        ),
      ),
      ...(quorum === 0n ? [] : [quorumRow(shape, place)]),
    ],
    keys: [],
    table: {
      head: [
        ['tally.head-vote', 'text'],
        ['tally.head-tokens', 'amount'],
        ['tally.head-share', 'amount'],
        ['tally.head-voters', 'amount'],
      ],
      rows: [
        ...sums.map(({ choice, weight, voters }) => [
          say(NAMES[choice]),
          weightText(weight),
          percentOf(weight, turnout),
          String(voters),
        ]),
        [
          say('tally.all'),
          weightText(turnout),
          '',
          String(sums.reduce((sum, { voters }) => sum + voters, 0)),
        ],
        ...(quorum === 0n ? [] : [[say('tally.quorum'), weightText(quorum), '', '']]),
      ],
    },
  };
};
