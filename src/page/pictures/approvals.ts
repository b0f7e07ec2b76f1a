/** Who of a vault's signers has signed a spend. */
import { html } from '../html.js';
import { shorten } from '../amounts.js';
import { say, showDay, showMoment } from '../say.js';
import { filled, textAt, type Node, type Picture } from './figure.js';
import { sentences } from './format.js';
import { round, widthOf } from './scale.js';

/** Of the replies of `GET /api/vaults/:id` and of its spend. */
export type ApprovalsShown = {
  readonly signers: readonly string[];
  readonly spend: {
    readonly label: string;
    readonly status: string;
    readonly signatures: readonly { readonly signer: string; readonly signedAt: number }[];
    readonly signaturesNeeded: number;
  };
  /** Who looks at it; null: not known. */
  readonly me: string | null;
};

export type Approval = {
  readonly signer: string;
  /** Unix seconds; null: not signed. */
  readonly signedAt: number | null;
  readonly isMe: boolean;
  /** What stands under it. */
  readonly state: 'signed' | 'waits' | 'needless';
};

/** Who has signed, in the order of the vault's signers. */
export const approvalsOf = ({ signers, spend, me }: ApprovalsShown): readonly Approval[] =>
  signers.map((signer) => {
    const signedAt = spend.signatures.find((one) => one.signer === signer)?.signedAt ?? null;
    const isOpen = spend.status === 'PENDING' && spend.signaturesNeeded > 0;
    return {
      signer,
      signedAt,
      isMe: signer === me,
      state: signedAt !== null ? 'signed' : isOpen ? 'waits' : 'needless',
    };
  });

const HEIGHT = 134;
const RADIUS = 24;
const TOP = 6;

const sealOf = (
  { signer, signedAt, isMe, state }: Approval,
  place: { x: number; index: number; room: number },
  id: string,
): Node => {
  const { x, index, room } = place;
  const name = isMe ? say('approvals.you') : say('approvals.signer', { number: index + 1 });
  return html`
    <g class="seal">
      <title>${signer}</title>
      <circle cx=${x} cy=${TOP + RADIUS} r=${RADIUS} ...${filled(id, signedAt === null ? 'empty' : 'full')} />
      ${
        signedAt === null
          ? textAt({ x, y: TOP + RADIUS + 5 }, state === 'waits' ? '?' : '–')
          : html`<path class="sign full" d="M${x - 11} ${TOP + RADIUS}l8 8l14 -16" />`
      }
      ${textAt({ x, y: 76 }, name, { look: 'strong' })}
      ${textAt({ x, y: 94 }, widthOf(shorten(signer)) < room ? shorten(signer) : `…${signer.slice(-6)}`, {
        look: 'quiet',
      })}
      ${textAt({ x, y: 112 }, say(`approvals.is-${state}`))}
      ${signedAt === null ? null : textAt({ x, y: 129 }, showDay(signedAt), { look: 'quiet' })}
    </g>
  `;
};

/** The signatures of a spend that there are, and those that are missing. */
export const drawApprovals = (shown: ApprovalsShown, width: number): Picture => {
  const { label, status, signaturesNeeded: missing, signatures } = shown.spend;
  const id = `approvals-${label.replace(/\W/g, '')}`;
  const approvals = approvalsOf(shown);
  const room = width / approvals.length;
  const needed = signatures.length + missing;
  const mine = approvals.find(({ isMe }) => isMe);
  const you = { waits: say('approvals.your-turn'), signed: say('approvals.you-signed'), needless: null };
  const fillings = { signed: signatures.length, needed, count: missing };
  const point = {
    PENDING: say('approvals.pending', fillings),
    READY: say('approvals.ready', fillings),
    SPENT: say('approvals.spent'),
    CANCELLED: say('approvals.cancelled'),
    GONE: say('approvals.gone'),
  };
  return {
    id,
    title: say('approvals.title', { label }),
    caption: sentences([point[status as keyof typeof point], mine === undefined ? null : you[mine.state]]),
    width,
    height: HEIGHT,
    drawing: approvals.map((approval, index) =>
      sealOf(approval, { x: round(room * (index + 0.5)), index, room }, id),
    ),
    keys: [],
    table: {
      head: [
        ['approvals.head-signer', 'text'],
        ['approvals.head-address', 'whole'],
        ['picture.state', 'text'],
        ['picture.when', 'date'],
      ],
      rows: approvals.map(({ signer, signedAt, isMe, state }, index) => [
        say(isMe ? 'approvals.signer-you' : 'approvals.signer', { number: index + 1 }),
        signer,
        say(`approvals.is-${state}`),
        signedAt === null ? '' : showMoment(signedAt),
      ]),
    },
  };
};
