/**
 * Loaded before every test file, and by every program that a test starts: an error whose code its operation does not
 * declare ends the program, whatever would be done with the error; and so does an event of a type that nobody can ask for.
 */
const { subscribe } = require('node:diagnostics_channel');
const { writeSync } = require('node:fs');

const asked = `--require=${JSON.stringify(__filename)}`;
const options = process.env.NODE_OPTIONS ?? '';
const isStartedByTest = options.includes(asked);
if (!isStartedByTest) process.env.NODE_OPTIONS = `${options} ${asked}`.trim();

const end = (told) => {
  // What is thrown here is an uncaught exception: it fails the test file.
  if (!isStartedByTest) throw new Error(told);
  writeSync(2, `${told}\n`);
  process.exit(70);
};

subscribe('treasury:undeclared-error', ({ operation, code }) => {
  end(`${operation} answers with ${code}, which it does not declare in its errors`);
});
subscribe('treasury:unknown-event-type', (type) => {
  end(`an event of the type ${type} is told, which src/record/event-names.ts does not have`);
});
