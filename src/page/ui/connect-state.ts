/** Whether the dialog in which a reader says who they are is open. */
import { cell } from '../state.js';

export const connectOpen = cell(false);

/** Opens the dialog. */
export const openConnect = (): void => {
  connectOpen.set(true);
};
