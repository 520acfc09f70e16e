// The pages in a real browser, at a phone's width and a desk's.

const assert = require('node:assert/strict');
const { readFileSync } = require('node:fs');
const { after, before, test } = require('node:test');
const { chromium } = require('playwright-core');

const url = process.env.TENON_URL;
const pages = new Set(
  readFileSync('routes.txt', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('GET '))
    .map((line) => line.split(/ +/)[1]),
);
let browser;

// The options of a test: skipped while the program lacks its page.
function needs(page) {
  return { skip: !pages.has(page) && `without ${page}` };
}

before(async () => {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });
});

after(() => browser.close());

async function signedIn(width) {
  const context = await browser.newContext({ viewport: { width, height: 800 } });
  const page = await context.newPage();
  const problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  await page.goto(`${url}/users/sign_in`);
  await page.getByLabel(/user ?name|e-?mail/i).first().fill('root');
  await page.getByLabel(/password/i).first().fill(process.env.TENON_ROOT_PASSWORD);
  await page.getByRole('button', { name: /sign in/i }).click();
  await page.waitForURL((now) => !now.pathname.includes('sign_in'));
  // Without a home page the address after sign-in is not found.
  if (!pages.has('/')) problems.length = 0;
  return { page, problems };
}

test('a wrong password is refused with a message', needs('/users/sign_in'), async () => {
  const page = await browser.newPage();
  await page.goto(`${url}/users/sign_in`);
  await page.getByLabel(/user ?name|e-?mail/i).first().fill('root');
  await page.getByLabel(/password/i).first().fill('not the password');
  await page.getByRole('button', { name: /sign in/i }).click();
  await page.getByText(/invalid/i).first().waitFor();
  assert.ok(page.url().includes('sign_in'));
});

test('the sign-in form works by keyboard alone', needs('/users/sign_in'), async () => {
  const page = await browser.newPage();
  await page.goto(`${url}/users/sign_in`);
  await page.getByLabel(/user ?name|e-?mail/i).first().focus();
  await page.keyboard.type('root');
  await page.keyboard.press('Tab');
  await page.keyboard.type(process.env.TENON_ROOT_PASSWORD);
  await page.keyboard.press('Enter');
  await page.waitForURL((now) => !now.pathname.includes('sign_in'));
});

for (const width of [360, 1440]) {
  test(`pages fit a screen of ${width} pixels and report no error`, needs('/users/sign_in'), async () => {
    const { page, problems } = await signedIn(width);
    const built = ['/', '/users/password/new', '/admin/users', '/admin/jobs', '/admin/audit'].filter((path) => pages.has(path));
    for (const path of built) {
      const answer = await page.goto(url + path);
      assert.equal(answer.status(), 200, path);
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      assert.ok(overflow <= 0, `${path} is ${overflow} pixels too wide`);
      assert.equal(await page.locator('h1').count(), 1, `${path} needs one h1`);
      assert.equal(await page.locator('img:not([alt])').count(), 0, `${path}: images need alt`);
    }
    assert.deepEqual(problems, []);
  });
}
