/**
 * Who is let through to which operation, with a key and without one, as the operations declare it: the table of SECURITY.md.
 * What comes after (a role, a rule, a status) may still refuse.
 */
import type { AnyOperation, Auth } from '../src/operation/define.js';
import { fieldNames } from '../src/operation/read-input.js';
import {
  isOpen,
  lacksFor,
  lacksRecord,
  permissionOf,
  RECORD_FIELDS,
} from '../src/operation/script-keys/scope.js';
import type { KeyMaximum } from '../src/operation/script-keys/script-key.js';

export type Passage = 'yes' | '401' | '403';

/** How a request comes, in the order of the columns. */
export const COMINGS = {
  nobody: 'nobody',
  headerTrusted: 'address header, trusted',
  headerUntrusted: 'address header, not trusted',
  token: 'token',
  allowed: 'key that allows it',
  notAllowed: 'key that does not',
  itsRecord: 'key for its record',
  otherRecord: 'key for another record',
  maximum: 'key with a maximum',
  otherNetwork: 'key from elsewhere',
  expired: 'expired key',
  revoked: 'revoked key',
  requiredToken: 'token, `--require-keys`',
  requiredKey: 'key that allows it, `--require-keys`',
} as const;
export type Coming = keyof typeof COMINGS;
export const comings = Object.keys(COMINGS) as Coming[];

const yesIf = (isLet: boolean, otherwise: '401' | '403'): Passage => (isLet ? 'yes' : otherwise);

/** Without keys: who says who they are, and whether that proves it. */
const WITHOUT: Readonly<
  Record<Auth, Pick<Record<Coming, Passage>, 'nobody' | 'headerTrusted' | 'headerUntrusted'>>
> = {
  none: { nobody: 'yes', headerTrusted: 'yes', headerUntrusted: 'yes' },
  optional: { nobody: 'yes', headerTrusted: 'yes', headerUntrusted: '401' },
  address: { nobody: '401', headerTrusted: 'yes', headerUntrusted: '401' },
  bearer: { nobody: '401', headerTrusted: '401', headerUntrusted: '401' },
};

const ANY: KeyMaximum = { category: null, symbol: 'BCH', decimals: 8, amount: 1n, seconds: 1 };

/** The row of an operation. */
export const passagesOf = (operation: AnyOperation): Readonly<Record<Coming, Passage>> => {
  const open = isOpen(operation);
  const allow = [permissionOf(operation)];
  const isLetWith = (maximums: readonly KeyMaximum[]) =>
    open || lacksFor(operation, { allow, maximums: [...maximums] }) === null;
  const named = Object.fromEntries(
    fieldNames(operation)
      .filter((field) => RECORD_FIELDS.includes(field))
      .map((field) => [field, 'IT']),
  );
  const isFor = (name: string) =>
    isLetWith([]) && (open || lacksRecord(operation, named, { records: [{ id: name, name }] }) === null);
  const allowed = yesIf(isLetWith([]), '403');
  return {
    ...WITHOUT[operation.auth],
    token: 'yes',
    allowed,
    notAllowed: yesIf(open, '403'),
    itsRecord: yesIf(isFor('IT'), '403'),
    otherRecord: yesIf(isFor('ANOTHER'), '403'),
    maximum: yesIf(isLetWith([ANY]), '403'),
    otherNetwork: yesIf(open, '403'),
    expired: yesIf(open, '401'),
    revoked: yesIf(open, '401'),
    requiredToken: yesIf(open, '401'),
    requiredKey: allowed,
  };
};
