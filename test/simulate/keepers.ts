/** Keepers: daemons and commands that do what is due, by rules that the home of some worlds has. */
import type { Person } from '../../fixtures/people.js';
import { EXIT } from '../../src/errors.js';
import { decodeTransaction } from '../../src/bch/transaction.js';
import type { Play } from './cast.js';
import { addressOf } from './client.js';
import { jsonOf, runCommand } from './commands.js';
import { startCommand, HOME, NETWORK, type Json } from './processes.js';
import { randomOf } from './random.js';
import { runAs } from './timeline.js';
import type { OpenedWorld } from './world.js';

const FILE = `${HOME}/${NETWORK}/keeper.json`;
const DAY = 86_400;
/** Satoshis. */
const FEES_PER_DAY = 9_000n;
const REFILLED_PER_DAY = 1_000_000n;

const TAKING = ['streams claim', 'payments claim', 'budgets release'] as const;
const PUSHING = ['streams push', 'payments push', 'budgets push'] as const;

const rulesOf = (takers: readonly Person[], payer: Person) => ({
  feesPerDay: `${FEES_PER_DAY} sats`,
  zone: 'UTC',
  rules: [
    ...takers.flatMap(({ name }) =>
      TAKING.map((task) => ({
        do: task,
        wallet: name,
        minimum: ['0.00001 BCH', '0.01 GEMS'],
        feeAtMost: '3000 sats',
      })),
    ),
    ...PUSHING.map((task) => ({
      do: task,
      wallet: payer.name,
      minimum: ['0.00001 BCH', '0.01 GEMS'],
      feeAtMost: '3000 sats',
    })),
    ...['PAY-0001', 'PAY-0002'].map((label) => ({
      name: `refill ${label}`,
      do: 'payments refill',
      for: [label],
      wallet: payer.name,
      before: '2d',
      periods: 3,
      perDay: `${REFILLED_PER_DAY} sats`,
    })),
    {
      do: 'vaults spend broadcast',
      wallet: payer.name,
      for: ['VAULT-0001'],
      to: takers.map(addressOf),
      perDay: '0.01 BCH',
    },
  ],
});

/** In half of the worlds the home has rules; one of the honest is named by none of them. */
export const layRules = (world: OpenedWorld, seed: string): void => {
  const random = randomOf(seed, 'keeper');
  const [alice, bob, carol] = world.people;
  if (random.chance(0.5) || alice === undefined || bob === undefined || carol === undefined) return;
  const takers = [bob, carol];
  const { disk } = world.host;
  const fd = disk.open(FILE, 'new');
  const text = Buffer.from(JSON.stringify(rulesOf(takers, alice)));
  disk.write(fd, text, 0, 0);
  disk.sync(fd);
  disk.close(fd);
  disk.syncFolder();
  world.keepers = [alice, ...takers];
  world.tell('the home has rules for a keeper');
};

/** A keeper does what is due, once; or begins to, until something ends it. */
export const keeper = async ({ world, random }: Play): Promise<void> => {
  if (world.keepers.length === 0) return;
  if (random.chance(0.6)) {
    await runCommand(world, ['keeper', random.pick(['once', 'once', 'plan']), '--json']);
    return;
  }
  const running = world.host.living().filter(({ name }) => name === 'treasury keeper run');
  if (running.length >= 2) return;
  world.tell('treasury keeper run');
  world.count('move: treasury keeper run: done');
  startCommand(['keeper', 'run', '--every', '5s', '--jsonl'], world.site).ended.then(
    ({ exit, stdout, stderr }) => {
      // What it stands on may be away when it begins.
      if (exit === EXIT.unexpected && world.timeline.now() >= world.diskTroubleUntil)
        world.find('keepers', `treasury keeper run ends with ${exit}: ${stdout} ${stderr}`);
    },
    () => undefined,
  );
};

const MOST_PASSES = 8;

/** A last keeper does what is left, beside those of the daemons: nothing that is due and allowed stays. */
export const keepLast = async (world: OpenedWorld): Promise<void> => {
  if (world.keepers.length === 0) return;
  for (const process of world.host.living()) if (process.name === 'treasury keeper run') process.kill();
  await world.timeline.sleep(90_000);
  let left: readonly Json[] | null = null;
  for (let pass = 0; pass < MOST_PASSES && left?.length !== 0; pass += 1) {
    const outcome = await runCommand(world, ['keeper', 'once', '--again', '--json']);
    if (outcome?.exit === EXIT.unexpected)
      world.find('keepers', `treasury keeper once ends with 1: ${outcome.stdout} ${outcome.stderr}`);
    await world.mine(1);
    await world.timeline.sleep(35_000);
    const planned = await runCommand(world, ['keeper', 'plan', '--json']);
    const plan = planned === null ? undefined : (jsonOf(planned)['plan'] as readonly Json[] | undefined);
    left = plan?.filter(({ verdict }) => verdict === 'due') ?? null;
    for (const { verdict, reason } of plan ?? [])
      world.count(`planned: ${String(verdict)}${verdict === 'failed' ? ` ${String(reason)}` : ''}`);
  }
  for (const one of left ?? [{ plan: 'none' }])
    world.find('keepers', `what is due is never done: ${JSON.stringify(one)}`);
  world.count('checked: a keeper at the end');
};

type Act = {
  readonly id: string;
  readonly task: string;
  readonly rule: string;
  readonly wallet: string;
  readonly booked_at: number;
};

/** The fee of a transaction, whose wallets its inputs are of, and what it takes from the first of them. */
const factsOf = async (world: OpenedWorld, txid: string) => {
  const raw = await runAs(null, () => world.node.rawTransaction(txid));
  if (raw === null) return null;
  const { inputs, outputs } = decodeTransaction(raw);
  const gains = new Map<string, bigint>();
  let fee = 0n;
  const signers = new Set<string>();
  const nameAt = (lock: string): string | undefined =>
    world.people.find((one) => one.address(NETWORK).lockingBytecode === lock)?.name;
  for (const input of inputs) {
    const source = await runAs(null, () => world.node.transaction(input.txid));
    const spent = source?.transaction.outputs[input.vout];
    if (spent === undefined) continue;
    fee += spent.satoshis;
    const name = nameAt(spent.lockingBytecode);
    if (name === undefined) continue;
    signers.add(name);
    gains.set(name, (gains.get(name) ?? 0n) - spent.satoshis);
  }
  for (const { lockingBytecode, satoshis } of outputs) {
    fee -= satoshis;
    const name = nameAt(lockingBytecode);
    if (name !== undefined) gains.set(name, (gains.get(name) ?? 0n) + satoshis);
  }
  return { fee, signers, gains };
};

/** No sum of a day is more than a limit. */
const withinDay = (sums: readonly { readonly at: number; readonly units: bigint }[], most: bigint): boolean =>
  sums.every(
    ({ at }) =>
      sums
        .filter((other) => other.at >= at && other.at < at + DAY - 600)
        .reduce((all, { units }) => all + units, 0n) <= most,
  );

/** Nothing was signed with a wallet that no rule names, and what was done keeps within its limits. */
export const checkKeepers = async (
  world: OpenedWorld,
  store: ReadonlyMap<string, readonly Json[]>,
): Promise<void> => {
  const acts = (store.get('keeper_acts') ?? []) as unknown as readonly Act[];
  const named = world.keepers.map(({ name }) => name);
  const fees: { at: number; units: bigint }[] = [];
  const refills = new Map<string, { at: number; units: bigint }[]>();
  for (const { id, task, rule, wallet, booked_at: at } of acts) {
    world.count(`checked: a keeper's ${task}`);
    if (task === 'vaults spend broadcast') continue;
    const facts = await factsOf(world, id);
    if (facts === null) continue;
    for (const name of facts.signers)
      if (name !== wallet || !named.includes(name))
        world.find('keepers', `${id} (${task}, ${rule}) is signed by ${name}, and is ${wallet}'s to sign`);
    fees.push({ at, units: facts.fee });
    if (task !== 'payments refill') continue;
    const gave = -(facts.gains.get(wallet) ?? 0n) - facts.fee;
    refills.set(rule, [...(refills.get(rule) ?? []), { at, units: gave }]);
  }
  if (!withinDay(fees, FEES_PER_DAY))
    world.find('keepers', `the fees of a day are more than ${FEES_PER_DAY}`);
  for (const [rule, sums] of refills)
    // The dust of what tokens lie in is nothing that is paid.
    if (!withinDay(sums, REFILLED_PER_DAY + 3_000n * BigInt(sums.length)))
      world.find('keepers', `${rule} moves more than ${REFILLED_PER_DAY} in a day`);
};
