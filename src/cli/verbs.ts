/** What operations and actions are called on the command line. */
import type { Action, AnyOperation, CommandFace } from '../operation/define.js';

/** The face of an operation; null when it has no command. */
export const faceOf = ({ cli }: AnyOperation): CommandFace | null => (cli === false ? null : (cli ?? {}));

/** The verb of an operation: its own, or the last part of its id. */
export const verbOf = (operation: AnyOperation): string =>
  faceOf(operation)?.verb ?? operation.id.split('.').at(-1) ?? operation.id;

/** The verb that confirms an action. */
export const confirmVerb = ({ confirm }: Action): string => verbOf(confirm);
