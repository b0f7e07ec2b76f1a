/** The store: whether it opens, what is in it, and who holds its locks. */
import type { LockFacts } from '../../operation/ports/surroundings.js';
import type { Check, Subject } from './check.js';
import { bytesText, countText, listText, ok, problemOf, type Finding } from './finding.js';

const sizeText = (bytes: number | null): string => (bytes === null ? 'none' : bytesText(bytes));

const contentFinding = async ({ context: { store }, surroundings, scope }: Subject): Promise<Finding> => {
  const { snapshotBytes, journalBytes, schema } = surroundings.store;
  const totals = (
    await Promise.all(
      scope.collections.map(async (collection) => ({
        name: collection.name,
        total: (await store.find(collection, { limit: 0 })).total,
      })),
    )
  ).filter(({ total }) => total > 0);
  const records = totals.reduce((sum, { total }) => sum + total, 0);
  const each = listText(
    totals.map(({ name, total }) => `${name} ${total}`),
    totals.length,
  );
  return ok(
    `opens; schema ${schema}, snapshot ${sizeText(snapshotBytes)}, journal ${sizeText(journalBytes)}, ` +
      `${countText(records, 'record')}${each === '' ? '' : ` (${each})`}`,
  );
};

const lockFinding = ({ path, pid, isHeld }: LockFacts): Finding => {
  const holder = pid === null ? 'a process' : `process ${pid}`;
  return ok(
    isHeld
      ? `${path} was held by ${holder}, which was at work`
      : `${path} was left by ${holder}, which is gone: whoever writes next takes it over`,
  );
};

export const store: Check = {
  name: 'store',
  needs: ['folder'],
  look: async (subject) => {
    const { failures, locks } = subject.surroundings;
    const content = failures.store === null ? await contentFinding(subject) : problemOf(failures.store);
    return [content, ...locks.map(lockFinding)];
  },
};
