/** Streams that are made and funded many at once. */
import { sendOn } from './carry-out.js';
import { assetFields, assetOf, honest, others, type Play } from './cast.js';
import { addressOf, askPatiently, send, signReply } from './client.js';
import { checkRefusal, knownFrom, scheduleOf } from './creations.js';
import type { Json } from './processes.js';

const BUILD = 'streams.batch-create';

/** Somebody makes streams in one go, and hands their one funding on. */
export const makeBatch = async (play: Play): Promise<void> => {
  const { world, random, tag } = play;
  const who = random.pick(honest(play));
  const vaults = world.known.filter(({ noun, creator }) => noun === 'vaults' && creator === who);
  if (vaults.length === 0) return;
  const asset = assetOf(play, who);
  const recipients = Array.from({ length: random.whole(2, 5) }, () => random.pick(others(play, who)));
  const rows = recipients.map((recipient, index) => ({
    recipient,
    tag: `${tag}-${index}`,
    terms: {
      recipient: addressOf(recipient),
      totalAmount: asset === null ? 0.004 : 4,
      description: `${tag}-${index}`,
      ...scheduleOf(play),
    },
  }));
  const input: Json = {
    vaultId: random.pick(vaults).id,
    sender: addressOf(who),
    ...assetFields(asset),
    entries: rows.map(({ terms }) => terms),
  };
  world.tell(`${who.name} asks for a batch of ${rows.length} streams, ${tag}`);
  for (const row of rows) world.tried.set(row.tag, 'streams');
  let got = await askPatiently(world, who, BUILD, input, { key: tag });
  if (got?.body['requiresPreparation'] === true) {
    const prepared = signReply(world, who, { build: BUILD, record: null, input }, got.body);
    if (prepared === null || !(await send(world, prepared, 'node'))) return;
    got = await askPatiently(world, who, BUILD, input, { key: `${tag}-again` });
  }
  if (got?.status === 400)
    checkRefusal(
      play,
      BUILD,
      got.body,
      rows.map(({ terms }) => terms),
    );
  if (got === null || got.status >= 300 || got.body['requiresPreparation'] === true) return;
  const made = (got.body['streams'] as readonly Json[]).map((stream, index) => {
    const { terms, recipient, tag: own } = rows[index] as (typeof rows)[number];
    return knownFrom(stream, {
      noun: 'streams',
      creator: who,
      recipient,
      tag: own,
      asset,
      terms: { ...terms, vaultId: input['vaultId'] },
    });
  });
  world.known.push(...made);
  const signed = signReply(world, who, { build: BUILD, record: made[0] ?? null, input }, got.body);
  if (signed !== null) await sendOn(play, signed);
};
