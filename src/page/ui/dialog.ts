/** A dialog of the browser's own: it keeps the focus, and Escape closes it. */
import { useEffect, useRef } from 'preact/hooks';
import { html, type Child, type Drawn } from '../html.js';
import { say } from '../say.js';
import { HEADING } from './heading.js';

type Asked = {
  readonly title: string;
  readonly onClose: () => void;
  readonly children?: Child;
};

/** An open dialog; two may be, one over the other. Whatever had the focus has it again afterwards. */
export const Dialog = ({ title, onClose, children }: Asked): Drawn => {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    const opened = dialog.current;
    opened?.showModal();
    return () => {
      // Nothing outside can have the focus while it is open.
      opened?.close();
      const place =
        before instanceof HTMLElement && before.isConnected ? before : document.getElementById(HEADING);
      place?.focus({ preventScroll: true });
    };
  }, []);
  return html`<dialog
    ref=${dialog}
    aria-label=${title}
    onCancel=${(event: Event) => {
      event.preventDefault();
      onClose();
    }}
  >
    <div class="dialog-head">
      <h2>${title}</h2>
      <button type="button" class="quiet" onClick=${onClose}>${say('dialog.close')}</button>
    </div>
    ${children}
  </dialog>`;
};
