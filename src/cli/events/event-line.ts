/** An event on one line, for people. */
import { formatUnits } from '../../bch/amount.js';
import { showDate } from '../../bch/show-date.js';
import type { EventEntry } from '../../record/event-reading.js';
import type { Session } from '../session.js';
import { nameTokens } from '../../record/name-tokens.js';
import { plainLine } from '../plain-text.js';

const amountOf = ({ amountOnChain, asset, decimals }: EventEntry['data']): readonly string[] =>
  typeof amountOnChain === 'string' && typeof decimals === 'number' && typeof asset === 'string'
    ? [`${formatUnits(BigInt(amountOnChain), decimals)} ${asset}`]
    : [];

/** Its place in the log, when it was, its type, the record, the amount, how sure it is; what others wrote without line breaks. */
export const eventLine = async (event: EventEntry, { context }: Session): Promise<string> => {
  const { sequence, time, type, subject, data, certainty } = event;
  const words = [
    String(sequence).padStart(5),
    showDate(time),
    type.padEnd(20),
    ...(subject === null ? [] : [subject.label]),
    ...amountOf(data),
    ...(certainty === null ? [] : [certainty]),
  ];
  const [block] = await nameTokens([{ kind: 'text', text: words.join('  ') }], context.store);
  return plainLine(block?.kind === 'text' ? block.text : '').trimEnd();
};
