/** `deploy/`: the unit and the Containerfile do what they say, as far as a machine without systemd and engines shows. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { install, makeFolder, pack, serve } from './packed.js';

const UNIT = 'deploy/treasury.service';
const CONTAINERFILE = 'deploy/Containerfile';
const PASSPHRASE = 'correct horse battery staple';

/** The folder that stands for `/` in a test, and how a text of a deployment names its places there. */
const rootIn = (t: ExecutionContext) => {
  const root = makeFolder(t);
  const placed = (text: string) =>
    text
      .replaceAll(/(?<![\w.])\/(?=(?:opt|var|etc)\/)/g, `${root}/`)
      .replaceAll('%d', join(root, 'credentials'));
  return { root, placed };
};

/** Settings of a unit's section, in order; a name may stand there more than once. */
const settingsOf = (unit: string, name: string): readonly string[] =>
  unit.split('\n').flatMap((line) => (line.startsWith(`${name}=`) ? [line.slice(name.length + 1)] : []));

const pairOf = (text: string): readonly [string, string] => {
  const [name = '', ...rest] = text.split('=');
  return [name, rest.join('=')];
};

const answers = async (url: string): Promise<number> => (await fetch(`${url}/api/health/ready`)).status;

test('unit › systemd looks at it › it finds nothing to object to', (t) => {
  const { error, status, stderr } = spawnSync('systemd-analyze', ['verify', UNIT], { encoding: 'utf8' });
  if (error !== undefined) {
    t.log('there is no systemd-analyze here');
    t.regex(readFileSync(UNIT, 'utf8'), /^\[Unit\][\s\S]*^\[Service\][\s\S]*^\[Install\]/m);
    return;
  }
  t.is(stderr, '');
  t.is(status, 0);
});

test('unit › its command with its settings and its credential › it serves, and SIGTERM ends it with 0', async (t) => {
  const { root, placed } = rootIn(t);
  const unit = readFileSync(UNIT, 'utf8');
  install(pack(join(root, 'tarball')).tarball, join(root, 'opt/treasury'));

  // What systemd makes: the folders, and the service's own copy of the credential.
  const environment = Object.fromEntries(settingsOf(unit, 'Environment').map(placed).map(pairOf));
  const [mode = ''] = settingsOf(unit, 'StateDirectoryMode');
  for (const name of settingsOf(unit, 'StateDirectory')) {
    mkdirSync(join(root, 'var/lib', name), { recursive: true, mode: parseInt(mode, 8) });
  }
  const [credential = '', source = ''] = (settingsOf(unit, 'LoadCredential')[0] ?? '').split(':');
  mkdirSync(join(root, 'credentials'));
  mkdirSync(dirname(placed(source)), { recursive: true });
  writeFileSync(placed(source), PASSPHRASE, { mode: 0o600 });
  cpSync(placed(source), join(root, 'credentials', credential));
  t.is(readFileSync(environment['TREASURY_PASSPHRASE_FILE'] ?? '', 'utf8'), PASSPHRASE);

  const command = placed(settingsOf(unit, 'ExecStart')[0] ?? '').split(' ');
  const { url, stop } = await serve(t, command, {
    cwd: placed(settingsOf(unit, 'WorkingDirectory')[0] ?? ''),
    env: { PATH: process.env['PATH'] ?? '', ...environment, TREASURY_NETWORK: 'local', TREASURY_PORT: '0' },
  });
  t.is(await answers(url), 200);
  t.is(await stop(settingsOf(unit, 'KillSignal')[0] as NodeJS.Signals), 0);
  t.is(statSync(join(root, 'var/lib/treasury')).mode & 0o077, 0);
  t.true(statSync(join(root, 'var/lib/treasury/local/treasury.json')).isFile());
});

/** An instruction of a Containerfile. */
type Instruction = { readonly name: string; readonly words: string };

const instructionsOf = (text: string): readonly Instruction[] =>
  text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ name: line.split(' ')[0] ?? '', words: line.slice(line.indexOf(' ') + 1) }));

/** Runs the steps of a build in `root`; returns what a container of the image starts with. */
const build = (
  steps: readonly Instruction[],
  context: string,
  root: string,
  placed: (text: string) => string,
) => {
  const env: Record<string, string> = {
    PATH: `${join(root, 'bin')}:${process.env['PATH'] ?? ''}`,
    HOME: root,
  };
  let cwd = root;
  // The users of the image are not those of this machine.
  mkdirSync(join(root, 'bin'));
  writeFileSync(join(root, 'bin/chown'), '#!/bin/sh\n');
  chmodSync(join(root, 'bin/chown'), 0o755);
  for (const { name, words } of steps) {
    if (name === 'WORKDIR') mkdirSync((cwd = placed(words)), { recursive: true });
    if (name === 'ENV') Object.assign(env, Object.fromEntries(placed(words).split(' ').map(pairOf)));
    if (name === 'COPY')
      execFileSync('sh', ['-c', `cp ${words.replace(/ \S+$/, '')} '${cwd}/'`], { cwd: context });
    if (name === 'RUN') execFileSync('sh', ['-ec', placed(words)], { cwd, env, stdio: 'pipe' });
  }
  return { cwd, env };
};

const commandIn = (words: string): readonly string[] =>
  JSON.parse(words.slice(words.indexOf('['))) as readonly string[];

test('Containerfile › its steps one by one › the daemon serves, is healthy, and its stop signal ends it with 0', async (t) => {
  const { root, placed } = rootIn(t);
  const steps = instructionsOf(readFileSync(CONTAINERFILE, 'utf8'));
  const of = (wanted: string) => steps.filter(({ name }) => name === wanted).map(({ words }) => words);
  const known = [
    'FROM',
    'WORKDIR',
    'COPY',
    'RUN',
    'VOLUME',
    'ENV',
    'USER',
    'EXPOSE',
    'STOPSIGNAL',
    'HEALTHCHECK',
    'CMD',
  ];
  t.deepEqual(
    steps.filter(({ name }) => !known.includes(name)),
    [],
  );
  t.deepEqual(of('USER'), ['node'], 'it does not run as root');

  const context = join(root, 'context');
  const { tarball } = pack(context);
  t.regex(basename(tarball), /^bch-treasury-.*\.tgz$/);
  const { cwd, env } = build(steps, context, root, placed);
  const [port = ''] = of('EXPOSE');
  const [served] = await Promise.all([
    serve(t, commandIn(of('CMD')[0] ?? '').map(placed), {
      cwd,
      env: { ...env, TREASURY_NETWORK: 'local', TREASURY_PORT: '0' },
    }),
  ]);
  const { port: bound } = new URL(served.url);
  t.true((of('HEALTHCHECK')[0] ?? '').includes(`:${port}/`));
  const [node = '', ...check] = commandIn((of('HEALTHCHECK')[0] ?? '').replace(`:${port}/`, `:${bound}/`));
  t.is(spawnSync(node, check).status, 0, 'healthy while it serves');
  t.is(await served.stop(of('STOPSIGNAL')[0] as NodeJS.Signals), 0);
  t.is(spawnSync(node, check).status, 1, 'not healthy when it does not');
  t.is(statSync(placed('/var/lib/treasury')).mode & 0o777, 0o700);
  t.deepEqual(of('VOLUME').map(placed), [env['TREASURY_HOME']]);
});
