import test from 'ava';
import { alice, bob, type Person } from '../../fixtures/people.js';
import type { Context } from '../../src/operation/context.js';
import type { ChainPort } from '../../src/operation/ports/chain.js';
import { execute, type Reply } from '../../src/operation/execute.js';
import { fundCampaign, fundTokenCampaign } from '../products/rewards/campaign.js';
import { advance, DAY, fundStream, tokenTerms } from '../products/streams/stream.js';
import { openTreasury, type Treasury } from '../treasury.js';

type Counts = Readonly<Record<string, readonly string[]>>;

/** A chain that notes what it is asked, and the notes: of each method, what it was asked for. */
const noting = (
  chain: ChainPort,
): { readonly chain: ChainPort; readonly asked: Record<string, string[]> } => {
  const asked: Record<string, string[]> = {};
  const note =
    (name: string, method: (...given: unknown[]) => unknown) =>
    (...given: unknown[]): unknown => {
      const [first] = given;
      (asked[name] ??= []).push(typeof first === 'string' ? first : '');
      return method(...given);
    };
  const methods = Object.entries(chain).map(([name, method]) => [
    name,
    note(name, method as (...given: unknown[]) => unknown),
  ]);
  return { chain: Object.fromEntries(methods) as ChainPort, asked };
};

/** Runs an operation and tells what it asked the chain for. */
const counted = async (
  { app, addressOf }: Treasury,
  who: Person,
  id: string,
  input: Record<string, unknown>,
): Promise<{ readonly reply: Reply; readonly asked: Counts }> => {
  const operation = app.operations.find((one) => one.id === id);
  if (operation === undefined) throw new Error(`there is no operation ${id}`);
  const { chain, asked } = noting(app.context.chain);
  const context: Context = { ...app.context, chain };
  const reply = await execute(operation, input, context, { kind: 'operator', address: addressOf(who) });
  return { reply, asked };
};

const isUnique = (list: readonly string[] = []): boolean => new Set(list).size === list.length;

for (const { asset, looks } of [
  { asset: 'BCH', looks: 2 },
  { asset: 'tokens', looks: 3 },
] as const) {
  test(`ask once › streams.claim in ${asset} › 1 tip and ${looks} coin look-ups; its confirm 1 tip, and no transaction twice`, async (t) => {
    const treasury = await openTreasury(t);
    const extra = asset === 'BCH' ? {} : (await tokenTerms(treasury)).terms;
    const { id } = await fundStream(treasury, extra);
    await treasury.give(bob, 10_000_000n);
    await advance(treasury, 3 * DAY);
    const built = await counted(treasury, bob, 'streams.claim', { id });
    const txHash = await treasury.send(bob, built.reply['wcTransaction']);
    const confirmed = await counted(treasury, bob, 'streams.confirm-claim', { id, txHash });
    t.is(built.asked['tip']?.length, 1);
    t.is(built.asked['coins']?.length, looks);
    t.true(isUnique(built.asked['transaction']));
    t.is(confirmed.asked['tip']?.length, 1);
    t.is(confirmed.asked['coins']?.length, 1);
    t.is(confirmed.asked['history']?.length, 1);
    t.true(isUnique(confirmed.asked['transaction']));
  });

  test(`ask once › rewards.distribute in ${asset} › 1 tip and ${looks} coin look-ups; its confirm 1 tip, and no transaction twice`, async (t) => {
    const treasury = await openTreasury(t);
    const { id } = await (asset === 'BCH' ? fundCampaign : fundTokenCampaign)(treasury);
    const input = { id, recipientAddress: treasury.addressOf(bob).text, amount: '0.005' };
    const given = asset === 'BCH' ? input : { ...input, amount: '5' };
    const built = await counted(treasury, alice, 'rewards.distribute', given);
    const txHash = await treasury.send(alice, built.reply['wcTransaction']);
    const confirmed = await counted(treasury, alice, 'rewards.confirm-distribute', { ...given, txHash });
    t.is(built.asked['tip']?.length, 1);
    t.is(built.asked['coins']?.length, looks);
    t.true(isUnique(built.asked['transaction']));
    t.is(confirmed.asked['tip']?.length, 1);
    t.is(confirmed.asked['coins']?.length, 1);
    t.is(confirmed.asked['history']?.length, 1);
    t.true(isUnique(confirmed.asked['transaction']));
  });
}
