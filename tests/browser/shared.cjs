// What the suites in a real browser share: the browser, pages whose errors are
// collected, the sign-in, and the look for what keeps people out.

const { after, before } = require('node:test');
const { chromium } = require('playwright-core');
const axe = require('axe-core').source;

const url = process.env.TENON_URL;
const password = process.env.TENON_ROOT_PASSWORD;

let browser;

before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu'],
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

async function signIn(page) {
  await page.goto(`${url}/users/sign_in`);
  await page.getByLabel('User name or e-mail').fill('root');
  await page.getByLabel('Password').fill(password);
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

module.exports = { barriers, open, openWatched, password, signIn, url };
