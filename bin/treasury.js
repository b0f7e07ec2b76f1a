#!/usr/bin/env node
try {
  const { run } = await import('../dist/cli/run.js');
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  // Where so few files may be open that the program cannot even be loaded, nothing of it can say so.
  if (!['EMFILE', 'ENFILE'].includes(error?.code)) throw error;
  process.stderr.write(
    `Error: Too many files are open (${error.code}): raise the limit of open files (\`ulimit -n\`), then try again.\n`,
  );
  process.exitCode = 7;
}
