// The GraphQL explorer in a real browser, under the policy of all pages, with
// nothing from other servers. Run by `cargo xtask test --only browser`.

const assert = require('node:assert/strict');
const { after, before, test } = require('node:test');
const { chromium } = require('playwright-core');
const axe = require('axe-core').source;

const url = process.env.TENON_URL;
const password = process.env.TENON_ROOT_PASSWORD;
const PAGE = `${url}/-/graphql-explorer`;

let browser;

before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu'],
  });
});

after(() => browser.close());

// A page whose errors and violations of the policy are collected.
async function open(options) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  const problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    const text = message.text();
    if (message.type() === 'error' || text.startsWith('violation')) problems.push(text);
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
  return { context, page, problems };
}

async function signIn(page) {
  await page.goto(`${url}/users/sign_in`);
  await page.getByLabel('User name or e-mail').fill('root');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL((now) => !now.pathname.includes('sign_in'));
}

// Types a query, runs it by the keyboard, and waits for an answer with this in it.
async function ask(page, query, answer) {
  await page.getByLabel('Query').fill(query);
  await page.getByLabel('Query').press('Control+Enter');
  await page.locator('#answer').filter({ hasText: answer }).waitFor();
}

async function check(page) {
  assert.equal(await page.locator('h1').count(), 1, 'one h1');
  const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
  assert.ok((await page.evaluate(overflow)) <= 0, 'fits its width');
  await page.evaluate(axe);
  const found = await page.evaluate(() =>
    window.axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] }),
  );
  const broken = found.violations.map(
    (rule) => `${rule.id}: ${rule.nodes.map((node) => node.html).join(' | ')}`,
  );
  assert.deepEqual(broken, [], 'accessible');
}

test('a stranger asks what is public and reads types', async () => {
  const { page, context, problems } = await open();
  await page.goto(PAGE);
  await ask(page, '{ echo(text: "hello") }', 'nil says: hello');
  assert.match(await page.locator('#answer-state').textContent(), /Status 200, \d+ ms, complexity 1 of 200/);
  await page.getByLabel('Type', { exact: true }).fill('Node');
  await page.getByRole('button', { name: 'Show fields' }).click();
  await page.locator('#shown').filter({ hasText: 'id: ID!' }).waitFor();
  await page.getByLabel('Type', { exact: true }).fill('Nope');
  await page.getByLabel('Type', { exact: true }).press('Enter');
  await page.locator('#shown').filter({ hasText: 'No type is called Nope.' }).waitFor();
  assert.deepEqual(problems, []);
  await context.close();
});

for (const colorScheme of ['light', 'dark']) {
  test(`somebody signed in asks and changes, ${colorScheme}`, async () => {
    const { page, context, problems } = await open({ colorScheme });
    await signIn(page);
    await page.getByRole('link', { name: 'GraphQL explorer' }).click();
    await page.waitForURL(PAGE);
    await ask(page, '{ currentUser { username } }', '"username": "root"');
    const change = 'mutation { echoCreate(input: {messages: ["changed"]}) { echoes errors } }';
    await ask(page, change, '"changed"');
    await ask(page, '{ nope }', "Field 'nope' doesn't exist on type 'Query'");
    await page.getByLabel('Variables').fill('{');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('Variables are not JSON').waitFor();
    await page.getByLabel('Variables').fill('{"text": "given"}');
    await ask(page, 'query A($text: String!) { echo(text: $text) }', 'says: given');
    await page.getByLabel('Operation').fill('B');
    await ask(page, 'query A { echo(text: "a") } query B { echo(text: "b") }', 'says: b');
    for (const width of [360, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      await check(page);
    }
    assert.deepEqual(problems, []);
    await context.close();
  });
}

test('without JavaScript the form leads to the answer', async () => {
  const { page, context } = await open({ javaScriptEnabled: false });
  await page.goto(PAGE);
  await page.getByLabel('Query').fill('{ echo(text: "plain") }');
  await page.getByRole('button', { name: 'Run' }).click();
  await page.waitForURL(`${url}/api/graphql`);
  assert.match(await page.content(), /nil says: plain/);
  await context.close();
});
