/** Pushing a record: what is due goes to its recipient, and whoever asks pays the fee. Products say what is due. */
import { z } from 'zod';
import { formatUnits, showAmounts } from '../bch/amount.js';
import { AddressField } from '../bch/fields.js';
import { hasPush, isPushed, pushableAmount, pushedOf, type PushRules } from '../covenant/push.js';
import type { UnsignedTransaction } from '../covenant/spend.js';
import { isTreasuryError, TreasuryError, type ErrorCode } from '../errors.js';
import { chainNow } from '../operation/chain-now.js';
import type { Caller, Context } from '../operation/context.js';
import {
  defineOperation,
  FOLLOW_ERRORS,
  type Action,
  type AnyOperation,
  type View,
} from '../operation/define.js';
import type { PoolProduct, PoolRecord } from '../record/covenant-product.js';
import type { EventType } from '../record/events.js';
import { spendOf, type MoveSpend } from './gather-spend.js';
import { defineMove } from './move.js';
import {
  FeesField,
  LeftOutField,
  MinimumField,
  showFees,
  sortByWorth,
  viewLeftOut,
  worthOf,
} from './worth-claiming.js';

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

/** The operations `<noun>.push` and `<noun>.confirm-push`, and the whole step of the command line. */
export const definePush = <R extends Pushable, Move extends string>(
  declared: PushDeclaration<R, Move | 'push'>,
): Action => {
  const { product, event, nothing, build, list, listed, dueAt } = declared;
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
    build: (spend) => {
      const { record, locktime, unit } = spend;
      const { decimals, push_minimum: minimum } = record;
      const { due, isLast } = dueAt(record, locktime);
      if (due === 0n) throw nothing.error(record, locktime);
      const label = labelOf(record);
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
    },
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
    each: {
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
    },
  });
};

/** What the list of a product stands on. */
type ListDeclaration<R, Reply extends z.ZodType> = PushRules<R> & {
  readonly product: PoolProduct<R & PoolRecord>;
  /** What it is called in sentences, several of it, and in the answer. */
  readonly name: string;
  readonly reply: Reply;
  /** Records that somebody funds and that are ACTIVE, oldest first, as the store has them. */
  readonly activeOf: (sender: string, context: Context) => Promise<readonly R[]>;
  readonly build: (spend: MoveSpend<R>) => UnsignedTransaction;
  readonly show: (record: R, now: number, context: Context) => unknown;
  readonly table: (shown: readonly z.output<Reply>[], empty: string) => View[number];
};

const isPrivate = (error: unknown): boolean => isTreasuryError(error) && error.code === 'private_vault';

/** Records that the caller may read. @throws vault_not_found */
const readable = async <R extends Pushable>(
  product: PoolProduct<R & PoolRecord>,
  records: readonly R[],
  { store, caller }: Pick<Context, 'store'> & { readonly caller: Caller },
): Promise<readonly R[]> => {
  const found: R[] = [];
  for (const record of records) {
    try {
      await product.checkReader(record, caller, store);
      found.push(record);
    } catch (error) {
      if (!isPrivate(error)) throw error;
    }
  }
  return found;
};

/** The operation `<noun>.pushable`: what somebody funds and can be pushed now. */
export const definePushable = <R extends Pushable, Reply extends z.ZodType>(
  declared: ListDeclaration<R, Reply>,
): AnyOperation => {
  const { product, name, reply, activeOf, build, show, table } = declared;
  return defineOperation({
    id: `${product.noun}.pushable`,
    summary: `List the ${name} of which something can be pushed to its recipient now, oldest first`,
    description:
      'Those that you fund, or that another address does. Every one is looked up on chain first. What is worth less than the least is left out, and counted.',
    cli: { example: `${product.noun} pushable --jsonl`, readsOnly: true },
    auth: 'address',
    input: z.object({
      sender: AddressField.optional().describe('Who funds them; default you'),
      min: MinimumField,
    }),
    output: z.object({
      [name]: z.array(reply),
      total: z.number(),
      fees: FeesField,
      leftOut: LeftOutField,
      chainTime: z.number().describe('Chain now, unix seconds'),
    }),
    errors: ['invalid_address', 'invalid_amount', 'vault_not_found', ...FOLLOW_ERRORS],
    run: async ({ sender, min }, context) => {
      const { caller } = context;
      const active = await activeOf((sender ?? caller).text, context);
      const known = active.filter((one) => one.push_minimum > 0n && hasPush(declared.contract(one)));
      const now = await chainNow(context);
      const candidates: Parameters<typeof sortByWorth<R>>[0][number][] = [];
      for (const { id } of await readable(product, known, context)) {
        const record: R = await product.follow(id, context);
        const units = pushableAmount(declared, record, now);
        if (units === 0n) continue;
        candidates.push({
          item: record,
          label: product.label(record),
          worth: { units, category: product.tokenCategory(record), decimals: record.decimals },
          build: async () => build(await spendOf(product, { record, payer: caller }, context)),
        });
      }
      const sorted = await sortByWorth(candidates, min);
      const shown = await Promise.all(sorted.worth.map(({ item }) => show(item, now, context)));
      return {
        [name]: shown,
        total: shown.length,
        fees: showFees(sorted),
        leftOut: sorted.leftOut,
        chainTime: now,
      } as never;
    },
    view: (answer) => {
      const { [name]: found, leftOut } = answer as unknown as Readonly<Record<string, unknown>>;
      return [
        table(found as readonly z.output<Reply>[], 'There is nothing to push now.'),
        ...viewLeftOut(leftOut as z.output<typeof LeftOutField>),
      ];
    },
  }) as AnyOperation;
};
