/** Least privilege, by trying: the table of roles in SECURITY.md is what every route answers everybody. */
import { writeFileSync } from 'node:fs';
import test from 'ava';
import { askEveryRole, freshSecurity, SECURITY } from './role-table.js';

test('roles › every operation asked as everybody › SECURITY.md says what each is answered (else run `npm run roles`)', async (t) => {
  const rows = await askEveryRole(t);
  const { current, fresh } = await freshSecurity(rows);
  if (process.env['WRITE_ROLES'] === '1') writeFileSync(SECURITY, fresh);
  else t.is(current, fresh);
  // What the table must never say, whatever was generated.
  for (const { operation, outcomes } of rows) {
    // Who confirms a vote names the voter, whom the chain proves: each asks for another one.
    const isOpen = outcomes.nobody === 'yes' && operation !== 'governance.confirm-lock';
    if (isOpen) t.deepEqual([...new Set(Object.values(outcomes))], ['yes'], operation);
    if (/\.(?:pause|resume|cancel)$/.test(operation)) {
      for (const role of ['stranger', 'viewer', 'counterpart'] as const)
        t.is(outcomes[role], '403', operation);
      t.is(outcomes.nobody, '401', operation);
      t.is(outcomes.creator, 'yes', operation);
    }
  }
});
