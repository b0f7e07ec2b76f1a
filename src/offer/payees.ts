/**
 * Who may be paid: anybody but a covenant that cannot pay it out again. What is sent to a covenant's address or to its
 * reserve outside its functions is in no pool: it is lost, or a gift to whoever moves the covenant next.
 */
import type { Address } from '../bch/address.js';
import { TreasuryError } from '../errors.js';
import type { Context } from '../operation/context.js';
import type { CovenantRecord, Deployable } from '../record/deployable.js';
import { recordAt, type KnownRecord } from '../record/known-record.js';
import type { KnownCovenants } from '../operation/ports/covenants.js';

const findReserve = async (
  deployables: readonly Deployable[],
  lockingBytecode: string,
  context: Context,
): Promise<KnownRecord | null> => {
  for (const deployable of deployables) {
    if (!Object.hasOwn(deployable.collection.indexes, 'reserve')) continue;
    const where = { reserve: lockingBytecode };
    const { items } = await context.store.find(deployable.collection, { where, limit: 1 });
    const [record] = items as readonly CovenantRecord[];
    if (record !== undefined) return { deployable, record };
  }
  return null;
};

/** The covenants of a home's records. `context` is asked when it is there. */
export const knownCovenants = (
  deployables: readonly Deployable[],
  context: () => Context,
): KnownCovenants => ({
  at: async ({ kind, text, lockingBytecode }) => {
    // Every covenant is a script: an address of one key is none.
    if (kind === 'p2pkh') return null;
    const contract = await recordAt(deployables, context().store, text);
    const found = contract ?? (await findReserve(deployables, lockingBytecode, context()));
    if (found === null) return null;
    const { deployable, record } = found;
    const part = contract === null ? 'reserve' : 'contract';
    return { label: deployable.label(record), part, takesPayments: deployable.takesPayments };
  },
});

/**
 * Checks that an address may be paid: it is no covenant of this home, or one that takes payments.
 *
 * @param field what to call the address in the error
 * @throws not_payable
 */
export const checkPayable = async (
  address: Address,
  field: string,
  { covenants }: Pick<Context, 'covenants'>,
): Promise<void> => {
  const found = await covenants.at(address);
  if (found === null || found.takesPayments) return;
  const { label, part } = found;
  const reason =
    part === 'contract'
      ? `it is the contract of ${label}, which would not pay it out again`
      : `it is the reserve of ${label}: it would be a gift to whoever moves that next`;
  const value = address.text;
  const issues = [{ path: field, message: `${value} cannot be paid: ${reason}` }];
  throw new TreasuryError('not_payable', { field, value, reason, label, issues });
};
