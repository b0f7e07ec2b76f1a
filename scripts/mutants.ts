/**
 * Removes every `require` of every contract, one at a time, and tries the contract's moves and attacks again.
 *
 * A mutant is killed when a move or an attack ends otherwise than its case says. `opens` counts the attacks that a
 * mutant accepts: where it is 0, another check refuses them too. Exits with 1 when a mutant survives without a reason.
 *
 *   npm run mutants [-- <artifact name> ...]
 */
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compileString } from 'cashc';
import type { Artifact } from 'cashscript';
import { replaceArtifact } from '../test/contracts/harness/bound.js';
import type { Attack, ContractCases } from '../test/contracts/harness/cases.js';
import { EVERY_CONTRACT } from '../test/contracts/harness/every-contract.js';
import { refusalOf, tryTransaction } from '../test/contracts/harness/verdict.js';

/** Survivors that may live, as `artifact › function › message`, and why. */
const REASONS: Readonly<Record<string, string>> = {};

type Statement = {
  readonly functionName: string;
  readonly message: string;
  readonly begin: number;
  readonly end: number;
};

/** Index behind the `)` that closes the `(` at `open`; quotes hold no parentheses that count. */
const closingIndex = (source: string, open: number): number => {
  let depth = 0;
  let quote = '';
  for (let at = open; at < source.length; at += 1) {
    const character = source.charAt(at);
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === "'" || character === '"') quote = character;
    else if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    if (depth === 0) return at + 1;
  }
  throw new Error('a parenthesis stays open');
};

const findRequires = (source: string): Statement[] =>
  [...source.matchAll(/\brequire\(/g)].map(({ index }) => {
    const end = closingIndex(source, index + 'require'.length);
    const functions = [...source.slice(0, index).matchAll(/function (\w+)\(/g)];
    return {
      functionName: functions.at(-1)?.[1] ?? '?',
      message: /'([^']*)'\s*\)$/.exec(source.slice(index, end))?.[1] ?? '?',
      begin: index,
      end: end + 1,
    };
  });

/**
 * The contract without a statement. The compiler wants every variable used and a `require` at the end of every
 * function, so the names that only this statement used are logged, and where it was the last, `true` is required.
 */
const compileWithout = (source: string, { begin, end }: Statement): Artifact => {
  const attempt = (replacement: string, tries: number): Artifact => {
    try {
      return compileString(source.slice(0, begin) + replacement + source.slice(end));
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      const unused = /Unused variable (\w+)/.exec(text)?.[1];
      if (tries === 0) throw error;
      if (unused !== undefined) return attempt(`console.log(${unused}); ${replacement}`, tries - 1);
      return attempt(`${replacement} require(true);`, tries - 1);
    }
  };
  return attempt('', 5);
};

const RULES = '2026';

const outcome = ({ build, input }: Pick<Attack, 'build' | 'input'>): string =>
  refusalOf(tryTransaction(build(), RULES), input);

type Result = { readonly killers: number; readonly opens: number; readonly example: string };

/** Tries the attacks that the statement should refuse; when none of them notices, everything. */
const tryMutant = ({ moves, attacks }: ContractCases, { functionName, message }: Statement): Result => {
  const own = attacks.filter(({ refusedBy, name }) => refusedBy === message && name.startsWith(functionName));
  const outcomes = own.map((attack) => ({ attack, now: outcome(attack) }));
  const killers = outcomes.filter(({ attack, now }) => now !== attack.refusedBy);
  const opens = killers.filter(({ now }) => now === 'accepted');
  const first = opens[0] ?? killers[0];
  if (first !== undefined) {
    return { killers: killers.length, opens: opens.length, example: `${first.attack.name}: ${first.now}` };
  }
  const other =
    attacks.find((attack) => outcome(attack) !== attack.refusedBy) ??
    moves.find((move) => outcome(move) !== 'accepted');
  return { killers: other === undefined ? 0 : 1, opens: 0, example: other?.name ?? '' };
};

const main = (): number => {
  const wanted = process.argv.slice(2);
  const survivors: string[] = [];
  let total = 0;
  for (const cases of EVERY_CONTRACT) {
    if (wanted.length > 0 && !wanted.includes(cases.contract)) continue;
    const file = fileURLToPath(new URL(`../contracts/${cases.source}`, import.meta.url));
    const source = fs.readFileSync(file, 'utf8');
    for (const statement of findRequires(source)) {
      total += 1;
      replaceArtifact(cases.contract, compileWithout(source, statement));
      const { killers, opens, example } = tryMutant(cases, statement);
      const name = `${cases.contract} › ${statement.functionName} › ${statement.message}`;
      const reason = REASONS[name];
      const fate = killers > 0 ? `killed by ${killers}, opens ${opens}` : (reason ?? 'SURVIVES');
      if (killers === 0 && reason === undefined) survivors.push(name);
      console.log(`${name}: ${fate}${opens === 0 && example !== '' ? ` (${example})` : ''}`);
    }
    replaceArtifact(cases.contract, null);
  }
  console.log(`${total} mutants, ${survivors.length} survive without a reason`);
  for (const name of survivors) console.error(`survives: ${name}`);
  return survivors.length === 0 ? 0 : 1;
};

process.exitCode = main();
