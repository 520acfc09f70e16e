// npm, pnpm, yarn 1 and yarn 4, unmodified, publish to private projects and install from them.

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const url = process.env.TENON_URL;
const modules = process.env.NODE_PATH;
const root = process.env.TENON_TOKEN;
const programs = {
  npm: path.join(modules, 'npm/bin/npm-cli.js'),
  pnpm: path.join(modules, 'pnpm/bin/pnpm.cjs'),
  yarn1: path.join(modules, 'yarn/bin/yarn.js'),
  yarn4: path.join(modules, '@yarnpkg/cli-dist/bin/yarn.js'),
};

let made = 0;

async function api(method, where, body) {
  const reply = await fetch(`${url}/api/v4${where}`, {
    method,
    headers: { 'private-token': root, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  assert.ok(reply.ok, `${method} ${where}: ${reply.status} ${await reply.clone().text()}`);
  return reply.status === 204 ? undefined : reply.json();
}

// A private project in a group whose name is the scope of its packages.
async function newProject() {
  made += 1;
  const scope = `acme${made}`;
  const group = await api('POST', '/groups', { name: scope, path: scope });
  const body = { name: 'parts', path: 'parts', namespace_id: group.id };
  const project = await api('POST', '/projects', body);
  const registry = `${url}/api/v4/projects/${project.id}/packages/npm/`;
  return { scope, group, project, registry };
}

async function deployToken(project, scopes) {
  const token = await api('POST', `/projects/${project.id}/deploy_tokens`, { name: 'd', scopes });
  return token.token;
}

// A folder with the settings every manager here reads, and a home of its own.
function folder({ registry, token, only }) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'tenon-npm-'));
  const lines = [`${only ? `@${only}:` : ''}registry=${registry}`, 'fund=false', 'update-notifier=false'];
  if (only) lines.push(`registry=${url}/api/v4/packages/npm/`);
  if (token) lines.push(`${registry.replace(/^http:/, '')}:_authToken=${token}`);
  fs.writeFileSync(path.join(dir, '.npmrc'), `${lines.join('\n')}\n`);
  const yaml = [
    `npmRegistryServer: "${registry}"`,
    'unsafeHttpWhitelist: ["127.0.0.1", "localhost"]',
    'enableTelemetry: false',
    'enableGlobalCache: false',
    'nodeLinker: node-modules',
    'enableImmutableInstalls: false',
    // What is installed here was published a moment ago.
    'npmMinimalAgeGate: 0',
    'npmAlwaysAuth: true',
  ];
  if (token) yaml.push(`npmAuthToken: "${token}"`);
  fs.writeFileSync(path.join(dir, '.yarnrc.yml'), `${yaml.join('\n')}\n`);
  return dir;
}

function write(dir, manifest, text = 'module.exports = 1;\n') {
  fs.writeFileSync(path.join(dir, 'package.json'), JSON.stringify(manifest));
  fs.writeFileSync(path.join(dir, 'index.js'), text);
}

// Runs a manager in a folder with an empty cache; all that it prints.
function run(program, dir, args, { fails = false } = {}) {
  const { stdout, stderr } = outcome(program, dir, args, fails);
  return `${stdout}${stderr}`;
}

// What a manager answers a question with.
function answer(program, dir, args) {
  return outcome(program, dir, args, false).stdout.trim();
}

function outcome(program, dir, args, fails) {
  const cache = fs.mkdtempSync(path.join(os.tmpdir(), 'tenon-npm-cache-'));
  const inherited = Object.entries(process.env).filter(([name]) => !/^(npm|yarn|pnpm|node)_/i.test(name));
  const env = {
    ...Object.fromEntries(inherited),
    HOME: cache,
    XDG_CACHE_HOME: cache,
    XDG_CONFIG_HOME: cache,
    XDG_DATA_HOME: cache,
    XDG_STATE_HOME: cache,
    npm_config_cache: path.join(cache, 'npm'),
    YARN_CACHE_FOLDER: path.join(cache, 'yarn'),
    COREPACK_ENABLE_STRICT: '0',
    CI: '1',
    NO_COLOR: '1',
  };
  const done = spawnSync(process.execPath, [programs[program], ...args], { cwd: dir, env, encoding: 'utf8', timeout: 300_000 });
  fs.rmSync(cache, { recursive: true, force: true });
  const label = `${program} ${args.join(' ')}: status ${done.status}\n${done.stdout}${done.stderr}`;
  assert.equal(done.status !== 0, fails, label);
  return done;
}

function publish(program, place, manifest, args) {
  const dir = folder(place);
  write(dir, manifest, `module.exports = ${JSON.stringify(manifest.version)};\n`);
  if (program === 'yarn4') run(program, dir, ['install']);
  return { dir, said: (options) => run(program, dir, args, options) };
}

// Installs by what package.json says, then again by the lockfile alone with an empty cache.
function install(program, place, name, { first, again, lockfile }) {
  const dir = folder(place);
  write(dir, { name: 'consumer', version: '1.0.0', private: true, dependencies: { [name]: '^1.0.0' } });
  run(program, dir, first);
  const installed = path.join(dir, 'node_modules', name, 'package.json');
  const { version } = JSON.parse(fs.readFileSync(installed, 'utf8'));
  assert.ok(fs.existsSync(path.join(dir, lockfile)), `${program} wrote ${lockfile}`);
  fs.rmSync(path.join(dir, 'node_modules'), { recursive: true });
  fs.rmSync(path.join(dir, '.yarn'), { recursive: true, force: true });
  run(program, dir, again);
  assert.equal(JSON.parse(fs.readFileSync(installed, 'utf8')).version, version);
  return { dir, version };
}

const NPM = { first: ['install'], again: ['ci'], lockfile: 'package-lock.json' };
const PNPM = { first: ['install', '--no-frozen-lockfile'], again: ['install', '--frozen-lockfile'], lockfile: 'pnpm-lock.yaml' };
const YARN1 = { first: ['install'], again: ['install', '--frozen-lockfile'], lockfile: 'yarn.lock' };
const YARN4 = { first: ['install'], again: ['install', '--immutable'], lockfile: 'yarn.lock' };

test('npm publishes once, tags, deprecates, looks up and unpublishes', async () => {
  const place = { ...(await newProject()), token: root };
  const name = `@${place.scope}/hammer`;
  const nail = publish('npm', place, { name: `@${place.scope}/nail`, version: '1.0.0' }, ['publish']);
  nail.said();
  const manifest = {
    name,
    version: '1.0.0',
    description: 'Drives nails',
    bin: { hammer: 'index.js' },
    dependencies: { [`@${place.scope}/nail`]: '1.0.0' },
  };
  const first = publish('npm', place, manifest, ['publish']);
  first.said();
  assert.match(first.said({ fails: true }), /403|previously published/);
  const { dir, said } = publish('npm', place, { ...manifest, version: '1.1.0' }, ['publish']);
  said();

  assert.equal(answer('npm', dir, ['view', name, 'version']), '1.1.0');
  const times = JSON.parse(answer('npm', dir, ['view', name, 'time', '--json']));
  assert.deepEqual(Object.keys(times).sort(), ['1.0.0', '1.1.0', 'created', 'modified']);
  run('npm', dir, ['dist-tag', 'add', `${name}@1.0.0`, 'stable']);
  assert.match(run('npm', dir, ['dist-tag', 'ls', name]), /latest: 1\.1\.0\nstable: 1\.0\.0/);
  run('npm', dir, ['dist-tag', 'rm', name, 'stable']);
  assert.doesNotMatch(run('npm', dir, ['dist-tag', 'ls', name]), /stable/);
  run('npm', dir, ['deprecate', `${name}@1.0.0`, 'use 1.1']);
  assert.match(run('npm', dir, ['view', `${name}@1.0.0`, 'deprecated']), /use 1\.1/);
  assert.equal(answer('npm', dir, ['whoami']), 'root');
  run('npm', dir, ['ping']);
  assert.match(run('npm', dir, ['search', 'hammer']), /Drives nails/);

  const installed = install('npm', place, name, NPM);
  assert.equal(installed.version, '1.1.0');
  const lock = JSON.parse(fs.readFileSync(path.join(installed.dir, 'package-lock.json'), 'utf8'));
  assert.match(lock.packages[`node_modules/${name}`].integrity, /^sha512-/);
  assert.ok(fs.existsSync(path.join(installed.dir, 'node_modules/.bin/hammer')));
  assert.match(run('npm', installed.dir, ['audit']), /found 0 vulnerabilities/);
  const group = `${url}/api/v4/groups/${place.group.id}/-/packages/npm/`;
  const auth = `${place.registry.replace(/^http:/, '')}:_authToken=${root}\n`;
  const below = folder({ registry: group, token: root });
  fs.appendFileSync(path.join(below, '.npmrc'), auth);
  write(below, { name: 'consumer', version: '1.0.0', dependencies: { [name]: '1.0.0' } });
  assert.match(run('npm', below, ['install']), /use 1\.1/);

  run('npm', dir, ['unpublish', `${name}@1.1.0`]);
  assert.equal(answer('npm', dir, ['view', name, 'version']), '1.0.0');
  run('npm', dir, ['unpublish', name, '--force']);
  assert.match(run('npm', dir, ['view', name], { fails: true }), /E404/);
});

test('pnpm publishes and installs', async () => {
  const place = { ...(await newProject()), token: root };
  const name = `@${place.scope}/hammer`;
  const args = ['publish', '--no-git-checks'];
  const { dir, said } = publish('pnpm', place, { name, version: '1.0.0' }, args);
  said();
  assert.match(said({ fails: true }), /403|previously published/);
  assert.match(run('pnpm', dir, ['view', name, 'version']), /1\.0\.0/);
  const installed = install('pnpm', place, name, PNPM);
  run('pnpm', installed.dir, ['audit']);
  const young = folder(place);
  write(young, { name: 'consumer', version: '1.0.0', dependencies: { [name]: '^1.0.0' } });
  fs.writeFileSync(path.join(young, 'pnpm-workspace.yaml'), 'packages: []\nminimumReleaseAge: 600\n');
  const refused = run('pnpm', young, ['install', '--no-frozen-lockfile'], { fails: true });
  assert.match(refused, /minimumReleaseAge|NO_MATURE|NO_MATCHING/i);
});

test('yarn 1 publishes, tags and installs', async () => {
  const place = { ...(await newProject()), token: root };
  const name = `@${place.scope}/hammer`;
  const args = ['publish', '--non-interactive', '--new-version'];
  const { dir, said } = publish('yarn1', place, { name, version: '1.0.0' }, [...args, '1.0.0']);
  said();
  said({ fails: true });
  run('yarn1', dir, [...args, '1.1.0']);
  run('yarn1', dir, ['tag', 'add', `${name}@1.0.0`, 'stable']);
  assert.match(run('yarn1', dir, ['tag', 'list', name]), /stable: 1\.0\.0/);
  run('yarn1', dir, ['tag', 'remove', name, 'stable']);
  assert.match(run('yarn1', dir, ['info', name, 'version']), /1\.1\.0/);
  const installed = install('yarn1', place, name, YARN1);
  assert.equal(installed.version, '1.1.0');
  // Its audits go to one registry of its own, whatever is set.
});

test('yarn 4 publishes, tags and installs', async () => {
  const place = { ...(await newProject()), token: root };
  const name = `@${place.scope}/hammer`;
  const { dir, said } = publish('yarn4', place, { name, version: '1.0.0' }, ['npm', 'publish']);
  said();
  said({ fails: true });
  run('yarn4', dir, ['npm', 'tag', 'add', `${name}@1.0.0`, 'stable']);
  assert.match(run('yarn4', dir, ['npm', 'tag', 'list', name]), /stable/);
  run('yarn4', dir, ['npm', 'tag', 'remove', name, 'stable']);
  assert.match(run('yarn4', dir, ['npm', 'whoami']), /root/);
  assert.match(run('yarn4', dir, ['npm', 'info', name, '--fields', 'version']), /1\.0\.0/);
  const installed = install('yarn4', place, name, YARN4);
  run('yarn4', installed.dir, ['npm', 'audit', '--all']);
});

test('a private project opens to its tokens only', async () => {
  const place = await newProject();
  const name = `@${place.scope}/hammer`;
  publish('npm', { ...place, token: root }, { name, version: '1.0.0' }, ['publish']).said();
  const reads = await deployToken(place.project, ['read_package_registry']);
  const writes = await deployToken(place.project, ['write_package_registry']);
  const other = await deployToken((await newProject()).project, ['read_package_registry']);
  const refused = (token) => {
    const dir = folder({ ...place, token });
    write(dir, { name: 'consumer', version: '1.0.0', dependencies: { [name]: '1.0.0' } });
    return run('npm', dir, ['install'], { fails: true });
  };

  assert.match(refused(undefined), /E401/);
  assert.match(refused('wrong'), /E401/);
  assert.match(refused(other), /E404/);
  for (const [program, how] of [['npm', NPM], ['pnpm', PNPM], ['yarn1', YARN1], ['yarn4', YARN4]]) {
    // Settings for one scope only, as people have who use a public registry beside.
    const only = program === 'yarn4' ? undefined : place.scope;
    assert.equal(install(program, { ...place, only, token: reads }, name, how).version, '1.0.0');
  }
  publish('npm', { ...place, token: reads }, { name, version: '1.1.0' }, ['publish']).said({ fails: true });
  publish('npm', { ...place, token: writes }, { name, version: '1.1.0' }, ['publish']).said();
  publish('yarn4', { ...place, token: writes }, { name, version: '1.2.0' }, ['npm', 'publish']).said();
});
