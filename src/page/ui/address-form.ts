/** Reading for an address that is typed: to look, not to sign. */
import { useId, useRef, useState } from 'preact/hooks';
import { get } from '../api.js';
import { failureOf, type PageFailure } from '../failure.js';
import { html, type Drawn } from '../html.js';
import { say } from '../say.js';
import { readAs, useService, withPrefix } from '../who.js';
import { Failed } from './states.js';

/** Reads for an address, once the daemon has said that it is one of this network. */
const takeAddress = async (typed: string, network: string): Promise<void> => {
  const address = withPrefix(typed, network);
  await get(`/api/streams?limit=1&recipient=${encodeURIComponent(address)}`);
  readAs(address);
};

/** Asks for an address to read for. @param onDone called once it is taken */
export const AddressForm = ({ onDone }: { readonly onDone: () => void }): Drawn => {
  const id = useId();
  const facts = useService();
  const [failure, setFailure] = useState<PageFailure | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const typed = field.current?.value ?? '';
    setBusy(true);
    setFailure(null);
    try {
      await takeAddress(typed, facts?.network ?? '');
      onDone();
    } catch (error) {
      setFailure(failureOf(error));
    }
    setBusy(false);
  };
  return html`<form onSubmit=${(event: SubmitEvent) => void submit(event)} aria-busy=${isBusy}>
    <label for=${id}>${say('who.address')}</label>
    <p class="soft" id=${`${id}-about`}>${say('who.address-about')}</p>
    <input
      ref=${field}
      id=${id}
      name="address"
      type="text"
      required
      autocomplete="off"
      autocapitalize="none"
      spellcheck=${false}
      aria-describedby=${`${id}-about`}
      aria-invalid=${failure !== null}
      placeholder=${`${withPrefix('q', facts?.network ?? '')}…`}
    />
    ${failure !== null && html`<${Failed} failure=${failure} />`}
    <button type="submit" disabled=${isBusy}>${say('who.show')}</button>
  </form>`;
};
