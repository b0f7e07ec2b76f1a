/** Who of a vault's signers has signed a spend. */
import { html } from 'htm/preact';
import { words } from '../words/en.js';
import { filled, textAt, type Node, type Picture } from './figure.js';
import { dayText, momentText, shortAddress } from './format.js';
import { round } from './scale.js';

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
  readonly state: 'signed' | 'waits' | 'not needed';
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
      state: signedAt !== null ? 'signed' : isOpen ? 'waits' : 'not needed',
    };
  });

const HEIGHT = 134;
const RADIUS = 24;
const TOP = 6;

const text = () => words.pictures.approvals;

const sealOf = (
  { signer, signedAt, isMe, state }: Approval,
  place: { x: number; index: number },
  id: string,
): Node => {
  const { x, index } = place;
  const name = isMe ? text().you : text().signer(index + 1);
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
      ${textAt({ x, y: 94 }, shortAddress(signer), { look: 'quiet' })}
      ${textAt({ x, y: 112 }, text().states[state])}
      ${signedAt === null ? null : textAt({ x, y: 129 }, dayText(signedAt), { look: 'quiet' })}
    </g>
  `;
};

/** The signatures of a spend that there are, and those that are missing. */
export const drawApprovals = (shown: ApprovalsShown, width: number): Picture => {
  const id = 'vault-approvals';
  const { label, status, signaturesNeeded: missing, signatures } = shown.spend;
  const approvals = approvalsOf(shown);
  const needed = signatures.length + missing;
  const say = text();
  const mine = approvals.find(({ isMe }) => isMe);
  const you = mine?.state === 'waits' ? say.yourTurn : mine?.state === 'signed' ? say.youSigned : '';
  const point = {
    PENDING: say.pending(signatures.length, needed, missing),
    READY: say.ready(signatures.length, needed),
    SPENT: say.spent,
    CANCELLED: say.cancelled,
    GONE: say.gone,
  };
  return {
    id,
    title: say.title(label),
    caption: [point[status as keyof typeof point], you].filter((part) => part !== '').join(' '),
    width,
    height: HEIGHT,
    drawing: approvals.map((approval, index) =>
      sealOf(approval, { x: round((width * (2 * index + 1)) / (2 * approvals.length)), index }, id),
    ),
    keys: [],
    table: {
      head: say.head,
      rows: approvals.map(({ signer, signedAt, isMe, state }, index) => [
        isMe ? `${say.signer(index + 1)} (${say.you})` : say.signer(index + 1),
        signer,
        say.states[state],
        signedAt === null ? '' : momentText(signedAt),
      ]),
    },
  };
};
