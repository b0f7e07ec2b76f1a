/** The pictures are read back by another library than the one that drew them. */
import test from 'ava';
import readQr from 'jsqr';
import { alice, erin } from '../../fixtures/people.js';
import { drawQr } from '../../src/cli/draw-qr.js';
import { createVault } from '../products/vaults/vault.js';
import { openTreasury } from '../treasury.js';
import { runOn } from './real-environment.js';

const ALICE = alice.address('local').text;
const PIXELS = 4;

/** The two modules of a half block, from above: true is light. */
const MODULES: Readonly<Record<string, readonly [boolean, boolean]>> = {
  '█': [true, true],
  '▀': [true, false],
  '▄': [false, true],
  ' ': [false, false],
};

/** What a picture of half blocks says. */
const decode = (picture: string): string | undefined => {
  const lines = picture.split('\n');
  const rows = lines.flatMap((line) => {
    const columns = Array.from(line).map((block) => MODULES[block] ?? [false, false]);
    return [columns.map(([upper]) => upper), columns.map(([, lower]) => lower)];
  });
  const size = Math.max(...rows.map(({ length }) => length));
  const width = size * PIXELS;
  const pixels = new Uint8ClampedArray(width * width * 4).fill(255);
  for (const [y, row] of rows.slice(0, size).entries()) {
    for (const [x, isLight] of row.entries()) {
      if (isLight) continue;
      for (let pixel = 0; pixel < PIXELS * PIXELS; pixel += 1) {
        const [dx, dy] = [pixel % PIXELS, Math.floor(pixel / PIXELS)];
        pixels.fill(
          0,
          ((y * PIXELS + dy) * width + x * PIXELS + dx) * 4,
          ((y * PIXELS + dy) * width + x * PIXELS + dx) * 4 + 3,
        );
      }
    }
  }
  return readQr.default(pixels, width, width)?.data;
};

/** The half blocks of an output. */
const pictureIn = (text: string): string =>
  text
    .split('\n')
    .filter((line) => /^[█▀▄ ]{20,}$/.test(line))
    .join('\n');

test('QR code › of an address › is the address in upper case', (t) => {
  t.is(decode(drawQr(ALICE, (_paint, text) => text)), ALICE.toUpperCase());
});

test('QR code › on a terminal › has its own colours in every line', (t) => {
  const picture = drawQr(ALICE, (paint, text) => `<${paint}>${text}`);
  t.true(picture.split('\n').every((line) => line.startsWith('<picture>')));
});

test('wallet address --qr › the address stands first, then its picture', async (t) => {
  const { stdout } = await runOn(await openTreasury(t), ['wallet', 'address', 'alice', '--qr']);
  t.is(stdout.split('\n')[0], ALICE);
  t.is(decode(pictureIn(stdout)), ALICE.toUpperCase());
});

test('wallet address › without --qr, or with --json › there is no picture', async (t) => {
  const treasury = await openTreasury(t);
  t.is((await runOn(treasury, ['wallet', 'address', 'alice'])).stdout, `${ALICE}\n`);
  const { stdout } = await runOn(treasury, ['wallet', 'address', 'alice', '--qr', '--json']);
  t.like(JSON.parse(stdout), { address: ALICE });
});

test('vaults show --qr › the picture is that of its contract', async (t) => {
  const treasury = await openTreasury(t);
  const { id, address } = await createVault(treasury);
  const { stdout } = await runOn(treasury, ['vaults', 'show', id, '--wallet', 'alice', '--qr']);
  t.is(decode(pictureIn(stdout)), address.toUpperCase());
});

test('insufficient_funds › with --qr › the picture of the address to fund is on stderr', async (t) => {
  const treasury = await openTreasury(t);
  const to = erin.address('local').text;
  const words = ['wallet', 'send', '--wallet', 'alice', '--to', to, '--amount', '1', '--yes', '--qr'];
  const { exit, stdout, stderr } = await runOn(treasury, words);
  t.is(exit, 5);
  t.is(stdout, '');
  t.is(decode(pictureIn(stderr)), ALICE.toUpperCase());
});

test('--qr › where no address is to be paid › it says so', async (t) => {
  const { exit, stderr } = await runOn(await openTreasury(t), ['tokens', 'list', '--qr']);
  t.is(exit, 0);
  t.regex(stderr, /no address to be paid/);
});
