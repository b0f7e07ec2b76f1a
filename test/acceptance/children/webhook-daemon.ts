/** A daemon that delivers to webhooks, with tries that follow each other quickly: it is killed again and again. */
import { openApp } from '../../../src/app.js';
import { createLog } from '../../../src/daemon/log.js';
import { startDaemon } from '../../../src/daemon/start-daemon.js';
import { webhookWorker } from '../../../src/daemon/webhooks/webhook-worker.js';

const [home = ''] = process.argv.slice(2);
const app = await openApp({ home, network: 'local', outgoing: { limitMilliseconds: 400 } });
const rules = { retrySeconds: Array.from({ length: 30 }, () => 1), outageSeconds: 1 };
const worker = webhookWorker({
  context: app.context,
  told: app.deployables.map(({ told }) => told),
  tickMs: 100,
  rules,
});
const daemon = await startDaemon({ app, port: 0, log: createLog({ level: 'error' }), workers: [worker] });
process.stdout.write(`${daemon.url}\n`);
await daemon.stopped;
