/** The processes of this machine, as far as one has to know of another whether it still runs. */

/** A process, as others of its machine know it. */
export type ProcessName = {
  readonly pid: number;
  /** Start time in clock ticks since boot; null where the system does not tell. Source: proc(5), field 22 of stat. */
  readonly startTicks: string | null;
  /** Changes with every boot; null where the system does not tell. */
  readonly bootId: string | null;
};

export type ProcessesPort = {
  /** The process that asks. */
  readonly self: () => ProcessName;
  /** True when a process does not run any more. */
  readonly isGone: (name: ProcessName) => boolean;
};
