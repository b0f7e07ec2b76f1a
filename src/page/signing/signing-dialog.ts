/** The dialog of a step: what is to be signed, the phone, what came of it. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { html, type Drawn } from '../html.js';
import { say, type WordKey } from '../say.js';
import { useCell } from '../state.js';
import { Command } from '../ui/copy.js';
import { Dialog } from '../ui/dialog.js';
import { PairPhone } from '../ui/pair-phone.js';
import { Note } from '../ui/states.js';
import { useService, useWho, wallet } from '../who.js';
import { portsOf } from './ports.js';
import { beginStep, resumeStep } from './run-step.js';
import { taken, type Taken } from './signing-state.js';
import { StageView } from './stage-view.js';
import type { Stage, Step } from './step.js';

/** What is said of a stage to whoever does not see it. */
const SAID: Readonly<Record<Stage['kind'], WordKey>> = {
  building: 'sign.building',
  review: 'sign.review',
  waiting: 'sign.waiting',
  sending: 'sign.sending',
  confirming: 'sign.confirming',
  done: 'sign.done',
  nothing: 'sign.nothing',
  failed: 'sign.failed',
};

const BUSY: readonly Stage['kind'][] = ['building', 'waiting', 'sending', 'confirming'];

/** For whoever signs elsewhere. */
const Elsewhere = ({ command }: { readonly command: string }): Drawn =>
  html`<details class="terminal">
    <summary>${say('sign.elsewhere')}</summary>
    <p class="soft">${say('terminal.about')}</p>
    <${Command} text=${command} />
  </details>`;

/** True where somebody else than whoever reads has to sign it. */
const isOtherSigner = ({ signer }: Step, address: string | null): boolean =>
  signer !== undefined && address !== null && signer !== address;

/** Says who can sign it, to whoever cannot. */
const OtherSigner = ({ step, address }: { readonly step: Step; readonly address: string }): Drawn =>
  html`<${Note} tone="bad">
    <p>${say('sign.other-signer')}</p>
    <p><code>${step.signer}</code></p>
    <p>${say('sign.you-are')}</p>
    <p><code>${address}</code></p>
  </${Note}>`;

/** The stage of a step, from its beginning on. It begins anew when another account is connected. */
const useStage = ({ step, purpose }: Taken): Stage | null => {
  const { address } = useWho();
  const [stage, setStage] = useState<Stage | null>(null);
  const begunAs = useRef<string | null>(null);
  const isOther = isOtherSigner(step, address);
  useEffect(() => {
    if (address === null || isOther || begunAs.current === address) return;
    begunAs.current = address;
    const ports = portsOf(setStage);
    void (purpose === null ? beginStep(step, ports) : resumeStep(purpose, ports));
  }, [address, isOther, step, purpose]);
  return isOther ? null : stage;
};

/** Where a button with the focus goes away with its stage, the focus stays in the dialog. */
const useFocusKept = (kind: Stage['kind'] | undefined) => {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (document.activeElement === document.body) place.current?.focus();
  }, [kind]);
  return place;
};

const Steps = ({ one, onClose }: { readonly one: Taken; readonly onClose: () => void }): Drawn => {
  const { step, onDone } = one;
  const { address, session } = useWho();
  const hasPhones = (useService()?.page ?? null) !== null;
  const stage = useStage(one);
  const isDone = stage?.kind === 'done';
  useEffect(() => {
    if (isDone) onDone();
  }, [isDone, onDone]);
  const place = useFocusKept(stage?.kind);
  const needsPhone = session === null && (stage === null || stage.kind === 'review');
  const isBusy = stage !== null && BUSY.includes(stage.kind);
  return html`<div class="stack" tabindex="-1" ref=${place} aria-busy=${isBusy}>
    <p class="unseen" role="status">${stage === null ? '' : say(SAID[stage.kind])}</p>
    ${stage !== null && html`<${StageView} stage=${stage} canSign=${session !== null} onClose=${onClose} />`}
    ${isOtherSigner(step, address) && html`<${OtherSigner} step=${step} address=${address} />`}
    ${
      needsPhone &&
      html`<section>
        <h3>${say(hasPhones ? 'sign.connect' : 'sign.no-phones')}</h3>
        ${hasPhones && html`<${PairPhone} onDone=${() => undefined} />`}
      </section>`
    }
    ${!isDone && html`<${Elsewhere} command=${step.command} />`}
  </div>`;
};

/** The dialog, while a step is taken. */
export const SigningDialog = (): Drawn => {
  const one = useCell(taken);
  if (one === null) return null;
  const close = (): void => {
    wallet.get()?.cancel();
    taken.set(null);
  };
  return html`<${Dialog} title=${one.step.title} onClose=${close}>
    <${Steps} one=${one} onClose=${close} />
  </${Dialog}>`;
};
