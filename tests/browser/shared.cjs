// What the suites in a real browser share: the browser, pages whose errors are
// collected, the sign-in with its second step, and the look for what keeps people out.

const { createHmac } = require('node:crypto');
const { after, before } = require('node:test');
const { chromium } = require('playwright-core');
const axe = require('axe-core').source;

const url = process.env.TENON_URL;
const password = process.env.TENON_ROOT_PASSWORD;

// What the browser is started with; a suite adds to it.
const flags = ['--no-sandbox', '--disable-gpu'];

let browser;

before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: flags,
  });
});

after(() => browser.close());

// A page whose errors are collected.
async function open(options) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  const problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`${page.url()}: ${message.text()}`);
  });
  return { context, page, problems };
}

// The same, with violations of the policy and with what asks other servers.
async function openWatched(options) {
  const opened = await open(options);
  const { page, problems } = opened;
  page.on('console', (message) => {
    if (message.text().startsWith('violation')) problems.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(`${url}/`) && !request.url().startsWith('data:')) {
      problems.push(`asks elsewhere: ${request.url()}`);
    }
  });
  await page.addInitScript(() =>
    document.addEventListener('securitypolicyviolation', (event) =>
      console.log('violation', event.violatedDirective, event.blockedURI),
    ),
  );
  return opened;
}

async function signIn(page, name = 'root', secret = password) {
  await page.goto(`${url}/users/sign_in`);
  await page.getByLabel('User name or e-mail').fill(name);
  await page.getByLabel('Password').fill(secret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL((now) => !now.pathname.includes('sign_in'));
}

// The rules of accessibility that a page breaks, except within `foreign`, a
// selector of what is not ours.
async function barriers(page, foreign) {
  await page.evaluate(axe);
  const found = await page.evaluate(
    (within) =>
      window.axe.run(within ? { exclude: [[within]] } : document, {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'],
      }),
    foreign,
  );
  return found.violations.map(
    (rule) => `${rule.id}: ${rule.nodes.map((node) => node.html).join(' | ')}`,
  );
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

module.exports = { barriers, code, flags, open, openWatched, password, signIn, url };
