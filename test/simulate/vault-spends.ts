/** Spends of vaults: proposed, signed by several, executed, dropped, and tried by who may not. */
import { parseAddress } from '../../src/bch/address.js';
import { assetFields, honest, knownOf, thief, type Play } from './cast.js';
import { addressOf, ask, askPatiently, signReply } from './client.js';
import type { Json } from './processes.js';
import { runAs } from './timeline.js';
import type { Person } from '../../fixtures/people.js';
import type { Known, Spend } from './world.js';

/** Who signs for a vault. */
const signersOf = (play: Play, { terms }: Known): readonly Person[] =>
  honest(play).filter((who) => (terms['signers'] as readonly string[]).includes(addressOf(who)));

const propose = async (play: Play, vault: Known): Promise<Spend | null> => {
  const { world, random, tag } = play;
  const isThiefs = random.chance(0.1);
  const who = isThiefs ? thief(play) : random.pick(signersOf(play, vault));
  const [category] = world.tokens;
  const inTokens = category !== undefined && random.chance(0.15);
  const to = addressOf(isThiefs ? who : random.pick(honest(play)));
  // Its sum is no other's.
  const units = BigInt(200_000 + world.spends.length * 13 + tag.length);
  const amount = inTokens ? '1' : (Number(units) / 1e8).toFixed(8);
  const outputs = [
    { to, amount, ...(inTokens ? { tokenCategory: assetFields(category)['tokenCategory'] } : {}) },
  ];
  const got = await askPatiently(
    world,
    who,
    'vaults.spend-create',
    { id: vault.id, outputs, memo: tag },
    { key: tag },
  );
  if (got?.status === 400 && got.body['code'] === 'invalid_input')
    throw new Error(`vaults.spend-create: ${JSON.stringify(got.body)}`);
  if (got === null || got.status >= 300) return null;
  if (isThiefs) world.find('others', `${who.name} proposes a spend of ${vault.tag}, which is none of theirs`);
  const proposed: Spend = {
    vault,
    id: String(got.body['id']),
    label: String(got.body['label']).replace('#', ''),
    pays: {
      to: parseAddress(to).lockingBytecode,
      satoshis: inTokens ? 0n : units,
      token: inTokens ? 100n : 0n,
    },
  };
  world.spends.push(proposed);
  world.tell(`${who.name} proposes ${String(got.body['label'])} of ${vault.tag}: ${amount}`);
  return proposed;
};

/** A signer takes the transaction, signs it, and hands the signature in, perhaps later or twice. */
const sign = async (play: Play, spend: Spend): Promise<void> => {
  const { world, random } = play;
  const { vault, id: spendId, label } = spend;
  const isThiefs = random.chance(0.08);
  const who = isThiefs ? thief(play) : random.pick(signersOf(play, vault));
  const got = await ask(world, who, 'vaults.spend-transaction', { id: vault.id, spendId });
  if (got?.status !== 200) return;
  if (isThiefs) world.find('others', `${who.name} is given ${label} of ${vault.tag} to sign`);
  const build = { build: 'vaults.spend-transaction', record: vault, input: {} };
  const signed = signReply(world, who, build, got.body);
  if (signed === null) return;
  if (random.chance(0.1)) return;
  if (random.chance(0.2)) await world.timeline.sleep(random.next() * 30_000);
  const input: Json = { id: vault.id, spendId, signedTransaction: signed.raw };
  for (let times = random.chance(0.1) ? 2 : 1; times > 0; times -= 1)
    await ask(world, random.chance(0.05) ? thief(play) : who, 'vaults.spend-submit', input);
  world.tell(`${who.name} signs ${label} of ${vault.tag}`);
};

const finish = async (play: Play, spend: Spend, verb: 'broadcast' | 'cancel'): Promise<void> => {
  const { world, random } = play;
  const { vault, id: spendId, label } = spend;
  const isThiefs = random.chance(0.1);
  const who = isThiefs ? thief(play) : random.pick(signersOf(play, vault));
  const got = await ask(world, who, `vaults.spend-${verb}`, { id: vault.id, spendId });
  if (got?.status !== 200) return;
  if (isThiefs) world.find('others', `${who.name} is let ${verb} ${label} of ${vault.tag}`);
  world.tell(`${who.name}: ${verb} of ${label} of ${vault.tag}`);
  if (verb === 'cancel') return;
  const txHash = String(got.body['txHash']);
  if ((await runAs(null, () => world.node.transaction(txHash))) !== null || world.forgotten.has(txHash)) {
    await ask(world, random.chance(0.2) ? null : who, 'vaults.spend-confirm', {
      id: vault.id,
      spendId,
      txHash,
    });
    return;
  }
  world.find('answers', `the broadcast of ${label} is answered with ${txHash}, and no node has it`);
};

/** Somebody does something about a spend of a vault. */
export const spend = async (play: Play): Promise<void> => {
  const { world, random } = play;
  const open = world.spends.slice(-6);
  const [first] = world.known;
  const vault = random.chance(0.5) && first?.noun === 'vaults' ? first : knownOf(play, ['vaults']);
  if (vault === null) return;
  const what = random.weighed({
    propose: 3,
    sign: open.length === 0 ? 0 : 6,
    broadcast: open.length === 0 ? 0 : 4,
    cancel: open.length === 0 ? 0 : 0.5,
  });
  if (what === 'propose') {
    const proposed = await propose(play, vault);
    if (proposed === null || random.chance(0.5)) return;
    // In good order, now and then.
    await sign(play, proposed);
    await sign(play, proposed);
    await finish(play, proposed, 'broadcast');
  } else if (what === 'sign') await sign(play, random.pick(open));
  else await finish(play, random.pick(open), what);
};
