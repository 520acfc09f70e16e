// @sentry/browser in Chromium, unmodified: a page of another origin reports to the server.

const assert = require('node:assert/strict');
const { readFileSync } = require('node:fs');
const { createServer } = require('node:http');
const { dirname, join } = require('node:path');
const { after, before, test } = require('node:test');
const { chromium } = require('playwright-core');
const { api, url } = require('./server.cjs');

// The SDK and what it imports, each with the folder and entry of its modules.
const PACKAGES = [
  '@sentry/browser',
  '@sentry/core',
  '@sentry-internal/browser-utils',
  '@sentry-internal/feedback',
  '@sentry-internal/replay',
  '@sentry-internal/replay-canvas',
].map((name) => {
  const manifest = require.resolve(`${name}/package.json`);
  return { name, folder: dirname(manifest), entry: JSON.parse(readFileSync(manifest)).module };
});

// A shop whose page goes wrong in some ways, with the SDK as the browser loads it.
function shop(dsn) {
  const imports = PACKAGES.map(({ name, entry }) => [name, `/modules/${name}/${entry}`]);
  return `<!doctype html><meta charset="utf-8"><title>Shop</title>
<script type="importmap">${JSON.stringify({ imports: Object.fromEntries(imports) })}</script>
<script type="module">
import * as Sentry from '@sentry/browser';
Sentry.init({ dsn: ${JSON.stringify(dsn)}, release: '1.4.2', environment: 'shop', debug: true });
Sentry.setUser({ id: '7' });
function sell() {
  throw new TypeError('no anvils', { cause: new Error('the forge is cold') });
}
try { sell(); } catch (error) { Sentry.captureException(error); }
Sentry.captureMessage('the fire is out', 'warning');
setTimeout(() => { throw new RangeError('uncaught'); });
setTimeout(async () => { document.title = await Sentry.flush(30_000) ? 'sent' : 'lost'; }, 100);
</script>`;
}

let browser;
let server;
let origin;
let page;

before(async () => {
  server = createServer((asked, answer) => {
    const { pathname, searchParams } = new URL(asked.url, 'http://shop');
    const found = PACKAGES.find(({ name }) => pathname.startsWith(`/modules/${name}/`));
    try {
      const [type, body] = found
        ? ['text/javascript', readFileSync(join(found.folder, pathname.slice(`/modules/${found.name}/`.length)))]
        : ['text/html', shop(searchParams.get('dsn'))];
      answer.setHeader('content-type', type).end(body);
    } catch {
      answer.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${server.address().port}`;
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu'],
  });
});

after(async () => {
  await browser.close();
  server.closeAllConnections();
  server.close();
});

async function tracker() {
  const { id } = await api('POST', '/projects', { name: `shop-${process.pid}` });
  await api('PUT', `/projects/${id}/error_tracking/settings`, { active: true, integrated: true });
  const key = await api('POST', `/projects/${id}/error_tracking/client_keys`);
  return { id, key: key.public_key, dsn: key.tracker_dsn };
}

test('@sentry/browser', async () => {
  const { id, key, dsn } = await tracker();
  page = await browser.newPage();
  const problems = [];
  page.on('console', (message) => {
    if (['warning', 'error'].includes(message.type())) problems.push(message.text());
  });
  page.on('requestfailed', (request) => problems.push(`${request.url()}: ${request.failure().errorText}`));

  await page.goto(`${origin}/?dsn=${encodeURIComponent(dsn)}`);
  await page.waitForFunction(() => ['sent', 'lost'].includes(document.title));

  assert.equal(await page.title(), 'sent', problems.join('\n'));
  assert.deepEqual(problems, []);
  const errors = await api('GET', `/projects/${id}/error_tracking/errors`);
  const found = new Map(errors.map((error) => [error.name, error]));
  assert.deepEqual([...found.keys()].sort(), ['Log Message', 'RangeError', 'TypeError']);
  for (const [name, description, level] of [
    ['TypeError', 'no anvils', 'error'],
    ['RangeError', 'uncaught', 'error'],
    ['Log Message', 'the fire is out', 'warning'],
  ]) {
    const error = found.get(name);
    assert.deepEqual([error.description, error.level, error.events_count], [description, level, 1], name);
    assert.deepEqual([error.platform, error.last_release], ['javascript', '1.4.2'], name);
    assert.equal(error.users_count, 1, name);
  }

  // What needs a preflight works as well, and the page may read the answer.
  const there = `${url}/api/v4/error_tracking/collector/api/${id}/envelope/`;
  const read = await page.evaluate(async ([there, key]) => {
    const headers = { 'X-Sentry-Auth': `Sentry sentry_key=${key}`, 'Content-Type': 'application/x-sentry-envelope' };
    const wrong = await fetch(there, { method: 'POST', headers: { ...headers, 'X-Sentry-Auth': 'Sentry sentry_key=x' }, body: '{}' });
    const right = await fetch(there, { method: 'POST', headers, body: '{}' });
    return [right.status, await right.json(), wrong.status, wrong.headers.get('X-Sentry-Error') !== null];
  }, [there, key]);
  assert.deepEqual(read, [200, {}, 404, true]);
});
