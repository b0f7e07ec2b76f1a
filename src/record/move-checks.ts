/** Who may make which move of a record, and when. */
import { TreasuryError, type ErrorCode, type ErrorDetails } from '../errors.js';

/** Who a move is for; the code `not_<role>` is said to anybody else, and says who is. */
export type Role = {
  [Code in ErrorCode]: Code extends `not_${infer Name}`
    ? Record<Name | 'caller', string> extends ErrorDetails<Code>
      ? Name
      : never
    : never;
}[ErrorCode];

/** Who may make a move, and from which statuses. */
export type MoveRule = {
  /** `anybody`: nobody signs for the covenant, and whoever asks pays the fee. */
  readonly by: Role | 'anybody';
  readonly from: readonly string[];
  /** Whoever may not take money back may not stop it either. Source: docs/design/covenants.md, rule 15. */
  readonly onlyCancelable?: true;
};

/** What is asked of a record. */
type Movable = { readonly status: string; readonly cancelable?: boolean };

type Ruled<R, Move extends string> = {
  readonly moves: Readonly<Record<Move, MoveRule>>;
  /** Parties by role, as addresses. */
  readonly parties: (record: R) => Readonly<Record<string, string>>;
};

/** The checks that stand before every move. */
export type MoveChecks<R, Move extends string> = {
  /**
   * Checks that somebody may make a move of a record now.
   *
   * @throws not_<role>, wrong_state, not_cancelable
   */
  readonly checkMove: (record: R, move: Move, caller: string) => void;
  /** The status alone. @throws wrong_state */
  readonly checkStatus: (record: R, move: Move) => void;
  /** Checks that somebody has a role. @throws not_<role> */
  readonly checkRole: (record: R, role: Role, caller: string) => void;
};

/** Who may take a step, and when. @throws not_<role>, wrong_state, not_cancelable */
export const checksOf = <R extends Movable, const Move extends string>(
  { moves, parties }: Ruled<R, Move>,
  label: (record: R) => string,
): MoveChecks<R, Move> => {
  const checkRole = (record: R, role: Role, caller: string): void => {
    const address = parties(record)[role] ?? '';
    if (address !== caller) throw new TreasuryError(`not_${role}`, { [role]: address, caller } as never);
  };
  const checkStatus = (record: R, move: Move): void => {
    const { status } = record;
    const allowed = moves[move].from;
    if (!allowed.includes(status))
      throw new TreasuryError('wrong_state', { label: label(record), status, allowed });
  };
  return {
    checkRole,
    checkStatus,
    checkMove: (record, move, caller) => {
      const { by } = moves[move];
      if (by !== 'anybody') checkRole(record, by, caller);
      checkStatus(record, move);
      if (moves[move].onlyCancelable === true && record.cancelable === false)
        throw new TreasuryError('not_cancelable', { label: label(record) });
    },
  };
};
