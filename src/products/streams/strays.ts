/** What else may lie at a stream's address, and who takes it out. */
import type { StrayRules } from '../../record/deployable.js';
import { kindOf } from './kinds.js';
import type { StreamRecord } from './stream.js';

export const streamStrays: StrayRules<StreamRecord> = {
  noun: 'streams',
  label: (stream) => stream.stream_id,
  decimals: (stream) => stream.decimals,
  tokenCategory: (stream) => stream.token_category,
  isState: (stream, commitment) => kindOf(stream).isState(commitment),
  way: ({ cancelable }) =>
    cancelable
      ? 'the sender cancels it, which pays what has vested in it to its recipient and the rest back'
      : 'it is irrevocable, and its recipient claims it as it vests',
};
