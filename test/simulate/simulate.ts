/** The simulator as a program: plays worlds from a seed, and tells what it found. */
import { parseArgs } from 'node:util';
import { removeTemplate } from './database.js';
import { planOf, play, type Plan, type Played } from './play.js';
import { summaryOf } from './summary.js';
import { shrink } from './shrink.js';

const OPTIONS = {
  seed: { type: 'string', default: '1' },
  minutes: { type: 'string', default: '1' },
  worlds: { type: 'string' },
  world: { type: 'string' },
  from: { type: 'string', default: '0' },
  length: { type: 'string', default: '100' },
  focus: { type: 'string', default: '' },
  pace: { type: 'string', default: '1' },
  /** Worlds have their records in databases of this server. */
  database: { type: 'string' },
  'shrink-seconds': { type: 'string', default: '60' },
  story: { type: 'boolean', default: false },
  log: { type: 'boolean', default: false },
  stop: { type: 'boolean', default: false },
} as const;

/** Worlds after which memory is looked at first. */
const EARLY = 20;

const startedAt = process.hrtime.bigint();
const elapsedSeconds = (): number => Number(process.hrtime.bigint() - startedAt) / 1e9;

const tellFindings = ({ findings }: Played): void => {
  for (const { check, what } of findings) console.log(`FOUND ${check}: ${what}`);
};

/** The story of a finding, as short as it can be made in the time. */
const tellShrunk = async (plan: Plan, played: Played, seconds: number): Promise<void> => {
  const [first] = played.findings;
  const until = elapsedSeconds() + seconds;
  const shrunk = first === undefined ? null : await shrink(plan, first.check, () => elapsedSeconds() > until);
  const { story } = shrunk?.played ?? played;
  if (shrunk !== null) {
    const kinds = shrunk.plan.entries.map(({ kind, index }) => `${kind} ${index}`);
    console.log(`\nIn short (${kinds.join(', ')}):`);
  }
  console.log(story.join('\n'));
};

/** Plays what its arguments ask for. @returns the exit code */
export const simulate = async (args: readonly string[]): Promise<number> => {
  const { values } = parseArgs({ args: [...args], options: OPTIONS });
  const length = Number(values.length);
  const first = Number(values.world ?? values.from);
  const last = values.world === undefined ? first + Number(values.worlds ?? Infinity) - 1 : first;
  const seconds = values.worlds === undefined ? Number(values.minutes) * 60 : Infinity;
  const counts = new Map<string, number>();
  let events = 0;
  let playedSeconds = 0;
  let found = 0;
  let earlyMegabytes = 0;
  let world = first;
  for (; world <= last && (world === first || elapsedSeconds() < seconds); world += 1) {
    const focus = values.focus.split(',').filter((kind) => kind !== '');
    const plan = planOf(`${values.seed}:${world}`, {
      length,
      focus,
      pace: Number(values.pace),
      databaseServer: values.database ?? null,
    });
    const before = elapsedSeconds();
    const played = await play(plan);
    playedSeconds += elapsedSeconds() - before;
    events += played.events;
    found += played.findings.length;
    for (const [what, times] of played.counts) counts.set(what, (counts.get(what) ?? 0) + times);
    if (world - first === EARLY - 1) earlyMegabytes = Math.round(process.memoryUsage.rss() / 2 ** 20);
    if (values.log) console.log(played.log.join('\n'));
    tellFindings(played);
    if (played.findings.length > 0) {
      console.log(
        `again: npm run simulate -- --seed ${values.seed} --world ${world} --length ${length}${values.focus === '' ? '' : ` --focus '${values.focus}'`}${values.pace === '1' ? '' : ` --pace ${values.pace}`}${values.database === undefined ? '' : ' --postgres'}`,
      );
      await tellShrunk(plan, played, Number(values['shrink-seconds']));
      if (values.stop) break;
    } else if (values.story) console.log(played.story.join('\n'));
  }
  if (values.database !== undefined) await removeTemplate(values.database);
  console.log(summaryOf(counts).join('\n'));
  const pace = Math.round(events / playedSeconds);
  const megabytes = Math.round(process.memoryUsage.rss() / 2 ** 20);
  console.log(
    `${Math.round(playedSeconds)} seconds, ${earlyMegabytes} MB after ${EARLY} worlds, ${megabytes} MB now`,
  );
  console.log(`${world - first} worlds, ${events} events, ${pace} a second, ${found} findings`);
  return found === 0 ? 0 : 1;
};
