import test from 'ava';
import { latePort } from '../../src/adapters/late-port.js';

type Lamp = { readonly light: (colour: string) => Promise<string>; readonly close: () => Promise<void> };

const openLamp = (failures: number) => {
  const state = { opened: 0, closed: 0 };
  const lamp = latePort<Lamp>({ light: true, close: true }, () => {
    state.opened += 1;
    if (state.opened <= failures) return Promise.reject(new Error('no current'));
    return Promise.resolve({
      light: (colour) => Promise.resolve(`${colour} light`),
      close: () => {
        state.closed += 1;
        return Promise.resolve();
      },
    });
  });
  return { lamp, state };
};

test('late port › given calls › it is opened once, by the first', async (t) => {
  const { lamp, state } = openLamp(0);
  t.is(state.opened, 0);
  t.deepEqual(await Promise.all([lamp.light('red'), lamp.light('green')]), ['red light', 'green light']);
  t.is(state.opened, 1);
});

test('late port › given a copy of it › it has every method', async (t) => {
  const { lamp } = openLamp(0);
  t.is(await { ...lamp }.light('red'), 'red light');
});

test('late port › given it was never used › closing opens nothing', async (t) => {
  const { lamp, state } = openLamp(0);
  await lamp.close();
  t.deepEqual(state, { opened: 0, closed: 0 });
});

test('late port › given it could not be opened › the next call tries again', async (t) => {
  const { lamp } = openLamp(1);
  await t.throwsAsync(lamp.light('red'), { message: 'no current' });
  t.is(await lamp.light('red'), 'red light');
});
