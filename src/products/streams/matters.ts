/** What streams ask of whoever has this home. */
import { formatUnits } from '../../bch/amount.js';
import { PAYOUT_DUST } from '../../bch/transaction.js';
import { shellLabel } from '../../record/labels.js';
import { BEGUN, underEach, type Asked, type Matter, type MattersOf } from '../../record/matter.js';
import { figuresOf } from './kinds.js';
import { runwayOf } from './recurring.js';
import { fundedTotal } from './rules.js';
import { searchConditions } from './search-keys.js';
import { streamCollection, type StreamRecord } from './stream.js';

const amountOf = ({ decimals, token_category: category }: StreamRecord, units: bigint): Matter['amount'] => ({
  units,
  decimals,
  category,
});

/** What is claimed has to be an output of its own. */
const leastOf = ({ token_category }: StreamRecord): bigint => (token_category === null ? PAYOUT_DUST : 1n);

const ofRecipient = (stream: StreamRecord, { now, until }: Asked): readonly Matter[] => {
  const { stream_id: label, recipient: by, sender } = stream;
  const { claimable, nextUnlock: at } = figuresOf(stream, now);
  const what = `from ${sender}`;
  if (claimable >= leastOf(stream)) {
    const command = `streams claim ${shellLabel(label)}`;
    return [{ kind: 'claim', label, what, amount: amountOf(stream, claimable), at: null, command, by }];
  }
  if (at === null || at > until || at <= now) return [];
  return [{ kind: 'due', label, what: `more vests ${what}`, amount: null, at, command: null, by }];
};

/** How many intervals a refill is suggested for. */
const REFILLED = 3n;

/** When what an open stream holds runs dry. */
const ofSender = (stream: StreamRecord, { until }: Asked): readonly Matter[] => {
  const { stream_id: label, sender: by, recipient, thread, amount_per_interval: each, decimals } = stream;
  if (thread === null || each === null) return [];
  const at = runwayOf(stream);
  if (at !== null && at > until) return [];
  const command = `streams refill ${shellLabel(label)} --amount ${formatUnits(each * REFILLED, decimals)}`;
  return [{ kind: 'ends', label, what: `to ${recipient}`, amount: null, at, command, by }];
};

/** What of a stream concerns its parties here. */
export const matters: MattersOf = async (store, asked) => {
  const find = (party: 'sender' | 'recipient', status: StreamRecord['status'], limit?: number) =>
    underEach(asked.mine, (value) =>
      store.find(streamCollection, {
        where: searchConditions({ [party]: value }, status),
        ...(limit === undefined ? {} : { limit }),
      }),
    );
  const [active, paused, open, begun] = await Promise.all([
    find('recipient', 'ACTIVE'),
    find('recipient', 'PAUSED'),
    underEach(asked.mine, (refilled) => store.find(streamCollection, { where: { refilled } })),
    find('sender', 'PENDING', BEGUN),
  ]);
  return [
    ...[...active, ...paused].flatMap((stream) => ofRecipient(stream, asked)),
    ...open.flatMap((stream) => ofSender(stream, asked)),
    ...begun.map((stream): Matter => ({
      kind: 'begin',
      label: stream.stream_id,
      what: `to ${stream.recipient}`,
      amount: amountOf(stream, fundedTotal(stream)),
      at: null,
      command: `streams fund ${shellLabel(stream.stream_id)}`,
      by: stream.sender,
    })),
  ];
};
