/** Pushing a record: what is due goes to its recipient, and whoever asks pays the fee. Products say what is due. */
import { z } from 'zod';
import { formatUnits, showAmounts } from '../bch/amount.js';
import { hasPush, isPushed, pushedOf, type PushRules } from '../covenant/push.js';
import type { UnsignedTransaction } from '../covenant/spend.js';
import { TreasuryError, type ErrorCode } from '../errors.js';
import type { Action, AnyOperation, Each } from '../operation/define.js';
import type { PoolProduct, PoolRecord } from '../record/covenant-product.js';
import type { EventType } from '../record/events.js';
import type { MoveSpend } from './gather-spend.js';
import { defineMove } from './move.js';
import { worthOf, type LeftOutField } from './worth-claiming.js';

/** A record that may be pushed. */
export type Pushable = PoolRecord & { readonly push_minimum: bigint };

/** Checks that a record can be pushed at all. @throws not_pushable */
const checkKnown = <R extends Pushable>({ contract }: PushRules<R>, record: R, label: string): void => {
  if (!hasPush(contract(record)))
    throw new TreasuryError('not_pushable', {
      label,
      reason: 'the version of its contract knows no push',
    });
  if (record.push_minimum === 0n)
    throw new TreasuryError('not_pushable', { label, reason: 'it was created without a push minimum' });
};

type PushDeclaration<R, Move extends string> = PushRules<R> & {
  readonly product: PoolProduct<R & PoolRecord, Move>;
  /** `released` or `claimed`: a push counts as that. */
  readonly event: EventType;
  /** What is thrown where nothing is due, and its code. */
  readonly nothing: { readonly code: ErrorCode; readonly error: (record: R, now: number) => TreasuryError };
  readonly build: (spend: MoveSpend<R>) => UnsignedTransaction;
  readonly list: AnyOperation;
  /** The name of the records in the answer of the list, and the label of one. */
  readonly listed: { readonly name: string; readonly label: string };
};

/** What the list shows of a record that `--all` goes through. */
type Listed = Readonly<Record<string, unknown>> & {
  readonly decimals: number;
  readonly token_category?: string | null;
  readonly tokenCategory?: string | null;
  readonly pushable_amountOnChain: string;
};

/** The transaction of a push, and what is told of it. @throws insufficient_funds, amount_below_push_minimum, and that nothing is due */
const buildOf = <R extends Pushable, Move extends string>(
  { product, nothing, build, dueAt }: PushDeclaration<R, Move>,
  spend: MoveSpend<R>,
) => {
  const { record, locktime, unit } = spend;
  const { decimals, push_minimum: minimum } = record;
  const { due, isLast } = dueAt(record, locktime);
  if (due === 0n) throw nothing.error(record, locktime);
  const label = product.label(record);
  const show = (units: bigint): string => formatUnits(units, decimals);
  if (pushedOf({ due, isLast }, minimum) === 0n)
    throw new TreasuryError('amount_below_push_minimum', {
      label,
      amount: show(due),
      minimum: show(minimum),
      asset: unit,
    });
  const unsigned = build(spend);
  const recipient = product.party(record, 'recipient').text;
  return {
    ...unsigned,
    prompt: `Pay ${show(due)} ${unit} from ${label} to ${recipient}`,
    told: {
      recipient,
      ...showAmounts({ pushedAmount: due }, decimals),
      fee: Number(unsigned.fee),
      nextStatus: isLast ? ('COMPLETED' as const) : ('ACTIVE' as const),
    },
  };
};

/** What `--all` goes through. */
const eachOf = <R extends Pushable, Move extends string>({
  list,
  listed,
}: PushDeclaration<R, Move>): Each => ({
  list,
  listInput: (_caller, min) => (min === undefined ? {} : { min }),
  items: (reply: Readonly<Record<string, readonly Listed[]>> & { fees: Record<string, number | null> }) =>
    (reply[listed.name] ?? []).map((one) => {
      const label = String(one[listed.label]);
      const asset = {
        token_category: one.token_category ?? one.tokenCategory ?? null,
        decimals: one.decimals,
      };
      return {
        label,
        input: { id: label },
        worth: worthOf(asset, BigInt(one.pushable_amountOnChain), reply.fees[label]),
      };
    }),
  leftOut: ({ leftOut }: { leftOut: z.output<typeof LeftOutField> }) => leftOut,
  none: 'There is nothing to push now.',
});

/** The operations `<noun>.push` and `<noun>.confirm-push`, and the whole step of the command line. */
export const definePush = <R extends Pushable, Move extends string>(
  declared: PushDeclaration<R, Move | 'push'>,
): Action => {
  const { product, event, nothing } = declared;
  const { label: labelOf, noun } = product;
  return defineMove<R, string>(product as unknown as PoolProduct<R, string>, 'push', {
    summary: 'Build the transaction that pays what is due to the recipient, who need not sign',
    description:
      'Anybody who may read the record can ask: the caller signs, and pays the fee from coins of their own (in tokens from one coin). Everything that is due goes to the recipient. Below the push minimum nothing is paid, but for the last payment.',
    cli: { example: `${noun} push --all` },
    step: 'Pay the recipient what is due',
    errors: ['not_pushable', 'amount_below_push_minimum', nothing.code],
    check: (record) => {
      checkKnown(declared, record, labelOf(record));
    },
    fields: {
      recipient: z.string().describe('Who is paid'),
      pushedAmount: z.number().describe('What this transaction pays, display units'),
      pushedAmountOnChain: z.string(),
      fee: z.number().describe('Satoshis, paid by the caller'),
      nextStatus: z.enum(['ACTIVE', 'COMPLETED']),
    },
    build: (spend) => buildOf(declared, spend),
    confirm: {
      event,
      expected: 'a push',
      claims: () => ({
        expected: 'a push',
        difference: ({ details }) => (isPushed(details) ? null : 'a transaction that its recipient signed'),
      }),
      message: ({ record, amount }) => `${amount} of ${labelOf(record)} was paid to its recipient`,
      fields: { pushedAmount: z.number(), pushedAmountOnChain: z.string(), recipient: z.string() },
      answer: ({ record, event: { amount } }) => ({
        ...showAmounts({ pushedAmount: amount }, record.decimals),
        recipient: product.party(record, 'recipient').text,
      }),
    },
    rebuilds: true,
    each: eachOf(declared),
  });
};
