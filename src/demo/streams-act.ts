/** The act of the streams: one of each type, a pause that costs nothing, a fair cancel, and a batch of 25. */
import { bch, DAY, type Person, type Stage } from './stage.js';

const TOTAL = '0.12';
const TOTAL_SATOSHIS = 12_000_000n;

type Shown = Readonly<Record<string, unknown>>;

/** One of each type, by its template. */
const TEMPLATES = [
  'linear-open',
  'step-monthly',
  'hybrid-upfront-linear',
  'tranche-frontloaded',
  'recurring-monthly',
] as const;

const showStream = async (stage: Stage, actor: Person, id: string): Promise<Shown> =>
  (await stage.ask(actor, 'streams.show', { id }))['stream'] as Shown;

const units = (shown: Shown, name: string): bigint => BigInt(String(shown[`${name}OnChain`]));

const chainTime = async ({ app }: Stage): Promise<number> =>
  (await app.context.chain.tip()).medianTimePast - 1;

const advance = async ({ app }: Stage, days: number): Promise<void> => {
  await app.context.localChain?.advance(days * DAY);
};

const move = (stage: Stage, actor: Person, id: string, verb: string, what: string): Promise<string> =>
  stage.step(actor, ['streams', verb], { what, input: { id } });

/** Creates and funds one stream; returns its id. */
const openStream = async (stage: Stage, sender: Person, recipient: Person, scheduleTemplate: string) => {
  const created = await stage.ask(sender, 'streams.create', {
    recipient: recipient.address.text,
    totalAmount: TOTAL,
    scheduleTemplate,
  });
  const { id, stream_id: label, stream_type: type } = created['stream'] as Record<string, string>;
  stage.say(`\n${label ?? ''} ${type ?? ''} (${scheduleTemplate}) of ${TOTAL} BCH to ${recipient.name}`);
  await move(stage, sender, id ?? '', 'funding', `${sender.name} funds it`);
  return id ?? '';
};

/** The recipient claims what has vested; the fee comes out of it, since the recipient has no other coins. */
const claimAll = async (stage: Stage, recipient: Person, id: string): Promise<void> => {
  const claimable = units(await showStream(stage, recipient, id), 'claimable_amount');
  const before = { satoshis: await stage.satoshisOf(recipient), fees: stage.feesOf(recipient) };
  await move(stage, recipient, id, 'claim', `${recipient.name} claims ${bch(claimable)}`);
  const got = (await stage.satoshisOf(recipient)) - before.satoshis;
  stage.check(
    `${recipient.name} received it, less the fee`,
    claimable,
    got + stage.feesOf(recipient) - before.fees,
  );
};

/** A pause stands still and takes nothing; a cancellation pays what has vested and returns the rest. */
const pauseAndCancel = async (stage: Stage, sender: Person, recipient: Person, id: string): Promise<void> => {
  await advance(stage, 20);
  await move(stage, sender, id, 'pause', `${sender.name} pauses it`);
  const paused = await showStream(stage, sender, id);
  const vested = units(paused, 'vested_amount');
  await advance(stage, 100);
  stage.check(
    'a pause of 100 days: what had vested is still there, and no more',
    vested,
    units(await showStream(stage, sender, id), 'vested_amount'),
  );
  const stoodStill = (await chainTime(stage)) - Number(paused['paused_at']);
  await move(stage, sender, id, 'resume', `${sender.name} lets it go on`);
  const { shift_seconds: shift } = await showStream(stage, sender, id);
  stage.check('its schedule is later by the pause, in seconds', BigInt(stoodStill), BigInt(Number(shift)));

  await advance(stage, 10);
  const before = {
    theirs: await stage.satoshisOf(recipient),
    mine: await stage.satoshisOf(sender),
    fees: stage.feesOf(sender),
  };
  await move(stage, sender, id, 'cancel', `${sender.name} cancels it`);
  const ended = await showStream(stage, sender, id);
  const claims = (await stage.ask(sender, 'streams.show', { id }))['claims'] as Shown[];
  stage.check(
    'what had vested went to the recipient',
    BigInt(String(claims[0]?.['amountOnChain'])),
    (await stage.satoshisOf(recipient)) - before.theirs,
  );
  const back = (await stage.satoshisOf(sender)) - before.mine + stage.feesOf(sender) - before.fees;
  stage.check(
    'the rest came back, with the dust of the thread',
    units(ended, 'returned_amount') + 1_000n,
    back,
  );
  stage.check(
    'paid and returned are the whole',
    TOTAL_SATOSHIS,
    units(ended, 'withdrawn_amount') + units(ended, 'returned_amount'),
  );
};

const BATCH = 25;

/** A team of 25 in one transaction. */
const playBatch = async (stage: Stage, sender: Person, recipients: readonly Person[]): Promise<void> => {
  const vault = await stage.vault('Contributors', [sender, ...recipients].slice(0, 3), '0.01');
  const entries = Array.from({ length: BATCH }, (_, index) => ({
    recipient: recipients[index % recipients.length]?.address.text,
    totalAmount: '0.012',
    scheduleTemplate: TEMPLATES[index % TEMPLATES.length],
  }));
  stage.say(`\nA batch of ${BATCH} streams of every type, in one transaction`);
  const input = { vaultId: vault['id'], senderAddress: sender.address.text, entries };
  // A coin at output index 0 to start from, so that no preparation comes first.
  await stage.app.context.localChain?.faucet(sender.address.lockingBytecode, 100_000_000n);
  const built = await stage.ask(sender, 'streams.batch-create', input);
  const [first = ''] = built['streamIds'] as string[];
  const { batchId } = built;
  await stage.carryOut(sender, {
    what: `${sender.name} funds all of them`,
    build: 'streams.funding-info',
    confirm: 'streams.confirm-batch',
    input: { id: first, vaultId: vault['id'], batchId },
  });
  const run = await stage.ask(sender, 'streams.batch-run', { id: batchId });
  const { active } = run['batch'] as { active: number };
  stage.check('streams that are active', BigInt(BATCH), BigInt(active));
};

/** An authority with coins: it witnesses the time of pauses and cancellations. */
const fundAuthority = async ({ app }: Stage): Promise<void> => {
  const { keys, localChain } = app.context;
  const wallets = await keys.list();
  if (!wallets.some(({ isAuthority }) => isAuthority))
    await keys.create({ name: 'authority', passphrase: null, isAuthority: true });
  const { address } = await keys.authority();
  await localChain?.faucet(address.lockingBytecode, 1_000_000n);
};

/** Plays the act. */
export const playStreams = async (stage: Stage): Promise<void> => {
  await fundAuthority(stage);
  const dora = await stage.person('dora', 900_000_000n);
  const team = [await stage.person('emil'), await stage.person('fee'), await stage.person('greta')];
  const [emil] = team;
  if (emil === undefined) return;

  const ids: string[] = [];
  for (const template of TEMPLATES) ids.push(await openStream(stage, dora, emil, template));
  await advance(stage, 91);
  stage.say('\n91 days later');
  for (const id of ids) await claimAll(stage, emil, id);
  stage.say('');
  await pauseAndCancel(stage, dora, emil, ids[0] ?? '');
  await playBatch(stage, dora, team);
};
