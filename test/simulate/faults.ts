/** What goes wrong, and what the chain does meanwhile. */
import type { Play } from './cast.js';
import { LEASE_MS } from '../../src/record/leases.js';
import { decodeTransaction } from '../../src/bch/transaction.js';
import { TROUBLES, type Trouble } from './servers.js';
import { runAs } from './timeline.js';
import { launchDaemon } from './world.js';

export const mine = async ({ world, random }: Play): Promise<void> => {
  await world.mine(random.pick([1, 1, 1, 2, 3]));
};

/** Time goes on by hours or weeks, for everybody. */
export const leap = async ({ world, random }: Play): Promise<void> => {
  const seconds = random.pick([600, 3_600, 86_400, 8 * 86_400, 31 * 86_400]);
  world.timeline.leap(seconds * 1_000);
  await world.mine(11);
  world.tell(`${seconds} seconds pass`);
};

const forget = async ({ world }: Play, depth: number, drop: readonly string[]): Promise<void> => {
  world.chainClock.catchUp();
  await runAs(null, () => world.node.reorg(depth, { drop }));
  // What is dropped takes with it what was built on it, were it sent a moment ago.
  for (const txid of world.taken)
    if ((await runAs(null, () => world.node.transaction(txid))) === null) world.forgotten.add(txid);
};

/** The last blocks are replaced by others; some of what stood in them may be gone for good. */
export const reorganise = async (play: Play): Promise<void> => {
  const { world, random } = play;
  const { height } = await runAs(null, () => world.node.tip());
  const depth = Math.min(random.pick([1, 1, 2, 3]), height - 20);
  if (depth < 1) return;
  const drop: string[] = [];
  for (const { txid, wasSent } of world.drawer.slice(-40)) {
    if (!wasSent || !random.chance(0.3)) continue;
    const found = await runAs(null, () => world.node.transaction(txid));
    if (found !== null && (found.height === null || found.height > height - depth)) drop.push(txid);
  }
  await forget(play, depth, drop);
  world.count(drop.length === 0 ? 'fault: reorganisation' : 'fault: reorganisation that forgets');
  world.tell(
    `the last ${depth} blocks are replaced; forgotten: ${drop.map((txid) => txid.slice(0, 8)).join(', ') || 'nothing'}`,
  );
};

/** Somebody pays themselves with the coins of what they have signed before: one of the two can be on the chain. */
export const doubleSpend = async (play: Play): Promise<void> => {
  const { world, random } = play;
  const signed = world.drawer.filter(({ wasSent }) => wasSent).slice(-8);
  if (signed.length === 0) return;
  const { txid, raw } = random.pick(signed);
  const found = await runAs(null, () => world.node.transaction(txid));
  const { height: tip } = await runAs(null, () => world.node.tip());
  if (found === null || (found.height !== null && found.height < tip - 2)) return;
  await forget(play, Math.max(1, found.height === null ? 1 : tip - found.height + 1), [txid]);
  const spent = new Set(decodeTransaction(raw).inputs.map((input) => `${input.txid}:${input.vout}`));
  const rival = world.drawer.find(
    (other) =>
      other.txid !== txid &&
      decodeTransaction(other.raw).inputs.some((input) => spent.has(`${input.txid}:${input.vout}`)),
  );
  if (rival !== undefined) {
    try {
      await runAs(null, () => world.node.broadcast(rival.raw));
      rival.wasSent = true;
      world.count('fault: double spend');
    } catch {
      // It was not good any more.
    }
  }
  world.tell(
    `${txid.slice(0, 8)} is replaced by ${rival === undefined ? 'nothing' : rival.txid.slice(0, 8)}`,
  );
};

/** A transaction that waits for a block is dropped by everybody. */
export const evict = async (play: Play): Promise<void> => {
  const { world, random } = play;
  const waiting: string[] = [];
  for (const { txid, wasSent } of world.drawer.slice(-20)) {
    if (!wasSent) continue;
    const found = await runAs(null, () => world.node.transaction(txid));
    if (found !== null && found.height === null) waiting.push(txid);
  }
  if (waiting.length === 0) return;
  const txid = random.pick(waiting);
  await forget(play, 1, [txid]);
  world.count('fault: eviction');
  world.tell(`${txid.slice(0, 8)} is dropped by everybody`);
};

/** A process is killed at one of its next uses of a file, or the power is cut there. */
export const kill = async ({ world, random }: Play): Promise<void> => {
  const wait = random.next() * 3_000;
  const living = world.host.living();
  if (random.chance(0.25) && living.length > 0) {
    // Between two things that it waits for.
    const one = random.pick(living);
    world.timeline.after(
      wait,
      () => {
        if (!one.isAlive()) return;
        world.count('fault: killed while it waits');
        world.tell(`${one.name} is killed while it waits`);
        one.kill();
      },
      null,
    );
    return Promise.resolve();
  }
  const fate = { left: random.whole(1, 60), isPowerCut: random.chance(0.3), isAfter: random.chance(0.5) };
  if (random.chance(0.6)) {
    world.armNext = { ...fate, left: random.whole(20, random.pick([140, 450])) };
    return Promise.resolve();
  }
  if (living.length > 0) random.pick(living).fate = fate;
  return Promise.resolve();
};

/** A daemon is stopped in good order. */
export const stopDaemon = async ({ world, random }: Play): Promise<void> => {
  const [daemon] = world.daemons;
  if (daemon === undefined || daemon.face() === null || random.chance(0.3)) return Promise.resolve();
  world.count('fault: stopped');
  world.tell(`${daemon.process.name} is stopped`);
  daemon.stop().catch((error: unknown) => {
    if (daemon.process.isAlive()) {
      if (world.timeline.now() >= world.diskTroubleUntil)
        world.find('stops', `${daemon.process.name}: ${String(error)}`);
      daemon.process.kill();
    }
  });
  return Promise.resolve();
};

/** A daemon is started, when fewer than two run. */
export const startDaemon = async ({ world, tag }: Play): Promise<void> => {
  if (world.daemons.length < 2) launchDaemon(world, `daemon-${tag}`);
  return Promise.resolve();
};

const TROUBLE_MS = 40_000;

/** A server is in trouble for a while. */
export const troubleServer = async ({ world, random }: Play): Promise<void> => {
  const server = random.pick(world.servers);
  const trouble: Trouble = random.pick(TROUBLES);
  if (server.troubles.has(trouble)) return;
  world.count(`fault: a server ${trouble === 'slow' ? 'is slow' : trouble}`);
  world.tell(`${server.name}: ${trouble}`);
  server.begin(trouble);
  if (trouble === 'hides one') {
    const sent = world.drawer.filter(({ wasSent }) => wasSent).slice(-5);
    if (sent.length > 0) server.hide(random.pick(sent).txid);
  }
  if (trouble === 'lies') {
    // A transaction that was signed and not sent, with one of its signatures spoilt, as if the network had it.
    const unsent = world.drawer.filter(({ wasSent }) => !wasSent);
    if (unsent.length > 0) {
      const { raw } = random.pick(unsent);
      const at = 2 * random.whole(60, Math.min(110, raw.length / 2 - 20));
      const spoilt = `${raw.slice(0, at)}${raw[at] === '0' ? '1' : '0'}${raw.slice(at + 1)}`;
      try {
        await runAs(null, () => server.liar.show(spoilt));
      } catch {
        // It is no transaction any more.
      }
    }
  }
  world.timeline.after(
    random.next() * TROUBLE_MS,
    () => {
      server.end(trouble);
    },
    null,
  );
};

/** Servers start anew, and hang up on everybody. */
export const restartServer = async ({ world, random }: Play): Promise<void> => {
  random.pick(world.servers).restart();
  world.count('fault: a server restarts');
  return Promise.resolve();
};

/** The disk is full, or can only be read, for a while. */
export const troubleDisk = async ({ world, random }: Play): Promise<void> => {
  const { host, timeline } = world;
  const lasts = 1_000 + random.next() * 20_000;
  const isFull = random.chance(0.7);
  if (isFull) host.disk.room = random.whole(0, 3_000);
  else host.isReadOnly = true;
  world.count(isFull ? 'fault: the disk is full' : 'fault: the disk can only be read');
  world.tell(isFull ? `the disk has ${host.disk.room} bytes left` : 'the disk can only be read');
  // What began meanwhile may fail later.
  world.diskTroubleUntil = Math.max(world.diskTroubleUntil, timeline.now() + lasts + 100_000);
  timeline.after(
    lasts,
    () => {
      host.disk.room = Infinity;
      host.isReadOnly = false;
      world.tell('the disk is well again');
    },
    null,
  );
  return Promise.resolve();
};

/** Messages between people and daemons are lost, for a while. */
export const troubleWire = async ({ world, random }: Play): Promise<void> => {
  world.lossy = 0.3;
  world.count('fault: answers are lost');
  world.tell('messages are lost');
  world.timeline.after(
    random.next() * 30_000,
    () => {
      world.lossy = 0;
    },
    null,
  );
  return Promise.resolve();
};

/** The clock of one process goes wrong. */
export const skewClock = async ({ world, random }: Play): Promise<void> => {
  const living = world.host.living();
  if (living.length === 0) return Promise.resolve();
  const one = random.pick(living);
  one.skew = random.pick([-120, -20, 0, 20, 120]) * 1_000;
  world.count('fault: a clock jumps');
  world.tell(`the clock of ${one.name} is ${one.skew / 1_000} s wrong`);
  return Promise.resolve();
};

/** The wire of somebody to the database is cut, before or after one of the next commits. */
export const cutWire = async ({ world, random }: Play): Promise<void> => {
  world.database?.cut({ left: random.whole(1, 2), isTold: random.chance(0.7), isAfter: random.chance(0.6) });
  return Promise.resolve();
};

/** The database ends all connections, and takes none for a while. */
export const restartDatabase = async ({ world, random }: Play): Promise<void> => {
  const lasts = random.next() * random.pick([500, 500, 8_000]);
  world.count('fault: the database restarts');
  world.tell('the database restarts');
  // What is asked meanwhile may be refused.
  world.diskTroubleUntil = Math.max(world.diskTroubleUntil, world.timeline.now() + lasts + 60_000);
  world.database?.restart(lasts);
  return Promise.resolve();
};

/** A process stands still, also for longer than its leases are good, and goes on as if nothing had been. */
export const freeze = async ({ world, random }: Play): Promise<void> => {
  const living = world.host.living().filter(({ name }) => !name.startsWith('a reader'));
  if (living.length === 0) return Promise.resolve();
  const one = random.pick(living);
  const lasts = random.pick([2_000, 20_000, 20_000, 40_000]);
  world.count(`fault: frozen${lasts < LEASE_MS ? '' : ' past its lease'}`);
  world.tell(`${one.name} stands still for ${lasts / 1_000} s`);
  one.freeze(lasts);
  return Promise.resolve();
};
