/** Pushing: what has vested goes to the recipient, who need not sign. */
import { TreasuryError } from '../../../errors.js';
import type { MoveSpend } from '../../../offer/gather-spend.js';
import { definePush } from '../../../offer/push.js';
import { definePushable } from '../../../offer/pushable.js';
import { figuresOf, kindOf } from '../kinds.js';
import { streams } from '../product.js';
import { pushRules } from '../pushing.js';
import { showStream, StreamReply } from '../reply.js';
import { searchConditions } from '../search-keys.js';
import { streamCollection, type StreamRecord } from '../stream.js';
import { tableOfStreams } from '../view.js';

const build = (spend: MoveSpend<StreamRecord>) => kindOf(spend.record).buildPush(spend, spend.payer);

export const pushable = definePushable({
  ...pushRules,
  product: streams,
  name: 'streams',
  reply: StreamReply,
  activeOf: async (sender, { store }) =>
    (
      await store.find(streamCollection, {
        where: searchConditions({ sender }, 'ACTIVE'),
        order: 'oldest',
      })
    ).items,
  build,
  show: (stream, now, { store }) => showStream(stream, store, now),
  table: tableOfStreams,
});

export const push = definePush({
  ...pushRules,
  product: streams,
  event: 'claimed',
  nothing: {
    code: 'nothing_claimable',
    error: (stream, now) =>
      new TreasuryError('nothing_claimable', {
        label: stream.stream_id,
        nextUnlock: figuresOf(stream, now).nextUnlock,
        chainTime: now,
      }),
  },
  build,
  list: pushable,
  listed: { name: 'streams', label: 'stream_id' },
});
