/** The page: draws what its address says. */
import { render } from 'preact';
import { App } from './app.js';
import { html } from './html.js';
import { drawPlainText } from './plain-text.js';
import { restorePhone } from './phone.js';
import { language } from './say.js';
import { learnService } from './daemon-facts.js';

const place = document.getElementById('page');
if (place !== null) {
  drawPlainText();
  document.documentElement.lang = language;
  render(html`<${App} />`, place);
  void learnService().then(restorePhone);
}
