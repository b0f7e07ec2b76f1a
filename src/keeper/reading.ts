/** Asking operations as everybody asks them, for a wallet; and the parts of their answers that a keeper reads. */
import { z } from 'zod';
import { TreasuryError } from '../errors.js';
import type { Context } from '../operation/context.js';
import { operationsOf, type Action, type AnyOperation, type Noun, type Offer } from '../operation/define.js';
import { execute, type Reply } from '../operation/execute.js';
import { MAXIMUM_LIMIT } from '../operation/paging.js';
import type { WalletInfo } from '../operation/ports/keys.js';
import type { TaskName } from './tasks.js';

/** The operations and whole steps of the nouns that were asked for. Each noun is loaded once. */
export type Table = {
  readonly operation: (id: string) => Promise<AnyOperation>;
  readonly action: (task: TaskName) => Promise<Action>;
};

export const tableOf = (nouns: readonly Noun[]): Table => {
  const loaded = new Map<string, Promise<readonly Offer[]>>();
  const offersOf = (name: string): Promise<readonly Offer[]> => {
    const found = nouns.find(({ noun }) => noun === name);
    if (found === undefined) throw new Error(`there is no noun ${name}`);
    const offers = loaded.get(name) ?? found.load().then(({ operations }) => operations);
    loaded.set(name, offers);
    return offers;
  };
  return {
    operation: async (id) => {
      const found = operationsOf(await offersOf(id.split('.')[0] ?? '')).find((one) => one.id === id);
      if (found === undefined) throw new Error(`there is no operation ${id}`);
      return found;
    },
    action: async (task) => {
      const [noun = '', ...verb] = task.split(' ');
      const found = (await offersOf(noun)).find(
        (offer): offer is Action => 'kind' in offer && offer.verb === verb.join(' '),
      );
      if (found === undefined) throw new Error(`there is no whole step ${task}`);
      return found;
    },
  };
};

/** Somebody's questions. */
export type Asker = {
  readonly address: string;
  readonly table: Table;
  /** @throws what the operation throws */
  readonly ask: (id: string, input?: Readonly<Record<string, unknown>>) => Promise<Reply>;
  /** Every page of a list: the elements under a name of its answer. */
  readonly all: <Schema extends z.ZodType>(
    id: string,
    input: Readonly<Record<string, unknown>>,
    part: { readonly name: string; readonly schema: Schema },
  ) => Promise<readonly z.output<Schema>[]>;
};

export const askerOf = (table: Table, context: Context, { address }: WalletInfo): Asker => {
  const credentials = { kind: 'operator', address } as const;
  const ask: Asker['ask'] = async (id, input = {}) =>
    execute(await table.operation(id), input, context, credentials);
  return {
    address: address.text,
    table,
    ask,
    all: async (id, input, { name, schema }) => {
      const found: z.output<typeof schema>[] = [];
      for (let page = 1; ; page += 1) {
        const reply = await ask(id, { ...input, page, limit: MAXIMUM_LIMIT });
        found.push(
          ...(read(z.object({ [name]: z.array(schema) }), reply)[name as never] as z.output<typeof schema>[]),
        );
        if (reply['hasNextPage'] !== true) return found;
      }
    },
  };
};

/** The part of an answer that is of use. An answer that lacks it is a defect of this program. */
export const read = <Schema extends z.ZodType>(schema: Schema, reply: unknown): z.output<Schema> => {
  const { data, error } = schema.safeParse(reply);
  if (error === undefined) return data;
  throw new TreasuryError('internal_error', { requestId: 'keeper' }, { cause: error });
};

export const Units = z.string().transform(BigInt);
