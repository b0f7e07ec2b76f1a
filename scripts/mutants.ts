/**
 * Changes every contract in every small way, one at a time, and tries its moves and attacks again.
 *
 * A mutant is killed when a move or an attack ends otherwise than its case says. One that survives is a gap, unless
 * `mutants/equivalents.ts` proves that no transaction can tell it from the contract. Exits with 1 when there is a gap,
 * or a proof of something that is killed.
 *
 *   npm run mutants [-- <artifact name> ...] [--sample N --seed S] [--match TEXT] [--jobs N] [--all]
 *
 * `--sample` tries N of them, the same for the same seed; `--match` those whose name holds a text (any of several); `--jobs` processes at
 * once (2); `--all` prints every verdict and what killed it.
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { EQUIVALENTS } from './mutants/equivalents.js';
import { FATES, type Fate, type Verdict } from './mutants/judge.js';
import { KINDS } from './mutants/mutant.js';
import { sampleOf } from './mutants/sample.js';
import { listUnits, runUnit, type Unit } from './mutants/unit.js';

type Message = { readonly verdict: Verdict } | { readonly ready: true };

const isMessage = (value: unknown): value is Message => typeof value === 'object' && value !== null;

/** In a process of its own: works on the units that it is sent. */
const work = (): void => {
  const send = (message: Message): void => void process.send?.(message);
  process.on('message', (unit: Unit) => {
    runUnit(unit, (verdict) => {
      send({ verdict });
    });
    send({ ready: true });
  });
  send({ ready: true });
};

/** Hands the units to processes, and collects their verdicts. */
const runAll = async (
  units: readonly Unit[],
  jobs: number,
  tell: (verdict: Verdict) => void,
): Promise<void> => {
  const left = [...units];
  const runOne = async (): Promise<void> =>
    new Promise((resolve, reject) => {
      const child = fork(fileURLToPath(import.meta.url), ['--worker']);
      child.on('message', (message) => {
        if (!isMessage(message)) return;
        if ('verdict' in message) {
          tell(message.verdict);
          return;
        }
        const unit = left.shift();
        if (unit === undefined) child.disconnect();
        else child.send(unit);
      });
      child.on('exit', (code) => {
        if (code === 0) resolve();
        else reject(new Error(`a process ended with ${String(code)}`));
      });
    });
  await Promise.all(Array.from({ length: Math.min(jobs, units.length) }, runOne));
};

const summarize = (verdicts: readonly Verdict[]): string => {
  const fates = Object.keys(FATES) as Fate[];
  const row = (label: string, of: readonly Verdict[]): string =>
    [label.padEnd(14), String(of.length).padStart(7)]
      .concat(fates.map((fate) => String(of.filter((verdict) => verdict.fate === fate).length).padStart(11)))
      .join('');
  return [
    ['kind'.padEnd(14), 'made'.padStart(7), ...fates.map((fate) => fate.padStart(11))].join(''),
    ...Object.keys(KINDS).map((kind) =>
      row(
        kind,
        verdicts.filter((verdict) => verdict.kind === kind),
      ),
    ),
    row('all', verdicts),
  ].join('\n');
};

/** Proofs that no survivor needs. */
const findIdle = (verdicts: readonly Verdict[]): string[] => {
  const explained = verdicts.filter(({ fate }) => fate === 'equivalent').map(({ name }) => name);
  return EQUIVALENTS.flatMap(({ where, change }) =>
    (where ?? [''])
      .filter((place) => !explained.some((name) => name.startsWith(place) && name.includes(change)))
      .map((place) => `${place === '' ? 'everywhere' : place} › ${change}`),
  );
};

const OPTIONS = {
  sample: { type: 'string' },
  seed: { type: 'string', default: '1' },
  match: { type: 'string', multiple: true },
  jobs: { type: 'string', default: '2' },
  all: { type: 'boolean', default: false },
  worker: { type: 'boolean', default: false },
} as const;

const main = async (): Promise<number> => {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
  const { sample, seed, match, jobs, all } = values;
  const units = listUnits((contract) => positionals.length === 0 || positionals.includes(contract));
  const matching = units.map((unit) => ({
    ...unit,
    names: unit.names.filter((name) => match?.some((text) => name.includes(text)) ?? true),
  }));
  const wanted = sample === undefined ? matching : sampleOf(matching, Number(sample), Number(seed));
  const begin = Date.now();
  const verdicts: Verdict[] = [];
  await runAll(
    wanted.filter(({ names }) => names.length > 0),
    Number(jobs),
    (verdict) => {
      verdicts.push(verdict);
      const { name, kind, fate, by } = verdict;
      if (all || fate === 'equivalent')
        console.log(`${fate}: ${kind}: ${name}${by === '' ? '' : ` (${by})`}`);
    },
  );
  const survivors = verdicts.filter(({ fate }) => fate === 'survives');
  const isWhole = sample === undefined && match === undefined && positionals.length === 0;
  const idle = isWhole ? findIdle(verdicts) : [];
  console.log(summarize(verdicts));
  console.log(
    `${survivors.length} survive without a proof; ${Math.round((Date.now() - begin) / 1000)} seconds`,
  );
  for (const { name, kind, by } of survivors)
    console.error(`survives: ${kind}: ${name}${by === '' ? '' : ` (${by})`}`);
  for (const change of idle) console.error(`proved, and met by no survivor: ${change}`);
  return survivors.length + idle.length === 0 ? 0 : 1;
};

if (process.argv.includes('--worker')) work();
else process.exitCode = await main();
