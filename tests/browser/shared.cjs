// What the suites in a real browser share: the browser and pages whose errors
// are collected, the REST API beside them, the sign-in, and what must hold on
// every page.

const assert = require('node:assert/strict');
const { createHmac } = require('node:crypto');
const { after, before } = require('node:test');
const { chromium } = require('playwright-core');
const axe = require('axe-core').source;

const url = process.env.TENON_URL;
const password = process.env.TENON_ROOT_PASSWORD;
// The password of everybody whom a suite makes.
const SECRET = 'correct horse battery';
// Part of the names of this run, so that it can be repeated against one server.
const run = Date.now().toString(36);
// A phone's and a desk's, in pixels.
const WIDTHS = [360, 1440];
const SCHEMES = ['light', 'dark'];
// A picture of one pixel.
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const RULES = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] };
const COLOURS = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

// What the browser is started with; a suite adds to it. Pages live for a second: to
// compile their scripts into faster code takes longer than it saves.
const flags = ['--no-sandbox', '--disable-gpu', '--js-flags=--no-maglev,--no-turbofan'];

let browser;
// What a browser keeps of root's sign-in: one serves all tests of a suite.
let session;

before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: flags,
  });
  // Suites sign in more often than one person would.
  await api('PUT', '/application/settings', { sign_in_limit_per_minute: 1000 });
});

after(() => browser.close());

// Asks the REST API, as root if nobody else's token is given; a text is sent as
// it is, anything else as JSON.
async function api(method, path, body, token = process.env.TENON_TOKEN) {
  const answer = await fetch(`${url}/api/v4${path}`, {
    method,
    headers: { 'PRIVATE-TOKEN': token, 'Content-Type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
  return text && JSON.parse(text);
}

// Makes somebody who can sign in.
const person = (username, name) =>
  api('POST', '/users', {
    username,
    name,
    email: `${username}@example.com`,
    password: SECRET,
    skip_confirmation: true,
  });

// A page whose errors are collected, with violations of the policy and with
// what asks other servers. Nothing moves, so that colours are the last ones.
async function open(options) {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
    ...options,
  });
  const page = await context.newPage();
  const problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`${page.url()}: ${message.text()}`);
    if (message.text().startsWith('violation')) problems.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(`${url}/`) && !/^(data|blob):/.test(request.url())) {
      problems.push(`asks elsewhere: ${request.url()}`);
    }
  });
  await page.addInitScript(() =>
    document.addEventListener('securitypolicyviolation', (event) =>
      console.log('violation', event.violatedDirective, event.blockedURI),
    ),
  );
  return { context, page, problems };
}

// Fills the form of the sign-in; a second step may follow.
async function enter(page, name, secret = SECRET) {
  await page.goto(`${url}/users/sign_in?again=true`);
  await page.getByLabel('User name or e-mail').fill(name);
  await page.getByLabel('Password').fill(secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function signIn(page, name = 'root', secret = password) {
  await enter(page, name, secret);
  await page.waitForURL((now) => !now.pathname.includes('sign_in'));
}

// A page of root, who is signed in.
async function signedIn(options) {
  const opened = await open({ storageState: session, ...options });
  if (!session) {
    await signIn(opened.page);
    session = await opened.context.storageState();
  }
  return opened;
}

// Waits for the message of what was done.
const said = (page, text) => page.getByRole('status').filter({ hasText: text }).waitFor();

// The rules of accessibility that a page breaks, except within `foreign`, a
// selector of what is not ours.
async function barriers(page, foreign, rules = RULES) {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  const found = await page.evaluate(
    ([within, runOnly]) =>
      window.axe.run(within ? { exclude: [[within]] } : document, {
        runOnly,
        resultTypes: ['violations'],
      }),
    [foreign, rules],
  );
  return found.violations.map(
    (rule) => `${rule.id}: ${rule.nodes.map((node) => node.html).join(' | ')}`,
  );
}

// What must hold on every page: it fits its window, has one heading of its own
// and a label for every field, and keeps nobody out.
async function check(page, what, rules = RULES) {
  const seen = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    widest: [...document.querySelectorAll('main *')]
      .filter((one) => one.getBoundingClientRect().right > document.documentElement.clientWidth)
      .map((one) => `${one.localName}.${one.className}`)
      .at(-1),
    headings: document.querySelectorAll('h1').length,
    nameless: [...document.querySelectorAll('input:not([type=hidden]), select, textarea')]
      .filter((field) => !field.labels?.length && !field.getAttribute('aria-label'))
      .map((field) => field.outerHTML),
    scheme: matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light',
  }));
  const where = `${what} at ${page.viewportSize().width} pixels, ${seen.scheme}`;
  assert.ok(seen.wide <= 0, `${where}: ${seen.wide} pixels too wide, ${seen.widest}`);
  assert.equal(seen.headings, 1, `${where}: one h1`);
  assert.deepEqual(seen.nameless, [], `${where}: every field has a label`);
  assert.deepEqual(await barriers(page, null, rules), [], `${where}: accessible`);
}

// The same in light and in dark, at a phone's width and a desk's. Another scheme has
// other colours and nothing else, so that of all rules only theirs are asked again.
async function checkAll(page, what, { schemes = SCHEMES, widths = WIDTHS } = {}) {
  for (const [nth, colorScheme] of schemes.entries()) {
    await page.emulateMedia({ colorScheme });
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      await check(page, what, nth === 0 ? RULES : COLOURS);
    }
  }
}

// Goes to each of these pages of this server and checks it in all those ways.
async function visit(page, paths, ways) {
  for (const path of paths) {
    const answer = await page.goto(url + path);
    assert.equal(answer.status(), 200, path);
    await checkAll(page, path, ways);
  }
}

// Whether the focus is seen: `shown`, `end` of the page, or what has it unseen.
// It has an outline, and nothing stands before it.
const focus = (page) =>
  page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return 'end';
    const style = getComputedStyle(element);
    const outlined = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0;
    const { left, top, right, bottom } = element.getClientRects()[0] ?? new DOMRect();
    const [x0, y0] = [Math.max(left, 0), Math.max(top, 0)];
    const [x1, y1] = [Math.min(right, innerWidth), Math.min(bottom, innerHeight)];
    if (!outlined || x1 <= x0 || y1 <= y0) return `unseen: ${element.outerHTML}`;
    const above = document.elementFromPoint((x0 + x1) / 2, (y0 + y1) / 2);
    const free = element.contains(above) || above?.contains(element);
    return free ? 'shown' : `${above?.outerHTML} hides ${element.outerHTML}`;
  });

// Every element that Tab reaches shows that it has the focus.
async function checkFocus(page, what) {
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to content');
  for (let step = 0; step < 60; step += 1) {
    await page.keyboard.press('Tab');
    const seen = await focus(page);
    if (seen === 'end') return;
    assert.equal(seen, 'shown', `${what}: the focus is visible`);
  }
}

// The code that an app with this secret shows at a time in seconds (RFC 6238).
function code(secret, seconds) {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...secret.replaceAll(' ', '')]
    .map((letter) => letters.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(seconds / 30)));
  const hash = createHmac('sha1', key).update(step).digest();
  const number = hash.readUInt32BE(hash[19] & 15) & 0x7fffffff;
  return String(number % 1e6).padStart(6, '0');
}

module.exports = {
  PNG,
  SCHEMES,
  SECRET,
  WIDTHS,
  api,
  barriers,
  check,
  checkAll,
  checkFocus,
  code,
  enter,
  flags,
  focus,
  open,
  password,
  person,
  run,
  said,
  signIn,
  signedIn,
  url,
  visit,
};
