/** `deploy/cluster`: its files are well-formed, and what they name of the program is there. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { parse } from 'yaml';
import { openDatabase } from '../../src/app.js';
import { settingNames, variableOf } from '../../src/settings/settings.js';
import { whyNoPostgres } from '../acceptance/postgres-world.js';
import { ownServer, runSql } from '../postgres/server.js';
import { makeFolder } from './packed.js';

const FOLDER = 'deploy/cluster';
const files = readdirSync(FOLDER);
const read = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');

/** Without comments: what is only said need not be there. */
const textOf = (file: string): string => read(file).replaceAll(/^\s*#.*$/gm, '');

type Service = {
  readonly image: string;
  readonly user?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly secrets?: readonly string[];
  readonly networks?: readonly string[];
  readonly volumes?: readonly string[];
  readonly depends_on?: readonly string[] | Readonly<Record<string, unknown>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly command?: readonly string[];
};
type Compose = Readonly<
  Record<'secrets' | 'networks' | 'volumes', Readonly<Record<string, { readonly file?: string } | null>>>
> & {
  readonly services: Readonly<Record<string, Service>>;
};

const compose = parse(read('compose.yaml'), { merge: true }) as Compose;
const services = Object.entries(compose.services);

test('deploy/cluster › every setting that its files name is one of the program', (t) => {
  const own = new Set([
    ...settingNames.map((name) => variableOf(name)),
    // The Caddyfile's own.
    'TREASURY_DAEMONS',
  ]);
  const named = files.flatMap((file) => textOf(file).match(/\bTREASURY_[A-Z_]+/g) ?? []);
  t.true(named.length > 10);
  t.deepEqual(
    named.filter((name) => !own.has(name)),
    [],
  );
});

test('deploy/cluster › every command in its files is one of the program', (t) => {
  const inUnits = files.flatMap((file) =>
    [...textOf(file).matchAll(/^ExecStart=.*bin\/treasury\.js (.*)$/gm)].map(([, words = '']) =>
      words.split(' '),
    ),
  );
  const inCompose = services.flatMap(([, { command }]) => (command === undefined ? [] : [command.slice(2)]));
  t.deepEqual([...inUnits, ...inCompose].map((words) => words.join(' ')).toSorted(), [
    'database migrate',
    'database migrate',
    'serve --port %i',
  ]);
  for (const words of [...inUnits, ...inCompose]) {
    const { status, stderr } = spawnSync(process.execPath, ['bin/treasury.js', ...words, '--help'], {
      encoding: 'utf8',
    });
    t.is(status, 0, `${words.join(' ')}: ${stderr}`);
  }
});

test('deploy/cluster › systemd looks at the units › it finds nothing to object to', (t) => {
  const units = files.filter((file) => /\.(?:service|target)$/.test(file)).map((file) => `./${file}`);
  t.is(units.length, 3);
  const { error, status, stderr } = spawnSync('systemd-analyze', ['verify', ...units], {
    cwd: FOLDER,
    encoding: 'utf8',
  });
  if (error !== undefined) {
    t.log('there is no systemd-analyze here');
    for (const unit of units) t.regex(read(unit), /^\[Unit\]/m);
    return;
  }
  t.is(stderr, '');
  t.is(status, 0);
});

test('deploy/cluster › units › each secret is a credential, and nobody runs as root', (t) => {
  for (const file of files.filter((one) => one.endsWith('.service'))) {
    const unit = read(file);
    const loaded = [...unit.matchAll(/^LoadCredential=([\w-]+):/gm)].map(([, name]) => name);
    const used = [...unit.matchAll(/^Environment=TREASURY_\w+_FILE=%d\/([\w-]+)$/gm)].map(([, name]) => name);
    t.deepEqual(used, loaded, file);
    t.true(loaded.length > 0, file);
    t.regex(unit, /^User=treasury$/m, file);
    t.regex(unit, /^NoNewPrivileges=yes$/m, file);
  }
  t.regex(read('treasury.target'), /(?:treasury@\d+\.service ?){3}/);
});

test('deploy/cluster › compose › what a service names is declared, and nobody runs as root', (t) => {
  t.deepEqual(Object.keys(compose.services), [
    'postgres',
    'migrate',
    'daemon-1',
    'daemon-2',
    'daemon-3',
    'balancer',
  ]);
  const homes = new Set<string>();
  for (const [name, service] of services) {
    t.not(service.user ?? 'root', 'root', name);
    t.deepEqual(service.cap_drop, ['ALL'], name);
    t.deepEqual(service.security_opt, ['no-new-privileges:true'], name);
    for (const secret of service.secrets ?? []) t.true(secret in compose.secrets, `${name}: ${secret}`);
    for (const network of service.networks ?? []) t.true(network in compose.networks, `${name}: ${network}`);
    const needed = service.depends_on ?? [];
    for (const other of Array.isArray(needed) ? needed : Object.keys(needed))
      t.true(other in compose.services, `${name}: ${String(other)}`);
    for (const volume of service.volumes ?? []) {
      const [from = ''] = volume.split(':');
      if (from.startsWith('./')) t.true(files.includes(from.slice(2)), `${name}: ${from}`);
      else t.true(from in compose.volumes, `${name}: ${from}`);
      if (name.startsWith('daemon')) homes.add(from);
    }
    // A secret that a variable names is mounted.
    for (const [variable, value] of Object.entries(service.environment ?? {})) {
      const secret = /^\/run\/secrets\/(.*)$/.exec(value)?.[1];
      if (secret !== undefined) t.true(service.secrets?.includes(secret), `${name}: ${variable}`);
      else t.notRegex(variable, /PASSWORD|SECRET|PASSPHRASE|DATABASE_URL/, name);
    }
  }
  t.is(homes.size, 3, 'each daemon has a home of its own');
  for (const { file } of Object.values(compose.secrets).filter((secret) => secret !== null))
    t.regex(file ?? '', /^\.\/secrets\//);
});

test('deploy/cluster › Caddyfile › it asks a route that is there, and lets nobody name themselves', (t) => {
  const caddyfile = textOf('Caddyfile');
  const path = /health_uri (\S+)/.exec(caddyfile)?.[1] ?? '';
  t.true(readFileSync('docs/reference/routes.md', 'utf8').includes(`| GET    | \`${path}\` `));
  t.regex(caddyfile, /header_up -X-User-Address/);
  const daemons = compose.services['balancer']?.environment?.['TREASURY_DAEMONS']?.split(' ') ?? [];
  t.deepEqual(
    daemons,
    Object.keys(compose.services)
      .filter((name) => name.startsWith('daemon'))
      .map((name) => `${name}:4280`),
  );
  t.is(caddyfile.split('{').length, caddyfile.split('}').length);
});

const onPostgres = whyNoPostgres === null ? test : test.skip;
const HAS_PSQL = spawnSync('psql', ['--version']).error === undefined;

onPostgres(
  'deploy/cluster › roles.sh › a daemon reads and writes what the owner has made, and makes no table',
  async (t) => {
    if (!HAS_PSQL) {
      t.log('there is no psql here');
      t.pass();
      return;
    }
    const { url } = await ownServer(t);
    await runSql(url, 'create role treasury_owner login superuser');
    await runSql(url, 'create database treasury owner treasury_owner');
    const as = (role: string): string => {
      const named = new URL(url);
      named.username = role;
      named.pathname = '/treasury';
      return named.href;
    };
    const password = join(makeFolder(t), 'password');
    writeFileSync(password, "it's a password");
    const { hostname, port } = new URL(url);
    execFileSync('sh', [join(FOLDER, 'roles.sh')], {
      env: {
        ...process.env,
        PGHOST: hostname,
        PGPORT: port,
        POSTGRES_USER: 'treasury_owner',
        POSTGRES_DB: 'treasury',
        DAEMON_PASSWORD_FILE: password,
      },
    });
    const owner = await openDatabase({ url: as('treasury_owner'), connections: 2 }, 'local');
    await owner.migrate();
    await owner.close();
    const env = {
      ...process.env,
      TREASURY_HOME: makeFolder(t),
      TREASURY_DATABASE_URL: as('treasury_daemon'),
    };
    const treasury = (...words: string[]) =>
      execFileSync(process.execPath, ['bin/treasury.js', ...words, '--json'], { env, encoding: 'utf8' });
    treasury('init', '--yes');
    treasury('contacts', 'add', 'erin', 'bchtest:qz5yl0ntjmcxpytr4zunvn6wfk55axpp0c7ps0uclu');
    t.regex(treasury('contacts', 'list'), /erin/);
    t.regex(treasury('database', 'status'), /"isReady": true/);
    await t.throwsAsync(runSql(as('treasury_daemon'), 'create table treasury_local.mine (id text)'), {
      message: /permission denied/,
    });
  },
);
