/** Markup as templates, and what a component gives. */
import type { ComponentChild, VNode } from 'preact';

export { html } from 'htm/preact';
/** What a component draws; null: nothing. */
export type Drawn = VNode | null;
/** What may stand between two tags. */
export type Child = ComponentChild;
