/** What colours mean, as at the terminal: they repeat what the words say. */
import { html, type Drawn } from '../html.js';
import type { Tone } from '../replies.js';

const WORDS: Readonly<Record<Tone, string>> = {
  green:
    'active funded locked passed operational verified ok good paid released confirmed safe match works claimable',
  yellow: 'pending ready due releasable degraded unfunded seen waits',
  cyan: 'paused maintenance',
  red: 'damaged gone mismatch mismatched outage fail failed refused rejected lost',
  dim: 'completed cancelled spent unlocked returned expired unknown said ended executed',
};

const TONES = new Map(
  Object.entries(WORDS).flatMap(([tone, words]) =>
    words.split(' ').map((word) => [word, tone as Tone] as const),
  ),
);

/** The colour of a state by its first word; undefined: none. */
export const toneOf = (state: string): Tone | undefined =>
  TONES.get(/[a-z]+/.exec(state.toLowerCase())?.[0] ?? '');

/** A state in one word. */
export const Pill = ({ state }: { readonly state: string }): Drawn =>
  html`<span class="pill" data-tone=${toneOf(state)}>${state}</span>`;
