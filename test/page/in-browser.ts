/**
 * Tests with a browser. Without a Chromium they are skipped, and their titles say so. With `TREASURY_REQUIRE_CHROMIUM` its absence
 * fails them.
 */
import { existsSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import { CHROMIUM, closeBrowser, openBrowser, type Browser } from './chromium.js';

const isRequired = (process.env['TREASURY_REQUIRE_CHROMIUM'] ?? '') !== '';
const isThere = existsSync(CHROMIUM);

let isClosing = false;

const WITHOUT = `(skipped: there is no ${CHROMIUM})`;

/** A test with a browser: at its end no page of it has complained. */
export const inBrowser = (
  title: string,
  run: (t: ExecutionContext, browser: Browser) => Promise<void>,
): void => {
  // Not before: what ava is told of while modules are still loaded begins the run.
  if (!isClosing) test.after.always(closeBrowser);
  isClosing = true;
  if (!isThere && !isRequired) {
    test.skip(`${title} ${WITHOUT}`, run as never);
    return;
  }
  test.serial(title, async (t) => {
    t.true(isThere, `${CHROMIUM} is to be there: install Debian's package chromium, or name another`);
    const browser = await openBrowser((close) => {
      t.teardown(close);
    });
    await run(t, browser);
    for (const { page, complaints } of browser.tabs) t.deepEqual(complaints, [], page.url());
  });
};
