/** The page: draws what its address says. */
import { html } from 'htm/preact';
import { render } from 'preact';

const place = document.getElementById('page');
if (place !== null) render(html`<main><h1>Treasury</h1></main>`, place);
