/** A stream's terms as constructor parameters, and the address they give. */
import { hash160, hexToBin } from '@bitauth/libauth';
import { parseAddress } from '../../bch/address.js';
import type { Network } from '../../bch/network.js';
import { checkCategory, checkDate, checkParty, checkTotal, INTERVAL_LIMIT } from '../../covenant/checks.js';
import { bindContract, scriptCategory, type CovenantContract } from '../../covenant/covenant-contract.js';
import type { Finding } from '../../covenant/genesis.js';
import { checkPushMinimum, pushParameter } from '../../covenant/push.js';
import { decodeSchedule, encodeSchedule, MAXIMUM_SEGMENTS, segmentsOf, type Segment } from './schedule.js';
import type { StreamRecord } from './stream.js';

/**
 * The contract of a vesting stream. Constructor: streamId, senderHash, authorityHash, tokenCategory, schedule, and since
 * version 0.3.0 pushMinimum.
 */
export const vestingContract = (
  terms: Pick<
    StreamRecord,
    | 'artifact_fingerprint'
    | 'on_chain_stream_id'
    | 'sender'
    | 'authority_pubkey'
    | 'token_category'
    | 'schedule'
    | 'push_minimum'
  >,
  network: Network,
): CovenantContract => {
  const version = { name: 'stream', pinned: terms.artifact_fingerprint } as const;
  return bindContract(
    version,
    [
      hexToBin(terms.on_chain_stream_id),
      hexToBin(parseAddress(terms.sender).hash),
      hash160(hexToBin(terms.authority_pubkey)),
      scriptCategory(terms.token_category),
      hexToBin(terms.schedule),
      ...pushParameter(version, terms.push_minimum),
    ],
    network,
  );
};

/** Checks what is paid, in what, and between which dates. */
export const checkFrame = (stream: StreamRecord): readonly Finding[] => [
  checkTotal('totalAmount', stream.total_amount),
  checkCategory(stream.token_category, stream.thread),
  checkDate('startTime', stream.start_time),
  ...(stream.end_time === null ? [] : [checkDate('endTime', stream.end_time)]),
];

const risesFrom = (segment: Segment, earlier: Segment | undefined): boolean =>
  earlier === undefined
    ? segment.offset >= 0 && segment.cumulative >= 0n
    : segment.offset > earlier.offset && segment.cumulative >= earlier.cumulative;

/** Checks the segments that the covenant will read. */
export const checkSegments = (
  segments: readonly Segment[],
  { start_time: start, total_amount: total }: Pick<StreamRecord, 'start_time' | 'total_amount'>,
): readonly Finding[] => {
  const last = segments.at(-1);
  const finding = (ok: boolean, detail: string): Finding => ({ check: 'schedule', ok, detail });
  return [
    finding(
      segments.length >= 1 && segments.length <= MAXIMUM_SEGMENTS,
      `${segments.length} segments must be 1 to ${MAXIMUM_SEGMENTS}`,
    ),
    finding(
      segments.every((segment, index) => risesFrom(segment, segments[index - 1])),
      'offsets must rise strictly from 0 or later, and what has vested must never fall',
    ),
    finding(
      segments.every(({ step }) => step >= 0 && step < INTERVAL_LIMIT),
      `an interval must be at least 1 second and below ${INTERVAL_LIMIT}`,
    ),
    finding(
      last !== undefined && last.step === 0 && last.cumulative === total && last.offset >= 1,
      `the last segment must hold the total of ${total}, at least a second after the start`,
    ),
    checkDate('schedule', start + (last?.offset ?? 0)),
  ];
};

/** Checks that the parameters are within their ranges, and the segments those of the terms. Source: docs/design/covenants.md, rule 16. */
export const checkVestingTerms = (stream: StreamRecord): readonly Finding[] => [
  ...checkParty('sender', stream.sender, stream.authority_pubkey),
  ...checkParty('recipient', stream.first_recipient, stream.authority_pubkey),
  ...checkFrame(stream),
  ...checkSegments(decodeSchedule(stream.schedule), stream),
  {
    check: 'schedule',
    ok: encodeSchedule(segmentsOf(stream)) === stream.schedule,
    detail: 'the segments must be those of the terms',
  },
  checkPushMinimum({
    pushMinimum: stream.push_minimum,
    contract: { name: 'stream', pinned: stream.artifact_fingerprint },
    tokenCategory: stream.token_category,
    total: stream.total_amount,
  }),
];
