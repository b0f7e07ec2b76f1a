/** What a keeper can be told to do: each task is called as its command is. It is light, and loads no product. */

/** Where the money of a task goes, which says what its rule has to name. */
export type Flow =
  /** Out of the contract of a record, to its recipient; the wallet pays the fee. */
  | 'pushes'
  /** To the wallet: nobody else may be paid. */
  | 'takes'
  /** Out of the wallet, into the contract of a record. */
  | 'refills'
  /** A record is ended: what it holds goes to addresses that are listed. */
  | 'ends'
  /** Out of a vault, to addresses that are listed. */
  | 'sends';

type Task = { readonly flow: Flow; readonly does: string };

export const TASKS = {
  'payments claim': { flow: 'takes', does: 'takes the periods that are due' },
  'streams claim': { flow: 'takes', does: 'takes what has vested' },
  'budgets release': { flow: 'takes', does: 'takes the milestones that have fallen due' },
  'payments push': { flow: 'pushes', does: 'pays recipients the periods that are due' },
  'streams push': { flow: 'pushes', does: 'pays recipients what has vested' },
  'budgets push': { flow: 'pushes', does: 'pays recipients the milestones that have fallen due' },
  'governance unlock': { flow: 'takes', does: 'takes the tokens back that have voted' },
  'payments refill': { flow: 'refills', does: 'puts more periods in before they run out' },
  'streams refill': { flow: 'refills', does: 'puts more intervals in before they run out' },
  'rewards cancel': { flow: 'ends', does: 'ends a campaign whose end has passed, and has the rest refunded' },
  'vaults spend broadcast': { flow: 'sends', does: 'sends a spend that two signers have signed' },
} as const satisfies Record<string, Task>;

export type TaskName = keyof typeof TASKS;

export const taskNames = Object.keys(TASKS) as TaskName[];

export const flowOf = (task: TaskName): Flow => TASKS[task].flow;
