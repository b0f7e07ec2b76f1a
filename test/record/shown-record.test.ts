import test from 'ava';
import { lastMade } from '../../src/record/shown-record.js';

type Thing = { readonly id: string; readonly amount: bigint };

const frozen = (thing: Thing): Thing => Object.freeze({ ...thing });

/** How often something was made, and what makes it. */
const counted = () => {
  let made = 0;
  const show = lastMade(({ id, amount }: Thing, now: number, latest: object | null) => {
    made += 1;
    return { id, amount, now, latest };
  });
  return { show, made: () => made };
};

test('what a record is shown as › on the same grounds › it is made once', (t) => {
  const { show, made } = counted();
  const [thing, event] = [frozen({ id: 'a', amount: 1n }), Object.freeze({})];
  const first = show(thing, 5, event);
  t.is(show(thing, 5, event), first);
  t.is(made(), 1);
  t.true(Object.isFrozen(first));
});

test('what a record is shown as › on another ground, and on the first again › it is made anew each time', (t) => {
  const { show, made } = counted();
  const [thing, event] = [frozen({ id: 'a', amount: 1n }), Object.freeze({})];
  t.is(show(thing, 5, event).now, 5);
  t.is(show(thing, 6, event).now, 6);
  t.is(show(thing, 5, null).latest, null);
  t.is(show(thing, 5, event).now, 5);
  t.is(made(), 4);
});

test('what a record is shown as › once it has changed › it is made of what it is now', (t) => {
  const { show } = counted();
  t.is(show(frozen({ id: 'a', amount: 1n }), 5, null).amount, 1n);
  t.is(show(frozen({ id: 'a', amount: 2n }), 5, null).amount, 2n);
});

test('what a record is shown as › of one that can still be changed › nothing is kept', (t) => {
  const { show, made } = counted();
  const thing = { id: 'a', amount: 1n };
  t.is(show(thing, 5, null).amount, 1n);
  thing.amount = 2n;
  t.is(show(thing, 5, null).amount, 2n);
  t.is(made(), 2);
});
