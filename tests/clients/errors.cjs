// @sentry/node and raven, unmodified: what they report is grouped and shown.

const assert = require('node:assert/strict');
const { execFile } = require('node:child_process');
const { mkdtempSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { after, test } = require('node:test');
const { promisify } = require('node:util');
const { api, url } = require('./server.cjs');

const modules = join(__dirname, 'node_modules');
let count = 0;

// A project that receives errors.
async function tracker() {
  count += 1;
  const { id } = await api('POST', '/projects', { name: `kiln-${process.pid}-${count}` });
  await api('PUT', `/projects/${id}/error_tracking/settings`, { active: true, integrated: true });
  const key = await api('POST', `/projects/${id}/error_tracking/client_keys`);
  const errors = () => api('GET', `/projects/${id}/error_tracking/errors`);
  return { id, dsn: key.tracker_dsn, errors };
}

// Runs a program that reports; what it prints.
async function report(program, dsn) {
  const script = join(mkdtempSync(join(tmpdir(), 'tenon-errors-')), 'kiln.cjs');
  writeFileSync(script, program);
  const node = promisify(execFile);
  const environment = { ...process.env, NODE_PATH: process.env.NODE_PATH ?? modules };
  const { stdout, stderr } = await node(process.execPath, [script, dsn], {
    env: environment,
    timeout: 120_000,
  });
  return stdout + stderr;
}

const SENTRY = `
const Sentry = require('@sentry/node');
Sentry.init({ dsn: process.argv[2], release: '1.4.2', debug: true });
Sentry.setUser({ id: '7' });
function fire() {
  const error = new TypeError('1600 degrees');
  error.cause = new Error('no thermometer');
  throw error;
}
try { fire(); } catch (error) { Sentry.captureException(error); }
Sentry.captureMessage('the fire is out', 'warning');
Sentry.withScope((scope) => {
  scope.addAttachment({ filename: 'log.txt', data: 'x'.repeat(200_000) });
  Sentry.captureException(new RangeError('too hot'));
});
Sentry.flush(30_000).then((done) => process.exit(done ? 0 : 1));
`;

test('@sentry/node', async () => {
  const here = await tracker();
  const printed = await report(SENTRY, here.dsn);
  assert.doesNotMatch(printed, /\[(warn|error)\]/, printed);
  const found = new Map((await here.errors()).map((error) => [error.name, error]));
  assert.deepEqual([...found.keys()].sort(), ['Log Message', 'RangeError', 'TypeError']);
  const raised = found.get('TypeError');
  assert.equal(raised.description, '1600 degrees');
  assert.deepEqual([raised.events_count, raised.users_count], [1, 1]);
  assert.deepEqual([raised.platform, raised.last_release], ['node', '1.4.2']);
  assert.equal(found.get('Log Message').level, 'warning');
});

const RAVEN = `
const Raven = require('raven');
Raven.config(process.argv[2], { release: '1.4.2' }).install();
Raven.captureException(new TypeError('1600 degrees'), (error) => process.exit(error ? 1 : 0));
`;

test('raven', async () => {
  const here = await tracker();
  await report(RAVEN, here.dsn);
  const found = await here.errors();
  assert.deepEqual(found.map((error) => [error.name, error.last_release]), [['TypeError', '1.4.2']]);
});

after(() => assert.ok(url));
