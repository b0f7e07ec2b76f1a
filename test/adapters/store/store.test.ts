/** What every store does. What is of files alone stands in `json-store.test.ts`. */
import type { StorePort, StoreWriter } from '../../../src/operation/ports/store.js';
import { onEachStore } from './each-store.js';
import { entriesOf, events } from './events.js';
import { idsOf, note, notes } from './notes.js';

onEachStore('store › given nothing › there is nothing in it', async (t, place) => {
  const store = await place.open();
  t.is(await store.get(notes, 'a'), null);
  t.deepEqual(await store.find(notes), { items: [], total: 0 });
});

onEachStore('transaction › it returns what the change returns', async (t, place) => {
  const store = await place.open();
  t.is(await store.transaction(() => 7), 7);
});

onEachStore('transaction › given a put › the record is read decoded', async (t, place) => {
  const store = await place.open();
  const big = 9_007_199_254_740_993n;
  await store.transaction((writer) => {
    writer.put(notes, note('a', { amount: big }));
  });
  t.is((await store.get(notes, 'a'))?.amount, big);
});

onEachStore(
  'transaction › inside the change › reads see what was put and removed before them',
  async (t, place) => {
    const store = await place.open();
    await store.transaction(async (writer) => {
      writer.put(notes, note('a'));
      writer.put(notes, note('b'));
      writer.remove(notes, 'a');
      t.is(await writer.get(notes, 'a'), null);
      t.deepEqual(idsOf(await writer.find(notes, { where: { status: 'OPEN' } })), ['b']);
    });
  },
);

onEachStore(
  'transaction › given records put by the caller › changing them later changes nothing in the store',
  async (t, place) => {
    const store = await place.open();
    const mine = note('a', { tags: ['one'] });
    await store.transaction((writer) => {
      writer.put(notes, mine);
    });
    mine.tags.push('two');
    t.deepEqual((await store.get(notes, 'a'))?.tags, ['one']);
  },
);

onEachStore('store › a record that is read › is frozen to its depth', async (t, place) => {
  const store = await place.open();
  await store.transaction((writer) => {
    writer.put(notes, note('a', { tags: ['one'] }));
  });
  await t.throwsAsync(async () => (await store.get(notes, 'a'))?.tags.push('two'), { instanceOf: TypeError });
});

onEachStore(
  'transaction › given one that throws among others at the same time › the others happen',
  async (t, place) => {
    const store = await place.open();
    const put = (id: string, fails: boolean) =>
      store.transaction((writer) => {
        writer.put(notes, note(id));
        if (fails) throw new Error('no');
      });
    const results = await Promise.allSettled([put('a', false), put('b', true), put('c', false)]);
    t.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    t.deepEqual(idsOf(await store.find(notes, { order: 'oldest' })), ['a', 'c']);
  },
);

onEachStore(
  'transaction › given many at the same time › each has a number of its own, and none is left out',
  async (t, place) => {
    const store = await place.open();
    const numbers = await Promise.all(
      Array.from({ length: 20 }, () => store.transaction((writer) => writer.next('label'))),
    );
    t.deepEqual(
      numbers.toSorted((a, b) => a - b),
      Array.from({ length: 20 }, (_, index) => index + 1),
    );
  },
);

onEachStore(
  'transaction › given a unique value that another record has › it is store_conflict and nothing of it happened',
  async (t, place) => {
    const store = await place.open();
    const put = (id: string, label: string) =>
      store.transaction((writer) => {
        writer.put(notes, note(`beside-${id}`));
        writer.put(notes, note(id, { label }));
      });
    await put('a', 'one');
    await put('a', 'one');
    await t.throwsAsync(put('b', 'one'), { code: 'store_conflict', message: /notes label "one"/ });
    t.is(await store.get(notes, 'beside-b'), null);
    await store.transaction((writer) => {
      writer.remove(notes, 'a');
      writer.put(notes, note('b', { label: 'one' }));
    });
    await put('a', 'two');
    t.deepEqual(idsOf(await store.find(notes, { where: { label: 'one' } })), ['b']);
  },
);

onEachStore('transaction › given a writer used after its change › it refuses', async (t, place) => {
  const store = await place.open();
  const kept: StoreWriter[] = [];
  await store.transaction((writer) => kept.push(writer));
  t.throws(() => kept[0]?.put(notes, note('late')), { message: /is over/ });
  t.is(await store.get(notes, 'late'), null);
});

onEachStore(
  'transaction › given a record that does not validate › an ordinary error names collection, id and issue',
  async (t, place) => {
    const store = await place.open();
    const refused = store.transaction((writer) => {
      writer.put(notes, note('a', { status: 'LOST' as 'OPEN' }));
    });
    await t.throwsAsync(refused, { name: 'Error', message: /^notes "a" cannot be stored: status: / });
    t.is(await store.get(notes, 'a'), null);
  },
);

onEachStore('counters › they begin at 1 and each has its own numbers', async (t, place) => {
  const store = await place.open();
  const drawn = await store.transaction(async (writer) => [
    await writer.next('a'),
    await writer.next('a'),
    await writer.next('b'),
  ]);
  t.deepEqual(drawn, [1, 2, 1]);
});

onEachStore('store › close › given transactions that still run › they are on disk', async (t, place) => {
  const store = await place.open();
  const running = store.transaction((writer) => {
    writer.put(notes, note('a'));
  });
  await store.close();
  await running;
  t.is((await (await place.open()).get(notes, 'a'))?.id, 'a');
});

onEachStore('store › after close › transactions are refused', async (t, place) => {
  const store = await place.open();
  await store.close();
  await t.throwsAsync(
    store.transaction(() => 1),
    { message: /is closed/ },
  );
});

onEachStore(
  'transaction › given a change that throws › what it changed and removed is as it was',
  async (t, place) => {
    const store = await place.open();
    await store.transaction((writer) => {
      writer.put(notes, note('kept', { tags: ['x'] }));
    });
    const refused = store.transaction(async (writer) => {
      writer.put(notes, note('new'));
      writer.put(notes, note('kept', { status: 'DONE', tags: ['y'] }));
      t.is((await writer.find(notes, { where: { tag: 'y' } })).total, 1);
      writer.remove(notes, 'kept');
      throw new Error('no');
    });
    await t.throwsAsync(refused, { message: 'no' });
    t.deepEqual((await store.find(notes, { where: { tag: 'x', status: 'OPEN' } })).items, [
      note('kept', { tags: ['x'] }),
    ]);
    t.is((await store.find(notes)).total, 1);
    t.is((await store.find(notes, { where: { tag: 'y' } })).total, 0);
  },
);

onEachStore(
  'store › opened again › it holds the same records, order, counters and entries',
  async (t, place) => {
    const first = await place.open();
    await first.transaction(async (writer) => {
      for (const id of ['c', 'a', 'b']) writer.put(notes, note(id, { amount: 10n ** 20n }));
      await writer.next('label');
      writer.append(events, { id: 'e' });
    });
    await first.transaction((writer) => {
      writer.put(notes, note('c', { status: 'DONE' }));
      writer.remove(notes, 'b');
    });
    await first.close();
    const second = await place.open();
    t.deepEqual((await second.find(notes, { order: 'oldest' })).items, [
      note('c', { status: 'DONE' }),
      note('a', { amount: 10n ** 20n }),
    ]);
    t.is(await second.transaction((writer) => writer.next('label')), 2);
    t.deepEqual(await entriesOf(second), ['1 e']);
  },
);

onEachStore('counters › given a least number › they pass it, and go on from there', async (t, place) => {
  const store = await place.open();
  const drawn = await store.transaction(async (writer) => [
    await writer.next('a', 7),
    await writer.next('a'),
    await writer.next('a', 3),
  ]);
  t.deepEqual(drawn, [7, 8, 9]);
});

onEachStore(
  'store › a record that is read again › is the same one until somebody changes it',
  async (t, place) => {
    const [store, other] = [await place.open(), await place.open()];
    await store.transaction((writer) => {
      writer.put(notes, note('a'));
    });
    const read = await store.get(notes, 'a');
    t.true((await store.get(notes, 'a')) === read);
    t.true((await store.find(notes)).items[0] === read);
    await other.transaction((writer) => {
      writer.put(notes, note('a', { amount: 2n }));
    });
    await store.refresh();
    t.false((await store.get(notes, 'a')) === read);
  },
);

onEachStore(
  'two stores of one place › given changes of the same record at the same time › each runs on what the other left',
  async (t, place) => {
    const stores = [await place.open(), await place.open()];
    await stores[0]?.transaction((writer) => {
      writer.put(notes, note('sum', { amount: 0n }));
    });
    const add = (store: StorePort) =>
      store.transaction(async (writer) => {
        const amount = (await writer.get(notes, 'sum'))?.amount ?? 0n;
        writer.put(notes, note('sum', { amount: amount + 1n }));
      });
    for (let round = 0; round < 5; round += 1) await Promise.all(stores.map(add));
    t.is((await stores[1]?.get(notes, 'sum'))?.amount, 10n);
  },
);

onEachStore(
  'two stores of one place › given the same unique value at the same time › one has it, the other is store_conflict',
  async (t, place) => {
    const stores = [await place.open(), await place.open()];
    const results = await Promise.allSettled(
      stores.map((store, index) =>
        store.transaction((writer) => {
          writer.put(notes, note(`n${index}`, { label: 'one' }));
        }),
      ),
    );
    const refused = results.filter((result) => result.status === 'rejected');
    t.is(refused.length, 1);
    t.is(
      String(refused[0]?.reason),
      'TreasuryError: notes label "one" changed while this was being worked out: try again.',
    );
    t.is((await stores[0]?.find(notes))?.total, 1);
  },
);

onEachStore(
  'put › given texts that not every database can hold › they are read and found as they were',
  async (t, place) => {
    const store = await place.open();
    const odd = ['a\0b', '\ud800', 'x\udfff', '\ufffe0000', 'ü€😀', '"\\u0000"', 'long '.repeat(2_000)];
    await store.transaction((writer) => {
      for (const text of odd) writer.put(notes, note(text, { owner: text, tags: [text] }));
    });
    for (const text of odd) {
      t.deepEqual<unknown, unknown>(await store.get(notes, text), note(text, { owner: text, tags: [text] }));
      t.deepEqual(idsOf(await store.find(notes, { where: { owner: text, tag: text } })), [text]);
    }
  },
);

onEachStore(
  'put › given many values under an index that is not declared for them › it is a defect',
  async (t, place) => {
    const store = await place.open();
    const loose = { ...notes, many: [] };
    const refused = store.transaction((writer) => {
      writer.put(loose, note('a', { tags: ['red', 'blue'] }));
    });
    await t.throwsAsync(refused, { message: /not declared to stand under many values of "tag"/ });
  },
);

onEachStore('time › it is now, in milliseconds', async (t, place) => {
  const store = await place.open();
  t.true(Math.abs((await store.time()) - Date.now()) < 60_000);
  t.is(store.isShared, place.kind === 'PostgreSQL');
  await store.probe();
});
