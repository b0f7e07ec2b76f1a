/** When each of many things is next to be looked at: the earliest is found at once, however many there are. */

type Due = { readonly key: string; readonly at: number };

/** A binary heap, with the earliest first. One that has another time since is passed over when it comes up. */
export const createDueTimes = () => {
  const heap: Due[] = [];
  const times = new Map<string, number>();

  const swap = (one: number, other: number): void => {
    const [a, b] = [heap[one], heap[other]];
    if (a === undefined || b === undefined) return;
    heap[one] = b;
    heap[other] = a;
  };
  const isEarlier = (one: number, other: number): boolean =>
    (heap[one]?.at ?? Infinity) < (heap[other]?.at ?? Infinity);

  const rise = (index: number): void => {
    const parent = (index - 1) >> 1;
    if (index === 0 || !isEarlier(index, parent)) return;
    swap(index, parent);
    rise(parent);
  };
  const sink = (index: number): void => {
    const [left, right] = [2 * index + 1, 2 * index + 2];
    const child = isEarlier(right, left) ? right : left;
    if (!isEarlier(child, index)) return;
    swap(index, child);
    sink(child);
  };
  const takeFirst = (): void => {
    swap(0, heap.length - 1);
    heap.pop();
    sink(0);
  };
  /** The earliest, once those before it that have another time were dropped. */
  const first = (): Due | undefined => {
    for (let [top] = heap; top !== undefined; [top] = heap) {
      if (times.get(top.key) === top.at) return top;
      takeFirst();
    }
    return undefined;
  };

  return {
    /** Null: it is not to be looked at any more. */
    set: (key: string, at: number | null): void => {
      if (at === null) times.delete(key);
      else if (times.get(key) !== at) {
        times.set(key, at);
        heap.push({ key, at });
        rise(heap.length - 1);
      }
    },
    /** The earliest time; null when there is none. */
    next: (): number | null => first()?.at ?? null,
    /** Takes out what is due, earliest first, at most so many. */
    take: (now: number, count: number): readonly string[] => {
      const taken: string[] = [];
      for (let due = first(); taken.length < count && due !== undefined && due.at <= now; due = first()) {
        taken.push(due.key);
        times.delete(due.key);
      }
      return taken;
    },
    size: () => times.size,
  };
};
