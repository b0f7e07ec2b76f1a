/** What can be pushed of the records that somebody funds: for people, and for whoever pays on the day. */
import { z } from 'zod';
import type { Address } from '../bch/address.js';
import type { WrittenAmount } from '../bch/amount.js';
import { AddressField } from '../bch/fields.js';
import { hasPush, pushableAmount, type PushRules } from '../covenant/push.js';
import type { UnsignedTransaction } from '../covenant/spend.js';
import { isTreasuryError } from '../errors.js';
import { chainNow } from '../operation/chain-now.js';
import type { Caller, Context } from '../operation/context.js';
import { defineOperation, FOLLOW_ERRORS, type AnyOperation, type View } from '../operation/define.js';
import type { PoolProduct, PoolRecord } from '../record/covenant-product.js';
import { spendOf, type MoveSpend } from './gather-spend.js';
import type { Pushable } from './push.js';
import {
  FeesField,
  LeftOutField,
  MinimumField,
  showFees,
  sortByWorth,
  viewLeftOut,
} from './worth-claiming.js';

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

/** What the caller can push of somebody's records. @throws vault_not_found, invalid_amount, and what reading the chain throws */
const listOf = async <R extends Pushable, Reply extends z.ZodType>(
  declared: ListDeclaration<R, Reply>,
  { sender, min }: { readonly sender: Address; readonly min: WrittenAmount | undefined },
  context: Context & { readonly caller: Caller },
) => {
  const { product, name, activeOf, build, show } = declared;
  const { caller } = context;
  const active = await activeOf(sender.text, context);
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
  const { leftOut } = sorted;
  return { [name]: shown, total: shown.length, fees: showFees(sorted), leftOut, chainTime: now } as never;
};

/** The operation `<noun>.pushable`: what somebody funds and can be pushed now. */
export const definePushable = <R extends Pushable, Reply extends z.ZodType>(
  declared: ListDeclaration<R, Reply>,
): AnyOperation => {
  const { product, name, reply, table } = declared;
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
    run: ({ sender, min }, context) => listOf(declared, { sender: sender ?? context.caller, min }, context),
    view: (answer) => {
      const { [name]: found, leftOut } = answer as unknown as Readonly<Record<string, unknown>>;
      return [
        table(found as readonly z.output<Reply>[], 'There is nothing to push now.'),
        ...viewLeftOut(leftOut as z.output<typeof LeftOutField>),
      ];
    },
  });
};
