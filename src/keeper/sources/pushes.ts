/** What there is to push: of what the wallet funds, or of the records that the rule names, whoever funds them. */
import { z } from 'zod';
import { isTreasuryError } from '../../errors.js';
import type { Item } from '../items.js';
import { read, Units } from '../reading.js';
import { andLater, isFor, Seconds, type Asked, type Source } from './asked.js';

const Pushed = z.object({
  status: z.string(),
  recipient: z.string(),
  token_category: z.string().nullish(),
  tokenCategory: z.string().nullish(),
  push_minimumOnChain: Units,
  pushable_amountOnChain: Units,
  next_unlock: Seconds.optional(),
  nextPaymentDate: Seconds.optional(),
  label: z.string(),
});
type Pushed = z.output<typeof Pushed>;

/** Where a product says what a push pays. */
type Kind = {
  readonly noun: string;
  /** The name of its records in lists, and of one. */
  readonly names: readonly [many: string, one: string];
  readonly label: string;
  /** The filter of its list that names who funds. */
  readonly funder: string;
};

/** An answer's record, with its label under one name. */
const labelled = ({ label }: Kind) =>
  z.preprocess((row) => {
    const record = row as Readonly<Record<string, unknown>>;
    return { ...record, label: record[label] };
  }, Pushed);

const isGone = (error: unknown): boolean => isTreasuryError(error) && error.code.endsWith('_not_found');

/** The records that the rule names, as the chain has them. What is no record here is told elsewhere. */
const named = async (kind: Kind, { rule, asker }: Asked): Promise<readonly Pushed[]> => {
  const found: Pushed[] = [];
  for (const id of rule.labels ?? []) {
    try {
      const reply = await asker.ask(`${kind.noun}.show`, { id });
      found.push(read(z.object({ [kind.names[1]]: labelled(kind) }), reply)[kind.names[1]] as Pushed);
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
  return found;
};

/** What the wallet funds: what can be pushed now, and where that is asked for all that is under way. */
const funded = async (kind: Kind, { asker, ahead }: Asked): Promise<readonly Pushed[]> => {
  const [many] = kind.names;
  const rows = z.object({ [many]: z.array(labelled(kind)) });
  const due = read(rows, await asker.ask(`${kind.noun}.pushable`, { min: '0' }))[many] as readonly Pushed[];
  if (!ahead) return due;
  const all = await asker.all(
    `${kind.noun}.list`,
    { [kind.funder]: asker.address, status: 'ACTIVE' },
    { name: many, schema: labelled(kind) },
  );
  return [...due, ...all.filter(({ label }) => !due.some((one) => one.label === label))];
};

const pushes =
  (kind: Kind): Source =>
  async (asked) => {
    const { rule, now, ahead } = asked;
    const records = await (rule.labels === null ? funded(kind, asked) : named(kind, asked));
    const known = records.filter(
      (one) => one.status === 'ACTIVE' && one.push_minimumOnChain > 0n && isFor(rule, one.label),
    );
    const itemOf = ({ label, recipient, ...one }: Pushed, at: number | null): Item => ({
      task: rule.do,
      label,
      recipient,
      input: { id: label },
      amount:
        at === null
          ? { category: one.token_category ?? one.tokenCategory ?? null, units: one.pushable_amountOnChain }
          : null,
      at,
    });
    const due = known.filter((one) => one.pushable_amountOnChain > 0n).map((one) => itemOf(one, null));
    if (!ahead) return due;
    const later = known.flatMap((one): Item[] => {
      const at = one.next_unlock ?? one.nextPaymentDate ?? null;
      return at === null || at <= now ? [] : [itemOf(one, at)];
    });
    return andLater(due, later);
  };

export const paymentPushes = pushes({
  noun: 'payments',
  names: ['payments', 'payment'],
  label: 'payment_id',
  funder: 'sender',
});

export const streamPushes = pushes({
  noun: 'streams',
  names: ['streams', 'stream'],
  label: 'stream_id',
  funder: 'sender',
});

export const planPushes = pushes({
  noun: 'budgets',
  names: ['plans', 'plan'],
  label: 'budget_id',
  funder: 'creator',
});
