/** Questions to a person. `inquirer` is loaded with the first one, and asks on stderr: stdout is data. */

export type Prompts = {
  readonly confirm: (question: { readonly message: string; readonly fallback: boolean }) => Promise<boolean>;
  readonly text: (question: { readonly message: string }) => Promise<string>;
  readonly choose: (question: {
    readonly message: string;
    readonly choices: readonly string[];
  }) => Promise<string>;
  /** The answer is not shown. */
  readonly secret: (question: { readonly message: string }) => Promise<string>;
};

type Question =
  | { readonly type: 'confirm'; readonly message: string; readonly default: boolean }
  | { readonly type: 'input' | 'password'; readonly message: string }
  | { readonly type: 'select'; readonly message: string; readonly choices: readonly string[] };

const ask = async <Answer>(question: Question): Promise<Answer> => {
  const { default: inquirer } = await import('inquirer');
  const prompt = inquirer.createPromptModule({ input: process.stdin, output: process.stderr });
  const answers = await prompt<{ answer: unknown }>([{ ...question, name: 'answer' }]);
  return answers.answer as Answer;
};

/** Prompts on this process's terminal. */
export const terminalPrompts = (): Prompts => ({
  confirm: ({ message, fallback }) => ask<boolean>({ type: 'confirm', message, default: fallback }),
  text: ({ message }) => ask<string>({ type: 'input', message }),
  choose: ({ message, choices }) => ask<string>({ type: 'select', message, choices }),
  secret: ({ message }) => ask<string>({ type: 'password', message }),
});

/** True when a question was left with Ctrl-C. */
export const isInterruption = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'ExitPromptError' || error.name === 'AbortPromptError');
