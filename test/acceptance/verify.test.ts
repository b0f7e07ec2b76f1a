/**
 * Every transaction of a story over all products, checked as it leaves by somebody elsewhere: a home that has no record,
 * no key and no name, and the same chain.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { openApp } from '../../src/app.js';
import { playBudgets } from '../../src/demo/budgets-act.js';
import { playGovernance } from '../../src/demo/governance-act.js';
import { playPayments } from '../../src/demo/payments-act.js';
import { playRewards } from '../../src/demo/rewards-act.js';
import { setStage, type Stage } from '../../src/demo/stage.js';
import { playStreams } from '../../src/demo/streams-act.js';
import { playVaults } from '../../src/demo/vaults-act.js';
import { verify } from '../../src/home/transactions/verify/verify.js';
import type { VerifyReply } from '../../src/home/transactions/verify/reply.js';
import type { AnyOperation } from '../../src/operation/define.js';
import { execute, type Reply } from '../../src/operation/execute.js';
import { playRest } from './story.js';

type Seen = { readonly operation: string; readonly file: Reply; readonly reply: VerifyReply };

/** Checks every transaction that the stage's app hands out, at once and elsewhere. */
const watchStage = async (t: ExecutionContext, { app }: Stage): Promise<readonly Seen[]> => {
  const home = mkdtempSync(join(tmpdir(), 'treasury-'));
  const elsewhere = await openApp({ home, network: 'local' });
  t.teardown(async () => {
    await elsewhere.close();
    rmSync(home, { recursive: true, force: true });
  });
  const context = { ...elsewhere.context, chain: app.context.chain };
  const seen: Seen[] = [];
  const look = async (operation: string, reply: Reply): Promise<void> => {
    const file = (reply['wcTransaction'] ?? reply['preparationTransaction']) as Reply | undefined;
    if (file === undefined) return;
    const lying = { ...(JSON.parse(JSON.stringify(file)) as Reply), userPrompt: 'Nothing of value is paid' };
    const answer = await execute(verify, { file: lying }, context, { kind: 'operator', address: null });
    seen.push({ operation, file, reply: answer as unknown as VerifyReply });
  };
  const operations = app.operations as AnyOperation[];
  const watched = operations.map((operation) => ({
    ...operation,
    run: async (input: unknown, runContext: unknown) => {
      const reply = (await operation.run(input, runContext)) as Reply;
      await look(operation.id, reply);
      return reply;
    },
  }));
  operations.splice(0, operations.length, ...watched);
  return seen;
};

/** What each operation that hands a transaction out does to a contract, in the words of whoever checks it. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  'vaults.deposit': ['vault made'],
  'wallet.send': ['no contract'],
  'tokens.create': ['no contract'],
  'rewards.funding-info': ['no contract', 'reward campaign made'],
  'rewards.distribute': ['reward campaign goes on by distribute'],
  'rewards.pause': ['reward campaign goes on by pause'],
  'rewards.cancel': ['reward campaign ended by cancel'],
  'budgets.funding-info': ['budget plan made', 'no contract'],
  'budgets.release': ['budget plan goes on by release'],
  'budgets.pause': ['budget plan goes on by pause'],
  'budgets.resume': ['budget plan goes on by resume'],
  'budgets.cancel': ['budget plan ended by cancel'],
  'streams.funding-info': ['no contract', 'recurring payment made', 'stream made'],
  'streams.batch-create': ['recurring payment made', 'stream made'],
  'streams.claim': ['recurring payment goes on by claim', 'stream goes on by claim'],
  'streams.pause': ['stream goes on by pause'],
  'streams.resume': ['stream goes on by resume'],
  'streams.transfer': ['stream goes on by transfer'],
  'streams.cancel': ['stream ended by cancel'],
  'payments.funding-info': ['no contract', 'recurring payment made'],
  'payments.claim': ['recurring payment goes on by claim'],
  'payments.pause': ['recurring payment goes on by pause'],
  'payments.refill': ['recurring payment goes on by refill'],
  'payments.resume': ['recurring payment goes on by resume'],
  'payments.cancel': ['recurring payment ended by cancel'],
  'governance.lock': ['vote lock made'],
  'governance.unlock': ['vote lock ended by unlock'],
};

/** What nobody elsewhere can name: tokens without a registry, and a vault that is only paid, by a plain send. */
const UNNAMED =
  /^the token [0-9a-f]{64}: |^output 0 pays bchtest:p\w+: a contract whose terms nobody shows here$/;

test('tx verify › given each transaction of a story over all products › it has the digest that was handed out, and says what becomes of which contract', async (t) => {
  const stage = await setStage(() => undefined);
  t.teardown(stage.close);
  const seen = await watchStage(t, stage);
  for (const act of [
    playVaults,
    playRewards,
    playBudgets,
    playStreams,
    playPayments,
    playGovernance,
    playRest,
  ])
    await act(stage);
  const told: Record<string, Set<string>> = {};
  for (const { operation, file, reply } of seen) {
    t.true(
      reply.success,
      `${operation}: ${reply.message} ${JSON.stringify(reply.checks.filter(({ ok }) => !ok))}`,
    );
    t.is(reply.digest, String(file['digest']), operation);
    t.regex(String(file['digest']), /^(?:[0-9A-HJKMNP-TV-Z]{4}-){7}[0-9A-HJKMNP-TV-Z]{4}$/);
    t.deepEqual(reply.unchecked, [], operation);
    for (const unnamed of reply.unnamed) t.regex(unnamed, UNNAMED, operation);
    t.true(
      reply.signatures.some(({ state }) => state === 'missing'),
      operation,
    );
    t.false(JSON.stringify(reply).includes('Nothing of value'), operation);
    const kinds = reply.contracts.map(
      ({ what, call, became }) => `${what} ${became}${call === null ? '' : ` by ${call}`}`,
    );
    const words = (told[operation] ??= new Set());
    for (const kind of kinds.length === 0 ? ['no contract'] : kinds) words.add(kind);
  }
  const sorted = Object.entries(told).map(([operation, words]) => [operation, [...words].sort()]);
  t.deepEqual(Object.fromEntries(sorted), EXPECTED);
});
