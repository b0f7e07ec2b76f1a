/**
 * A process of its own for the tests: asks for a tip through servers that hang and one that answers, closes the chain,
 * and says when it ended by itself. Arguments: when it closes (`closed`: after the answer, `left`: in the middle of it,
 * `lost`: after the server has gone, which it does when this says `asked`), then the servers.
 */
import { openElectrumChain } from '../../../src/adapters/electrum/electrum-chain.js';

const [ending = '', ...servers] = process.argv.slice(2);
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const chain = await openElectrumChain({ network: 'regtest', servers, log: silent, connectMs: 1_000 });
process.on('unhandledRejection', (reason) => {
  console.log('unhandled', reason);
  process.exitCode = 1;
});

const tip = chain.tip();
if (ending === 'left') tip.catch(() => undefined);
else await tip;
await chain.watch({ headers: true }, () => undefined);
if (ending === 'left') void chain.coins('51').catch(() => undefined);
if (ending === 'lost') {
  console.log('asked');
  let isThere = true;
  while (isThere)
    isThere = await chain.tip().then(
      () => true,
      () => false,
    );
}
await chain.close();
const closedAt = Date.now();
process.on('exit', () => {
  console.log(`asked and closed, ended ${Date.now() - closedAt} ms later`);
});
