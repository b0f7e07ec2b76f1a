/** A payment's schedule as text: one sign for each period, and the next of them as rows. */

/** What the drawing needs to know of a payment. */
export type Drawn = {
  readonly payment_count: number;
  readonly due_periods: number;
  readonly claimable_periods: number;
  readonly funded_periods: number;
  /** Null: open-ended. */
  readonly total_periods: number | null;
  readonly next_payment_date: number | null;
  readonly intervalSeconds: number;
};

const SIGNS = [
  { sign: '#', state: 'paid' },
  { sign: '!', state: 'due' },
  { sign: '?', state: 'due, not funded' },
  { sign: '=', state: 'funded' },
  { sign: '.', state: 'not funded' },
] as const;

/** How many periods are in each state, in the order of {@link SIGNS}. */
const countStates = (drawn: Drawn): readonly number[] => {
  const {
    payment_count: paid,
    due_periods: due,
    claimable_periods: claimable,
    funded_periods: funded,
  } = drawn;
  const unfunded = due - claimable;
  const ahead = funded - claimable;
  const rest = Math.max((drawn.total_periods ?? 0) - paid - due - ahead, 0);
  return [paid, claimable, unfunded, ahead, rest];
};

/** No state takes more signs than this: the legend says how many there are. */
const WIDEST = 24;

/**
 * `[###!!=====...]` and its legend. A state of many periods is cut in the middle of its signs with `~`; an open term
 * ends with `>`.
 */
export const drawSchedule = (drawn: Drawn): string => {
  const counts = countStates(drawn);
  const cells = SIGNS.map(({ sign }, index) => {
    const count = counts[index] ?? 0;
    return count <= WIDEST ? sign.repeat(count) : `${sign.repeat(WIDEST / 2)}~${sign.repeat(WIDEST / 2)}`;
  });
  const legend = SIGNS.flatMap(({ sign, state }, index) =>
    counts[index] === 0 ? [] : [`${sign} ${state} (${counts[index] ?? 0})`],
  );
  return [`[${cells.join('')}${drawn.total_periods === null ? '>' : ']'}`, ...legend].join('  ');
};

const SHOWN_PERIODS = 12;

/** The next periods that were not paid yet, at most twelve: their number, when they fall due, and what they are. */
export const periodsAhead = (
  drawn: Drawn,
): readonly { readonly number: number; readonly due: number; readonly state: string }[] => {
  const { payment_count: paid, next_payment_date: nextDue, intervalSeconds } = drawn;
  if (nextDue === null) return [];
  const states = countStates(drawn).flatMap((count, index) =>
    index === 0 ? [] : Array<string>(Math.min(count, SHOWN_PERIODS)).fill(SIGNS[index]?.state ?? ''),
  );
  return states.slice(0, SHOWN_PERIODS).map((state, index) => ({
    number: paid + index + 1,
    due: nextDue + index * intervalSeconds,
    state,
  }));
};
