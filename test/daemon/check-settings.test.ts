import test from 'ava';
import { startDaemon, type DaemonSettings } from '../../src/daemon/start-daemon.js';
import { fakeApp, recordLog } from '../http/fake-app.js';

const refused: readonly (readonly [setting: string, settings: Partial<DaemonSettings>])[] = [
  ['port', { port: -1 }],
  ['port', { port: 65_536 }],
  ['port', { port: 1.5 }],
  ['rate per minute', { ratePerMinute: Number.NaN }],
  ['rate per minute', { ratePerMinute: -1 }],
  ['CORS origin', { corsOrigins: ['https://app.example/'] }],
  ['CORS origin', { corsOrigins: ['https://good.example', 'app.example'] }],
];

for (const [setting, settings] of refused) {
  test(`settings › given ${JSON.stringify(settings)} › it is refused by name`, async (t) => {
    const base = { app: fakeApp().app, port: 0, log: recordLog(), signals: null };
    const error = await t.throwsAsync(startDaemon({ ...base, ...settings }));
    t.like(error, { code: 'invalid_setting', details: { setting } });
  });
}

test('settings › given any origin › it is accepted', async (t) => {
  const { app } = fakeApp();
  const daemon = await startDaemon({ app, port: 0, log: recordLog(), signals: null, corsOrigins: ['*'] });
  await daemon.stop();
  t.true(daemon.port > 0);
});
