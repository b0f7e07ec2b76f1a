/** Building, signing, sending and confirming, in good order and in none. */
import type { Person } from '../../fixtures/people.js';
import { knownOf, thief, type Play } from './cast.js';
import { ask, confirm, send, signReply } from './client.js';
import type { Json } from './processes.js';
import type { Known, Signed } from './world.js';

/** Ids of what builds the funding of a noun's record. */
export const FUNDING: Readonly<Record<string, string>> = {
  streams: 'streams.funding-info',
  payments: 'payments.funding-info',
  budgets: 'budgets.funding-info',
  vaults: 'vaults.deposit',
};

/** Builds, signs and keeps; then sends and confirms it, or does not, or does so later. */
export const carryOut = async (
  play: Play,
  who: Person,
  build: string,
  input: Json,
  record: Known | null,
): Promise<void> => {
  const { world } = play;
  const got = await ask(world, who, build, input);
  if (got === null || got.status !== 200) {
    world.tell(
      `${who.name}: ${build} ${record?.tag ?? ''} ${got === null ? 'no answer' : String(got.body['code'])}`,
    );
    // A refill is of whole intervals: what people ask for need not be.
    const isUneven = build.endsWith('.refill') && got?.body['code'] === 'invalid_amount';
    if (got?.status === 400 && !isUneven) throw new Error(`${build}: ${JSON.stringify(got.body)}`);
    return;
  }
  const isStranger = record !== null && who !== record.creator && who !== record.recipient;
  if (isStranger && GUARDED.test(build) && !(build === 'governance.lock' || build === 'governance.unlock'))
    world.find('others', `${who.name} is given ${build} of ${record.tag}, which is none of theirs`);
  const signed = signReply(world, who, { build, record, input }, got.body);
  if (signed !== null) await sendOn(play, signed);
};

/** Sends what was signed and confirms it, most of the time. */
export const sendOn = async (play: Play, signed: Signed): Promise<void> => {
  const { world, random } = play;
  const { who, record } = signed;
  world.tell(`${who.name} signs ${signed.build} of ${record?.tag ?? 'nothing'}: ${signed.txid.slice(0, 8)}`);
  if (random.chance(0.15)) return;
  if (random.chance(0.2)) await world.timeline.sleep(random.next() * 30_000);
  const isSent = await send(world, signed, random.chance(0.7) ? 'daemon' : 'node');
  world.tell(`${who.name} sends ${signed.txid.slice(0, 8)}: ${isSent ? 'taken' : 'not taken'}`);
  if (signed.build === 'preparation' || !isSent || random.chance(0.25)) return;
  const confirmed = await confirm(world, who, signed);
  if (confirmed?.status === 400)
    throw new Error(`${signed.confirm ?? ''}: ${JSON.stringify(confirmed.body)}`);
};

/** What nobody may be given who has no part in a record. */
const GUARDED = /\.(?:claim|release|pause|resume|cancel|transfer|distribute|recover|deposit)$/;

export const fund = async (play: Play): Promise<void> => {
  const record = knownOf(play, Object.keys(FUNDING));
  if (record === null) return;
  const who = play.random.chance(0.95) ? record.creator : thief(play);
  await carryOut(play, who, FUNDING[record.noun] ?? '', { id: record.id }, record);
};

/** Somebody sends again, or at last, what they have kept. */
export const resend = async (play: Play): Promise<void> => {
  const { world, random } = play;
  if (world.drawer.length === 0) return;
  const kept = world.drawer.filter(({ wasSent }) => !wasSent).slice(-10);
  const signed = random.pick(kept.length > 0 && random.chance(0.5) ? kept : world.drawer.slice(-30));
  const isSent = await send(world, signed, random.chance(0.5) ? 'daemon' : 'node');
  world.tell(
    `${signed.who.name} sends ${signed.build} ${signed.txid.slice(0, 8)} that was kept: ${isSent ? 'taken' : 'not taken'}`,
  );
};

/** Anybody confirms what anybody has sent, for its record or for another one. */
export const confirmAgain = async (play: Play): Promise<void> => {
  const { world, random } = play;
  const sent = world.drawer.filter((signed) => signed.confirm !== null);
  if (sent.length === 0) return;
  const signed = random.pick(sent.slice(-30));
  const who = random.chance(0.3) ? thief(play) : signed.who;
  const other = random.chance(0.15) ? knownOf(play, [signed.record?.noun ?? '']) : null;
  const input = other === null || signed.confirmInput['id'] === undefined ? {} : { id: other.id };
  await ask(world, who, signed.confirm ?? '', {
    ...signed.confirmInput,
    ...input,
    txHash: signed.txid,
  });
};
