/** `treasury demo`: the whole story on a fresh embedded chain in a temporary folder, with its sums checked. */
import { EXIT } from '../errors.js';
import { playBudgets } from './budgets-act.js';
import { playGovernance } from './governance-act.js';
import { playPayments } from './payments-act.js';
import { playRewards } from './rewards-act.js';
import { setStage, type Stage } from './stage.js';
import { playStreams } from './streams-act.js';
import { playVaults } from './vaults-act.js';

type Voice = { readonly write: (text: string) => unknown };

/** The acts in order. */
const acts: readonly ((stage: Stage) => Promise<void>)[] = [
  playVaults,
  playRewards,
  playBudgets,
  playStreams,
  playPayments,
  playGovernance,
];

/** Plays the demo. @returns the exit code: 0 only if every sum holds */
export const runDemo = async ({
  stdout,
  stderr,
  json,
}: {
  readonly stdout: Voice;
  readonly stderr: Voice;
  readonly json: boolean;
}): Promise<number> => {
  const told = json ? stderr : stdout;
  const stage = await setStage((text) => told.write(`${text}\n`));
  try {
    stage.say(
      'A fresh embedded chain, with the consensus rules of the real one. Each line is a transaction.',
    );
    for (const act of acts) await act(stage);
    const failed = stage.checks.filter(({ ok }) => !ok);
    const holds = failed.length === 0;
    stage.say(`\n${stage.checks.length - failed.length} of ${stage.checks.length} sums hold.`);
    if (json) stdout.write(`${JSON.stringify({ success: holds, checks: stage.checks })}\n`);
    return holds ? EXIT.done : EXIT.unexpected;
  } finally {
    await stage.close();
  }
};
