// @cyclonedx/cyclonedx-npm and cargo-cyclonedx, unmodified, list what this project has; the
// lists go in and come out again, and @cyclonedx/cyclonedx-library finds them valid.

const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { test } = require('node:test');
const { Spec, Validation } = require('@cyclonedx/cyclonedx-library');
const { PackageURL } = require('packageurl-js');

const { TENON_URL, TENON_TOKEN } = process.env;
const OWN = { 'private-token': TENON_TOKEN, 'content-type': 'application/json' };

async function api(method, target, body) {
  const url = target.startsWith('http') ? target : `${TENON_URL}/api/v4${target}`;
  const reply = await fetch(url, { method, headers: OWN, body });
  const text = await reply.text();
  assert(reply.ok, `${method} ${target} answered ${reply.status}: ${text}`);
  return { status: reply.status, text, json: () => JSON.parse(text) };
}

async function until(ask, isEnough) {
  for (let turn = 0; turn < 600; turn += 1) {
    const found = await ask();
    if (isEnough(found)) return found;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error('it does not come to an end');
}

async function project(name) {
  return (await api('POST', '/projects', JSON.stringify({ name }))).json().id;
}

async function send(id, bom) {
  const sent = (await api('POST', `/projects/${id}/sboms`, bom)).json();
  const told = await until(
    async () => (await api('GET', `/projects/${id}/sboms/${sent.token}`)).json(),
    (it) => !it.processing,
  );
  assert(told.finished && !told.failed, JSON.stringify(told));
}

async function exported(id, type) {
  const asked = JSON.stringify({ export_type: type });
  const made = (await api('POST', `/projects/${id}/dependency_list_exports`, asked)).json();
  const told = await until(() => api('GET', made.self), (it) => it.status === 200);
  return (await api('GET', told.json().download)).text;
}

async function valid(text, version) {
  const wrong = await new Validation.JsonStrictValidator(version).validate(text);
  assert.equal(wrong, null, JSON.stringify(wrong));
  return JSON.parse(text);
}

// All components, also those that stand within others.
function components(bom) {
  const all = [];
  const waiting = [...(bom.components ?? [])];
  while (waiting.length > 0) {
    const one = waiting.shift();
    all.push(one);
    waiting.push(...(one.components ?? []));
  }
  return all;
}

// One package URL and one expression are written in several ways.
const purl = (one) => one.purl && PackageURL.fromString(one.purl).toString();
const license = (it) => (it.expression ?? it.license.id ?? it.license.name).replace(/\s+/g, ' ');

// What must not be lost: by package URL versions, digests, licences and relations. A package
// that stands at several places is one.
function essence(bom) {
  const all = components(bom);
  const purls = new Map(all.map((one) => [one['bom-ref'], purl(one)]));
  const known = new Map();
  for (const one of all) {
    const facts = known.get(purl(one)) ?? { version: one.version, hashes: new Set(), licenses: new Set(), below: new Set() };
    for (const it of one.hashes ?? []) facts.hashes.add(`${it.alg} ${it.content}`);
    for (const it of one.licenses ?? []) facts.licenses.add(license(it));
    known.set(purl(one), facts);
  }
  for (const { ref, dependsOn = [] } of bom.dependencies ?? []) {
    const below = known.get(purls.get(ref))?.below;
    for (const to of dependsOn) if (purls.get(to)) below?.add(purls.get(to));
  }
  const sorted = (set) => [...set].sort();
  const row = ([name, it]) => [name, it.version, sorted(it.hashes), sorted(it.licenses), sorted(it.below)];
  return [...known].map(row).map((it) => JSON.stringify(it)).sort();
}

async function comesBack(name, bom, version) {
  const before = await valid(bom, version);
  const id = await project(name);
  await send(id, bom);
  const after = await valid(await exported(id, 'cyclonedx_1_6_json'), Spec.Version.v1dot6);
  assert.deepEqual(essence(after), essence(before));
  return before;
}

for (const [text, version] of [['1.4', Spec.Version.v1dot4], ['1.5', Spec.Version.v1dot5], ['1.6', Spec.Version.v1dot6]]) {
  test(`what npm installed comes back as it was listed in ${text}`, async () => {
    const listed = path.resolve('tests/clients/package.json');
    const program = path.join(path.dirname(require.resolve('@cyclonedx/cyclonedx-npm')), 'bin/cyclonedx-npm-cli.js');
    const options = ['--spec-version', text, '--output-format', 'JSON', '--package-lock-only', '--output-file', '-'];
    const bom = execFileSync(process.execPath, [program, ...options, listed], {
      encoding: 'utf8', maxBuffer: 1 << 28,
    });
    const before = await comesBack(`npm-${text.replace('.', '-')}`, bom, version);
    assert(before.components.length > 50, 'it lists what is installed');
  });
}

// The workspace without what was built of it: the program writes beside each manifest.
function copied() {
  const to = fs.mkdtempSync(path.join(os.tmpdir(), 'tenon-sbom-'));
  const left = new Set(['.git', 'target', 'node_modules', 'tests', 'docs']);
  fs.cpSync('.', to, { recursive: true, filter: (from) => !left.has(path.basename(from)) || from.includes('crates') });
  return to;
}

for (const [text, version] of [['1.4', Spec.Version.v1dot4], ['1.5', Spec.Version.v1dot5]]) {
  test(`what cargo built comes back as it was listed in ${text}`, async () => {
    const place = copied();
    try {
      const program = path.join(process.env.CARGO_TOOLS, 'cargo-cyclonedx');
      const options = ['--manifest-path', 'crates/tenon/Cargo.toml', '--format', 'json', '--spec-version', text];
      execFileSync(program, ['cyclonedx', ...options, '--override-filename', 'list'], { cwd: place });
      const bom = fs.readFileSync(path.join(place, 'crates/tenon/list.json'), 'utf8');
      const before = await comesBack(`cargo-${text.replace('.', '-')}`, bom, version);
      assert(before.components.length > 500, 'it lists what is built');
    } finally {
      fs.rmSync(place, { recursive: true });
    }
  });
}
