/** Which role may ask for which operation: every route tried as everybody, through a real socket. */
import { readFileSync } from 'node:fs';
import type { ExecutionContext } from 'ava';
import type { AnyOperation } from '../../src/operation/define.js';
import { fieldNames } from '../../src/operation/read-input.js';
import { serve, type Json, type Naming } from '../acceptance/client.js';
import { openTreasury, type Treasury } from '../treasury.js';
import { createEveryRecord, PLAYERS, ROLES, type EveryRecord, type Role } from './every-record.js';
import { formatMarkdown } from '../../scripts/format-markdown.js';

export const SECURITY = new URL('../../SECURITY.md', import.meta.url);

/** What a role is answered: `yes` is whatever comes after the question who asks (a rule or a status may still refuse). */
export type Outcome = 'yes' | '401' | '403';

export type RoleRow = {
  readonly operation: string;
  readonly route: string;
  readonly outcomes: Readonly<Record<Role, Outcome>>;
};

/** What an operation is asked with by somebody; fields that name who asks name that. */
export const fieldsFor = (
  treasury: Treasury,
  records: EveryRecord,
  noun: string,
  asker: string,
): Readonly<Record<string, unknown>> => {
  const { vaultId, batchId, proposalId, spendId, tokenCategory, ids } = records;
  const counterpart = treasury.addressOf(PLAYERS.counterpart).text;
  const creator = treasury.addressOf(PLAYERS.creator).text;
  const stream = { recipient: counterpart, totalAmount: 0.1, streamType: 'LINEAR' };
  return {
    vaultId,
    batchId,
    proposalId,
    spendId,
    subject: ids['vaults'],
    tokenCategory: noun === 'governance' ? tokenCategory : undefined,
    id: noun === 'webhooks' ? 'HOOK-0001' : ids[noun],
    txHash: '00'.repeat(32),
    txid: '00'.repeat(32),
    address: asker,
    creator,
    name: 'Another',
    title: 'Another',
    signers: [PLAYERS.creator, PLAYERS.signer, PLAYERS.counterpart].map(
      (who) => treasury.addressOf(who).text,
    ),
    signerPubkeys: [PLAYERS.creator, PLAYERS.signer, PLAYERS.counterpart].map(({ publicKey }) =>
      Buffer.from(publicKey).toString('hex'),
    ),
    totalDeposit: 0.1,
    totalPool: 0.1,
    maxRewardAmount: 0.01,
    recipient: counterpart,
    recipientAddress: noun === 'rewards' ? counterpart : asker,
    newRecipientAddress: asker,
    voterAddress: asker,
    senderAddress: asker,
    signerAddress: noun === 'vaults' ? treasury.addressOf(PLAYERS.viewer).text : undefined,
    amount: noun === 'rewards' ? 0.001 : undefined,
    outputs: [{ to: counterpart, amount: '0.001' }],
    signedTransaction: '00',
    transaction: '00',
    asked: { transaction: '00' },
    answer: '00',
    challenge: 'x',
    signature: 'x',
    totalAmount: noun === 'budgets' ? undefined : 0.1,
    streamType: 'LINEAR',
    entries: [stream],
    refillAmount: 0.1,
    amountPerPeriod: 0.001,
    interval: 'MONTHLY',
    milestones: noun === 'budgets' ? [{ amount: 0.1, durationSeconds: 60, description: 'One' }] : undefined,
    quorum: 1,
    votingDurationDays: 1,
    vote: 'FOR',
    voteChoice: 'FOR',
    stakeAmount: 1,
    periods: 1,
    allow: ['*:read'],
    // A name that no server ever has: nothing is sent anywhere. Source: RFC 2606.
    url: `https://webhooks.invalid/${asker}`,
    delivery: '1',
  };
};

const outcomeOf = (status: number): Outcome => (status === 401 ? '401' : status === 403 ? '403' : 'yes');

/** What is asked last, since it takes away what others are asked for. */
export const ENDINGS = ['rewards.remove', 'vaults.spend-cancel'];

/** The fields of an operation; of a batch run, the run's id. */
export const ofOperation = (operation: AnyOperation, fields: Readonly<Record<string, unknown>>): Json => {
  const isBatch = operation.id === 'streams.batch-run' || operation.id === 'streams.export';
  const known = fieldNames(operation);
  const own = Object.entries(fields).filter(([name, value]) => known.includes(name) && value !== undefined);
  return {
    ...Object.fromEntries(own),
    ...(isBatch ? { id: fields['batchId'] } : {}),
    ...(known.includes('format') ? { format: 'json' } : {}),
  };
};

/** Asks every route as every role. Reads of lists are asked too: they answer everybody, and leave out. */
export const askEveryRole = async (t: ExecutionContext): Promise<readonly RoleRow[]> => {
  const treasury = await openTreasury(t);
  const records = await createEveryRecord(treasury);
  const { call, logIn } = await serve(t, treasury, { trustAddressHeader: false, naming: 'given' });
  const namings = new Map<Role, Naming>([['nobody', {}]]);
  for (const role of ROLES) {
    if (role === 'nobody') continue;
    namings.set(role, { token: await logIn(PLAYERS[role]) });
  }
  const askerOf = (role: Role): string =>
    treasury.addressOf(role === 'nobody' ? PLAYERS.creator : PLAYERS[role]).text;

  const ask = async (operation: AnyOperation, role: Role): Promise<Outcome> => {
    const { method = 'GET', path = '' } = operation.http ?? {};
    const [noun = ''] = operation.id.split('.');
    const input = ofOperation(operation, fieldsFor(treasury, records, noun, askerOf(role)));
    const named = new Set([...path.matchAll(/:(\w+)/g)].map(([, name]) => name));
    const target = path.replaceAll(/:(\w+)/g, (_all, name: string) =>
      encodeURIComponent(String(input[name])),
    );
    const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !named.has(name)));
    const query = new URLSearchParams(
      Object.entries(rest).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    ).toString();
    const isGet = method === 'GET';
    // What is answered without end is asked how it would begin.
    const { status, body } = await call(
      operation.http?.stream === undefined ? method : 'HEAD',
      isGet ? `${target}?${query}` : target,
      isGet ? undefined : rest,
      namings.get(role),
    );
    if (status === 400) throw new Error(`${operation.id} as ${role}: ${JSON.stringify(body)}`);
    return outcomeOf(status);
  };

  const routed = treasury.app.operations.filter(({ http }) => http !== undefined);
  const inOrder = [
    ...routed.filter(({ id }) => !ENDINGS.includes(id)),
    ...routed.filter(({ id }) => ENDINGS.includes(id)),
  ];
  const outcomes = new Map<string, RoleRow['outcomes']>();
  for (const operation of inOrder) {
    const row: Partial<Record<Role, Outcome>> = {};
    for (const role of ROLES) row[role] = await ask(operation, role);
    outcomes.set(operation.id, row as RoleRow['outcomes']);
  }
  return routed.map(({ id, http }) => ({
    operation: id,
    route: `${http?.method ?? ''} ${http?.path ?? ''}`,
    outcomes: outcomes.get(id) as RoleRow['outcomes'],
  }));
};

const PLACE = /(<!-- begin: roles -->)[\s\S]*?(<!-- end: roles -->)/;

/** SECURITY.md with the table of these rows, formatted. */
export const freshSecurity = async (
  rows: readonly RoleRow[],
): Promise<{ current: string; fresh: string }> => {
  const current = readFileSync(SECURITY, 'utf8');
  if (!PLACE.test(current)) throw new Error('SECURITY.md has no place for the table of roles');
  const head = `| Operation | ${ROLES.join(' | ')} |\n| --- |${' --- |'.repeat(ROLES.length)}`;
  const lines = rows.map(
    ({ operation, outcomes }) => `| \`${operation}\` | ${ROLES.map((role) => outcomes[role]).join(' | ')} |`,
  );
  const fresh = current.replace(
    PLACE,
    (_all, begin: string, end: string) => `${begin}\n\n${[head, ...lines].join('\n')}\n\n${end}`,
  );
  return { current, fresh: await formatMarkdown(fresh) };
};
