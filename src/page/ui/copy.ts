/** Something to be taken elsewhere: a command, an address, a link. */
import { useState } from 'preact/hooks';
import { html, type Drawn } from '../html.js';
import { say } from '../say.js';

/** Milliseconds for which it says that it was done. */
const SAID = 2_000;

/** A button that puts a text on the clipboard, and says so. */
export const Copy = ({ text, what }: { readonly text: string; readonly what: string }): Drawn => {
  const [said, setSaid] = useState<'copy.done' | 'copy.failed' | null>(null);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setSaid('copy.done');
    } catch {
      setSaid('copy.failed');
    }
    setTimeout(() => {
      setSaid(null);
    }, SAID);
  };
  return html`<button type="button" class="quiet" onClick=${() => void copy()}>
    ${said === null ? say('copy.copy') : say(said)}<span class="unseen"> ${what}</span>
    <span class="unseen" role="status">${said === null ? '' : say(said)}</span>
  </button>`;
};

/** A command for the terminal, as it is typed there. */
export const Command = ({ text }: { readonly text: string }): Drawn => {
  const command = text.startsWith('treasury ') ? text : `treasury ${text}`;
  return html`<div class="command">
    <code>${command}</code><${Copy} text=${command} what=${say('copy.command')} />
  </div>`;
};
