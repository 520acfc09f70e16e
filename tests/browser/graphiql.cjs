// GraphiQL as the explorer in a real browser, under its policy, with its files
// from a folder. Run by `cargo xtask test --only browser`.

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

const editor = (page) => page.locator('.graphiql-query-editor .CodeMirror');

// Types an operation, runs it, and waits for an answer with this in it.
async function ask(page, query, answer) {
  await editor(page).click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(query);
  await page.getByRole('button', { name: /^Execute query/ }).click();
  await page.locator('.result-window').filter({ hasText: answer }).waitFor();
}

// What is ours: the frame. What is inside belongs to GraphiQL.
async function checkFrame(page) {
  assert.equal(await page.locator('h1').count(), 1, 'one h1');
  await page.evaluate(axe);
  const found = await page.evaluate(() =>
    window.axe.run(
      { exclude: [['.graphiql-container']] },
      { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] },
    ),
  );
  const broken = found.violations.map(
    (rule) => `${rule.id}: ${rule.nodes.map((node) => node.html).join(' | ')}`,
  );
  assert.deepEqual(broken, [], 'accessible');
}

test('a stranger reads the schema and asks what is public', async () => {
  const { page, context, problems } = await open();
  await page.goto(PAGE);
  await ask(page, '{ echo(text: "hello") }', 'nil says: hello');
  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
  await page.getByRole('link', { name: 'Mutation', exact: true }).click();
  await page.getByRole('link', { name: 'echoCreate', exact: true }).waitFor();
  await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).waitFor();
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

    // The dialog brings a style element of its own.
    await page.getByRole('button', { name: 'Open settings dialog' }).click();
    await page.getByRole('dialog').getByText('Theme', { exact: true }).waitFor();
    assert.equal(await page.getByText('Persist headers').count(), 0);
    await page.keyboard.press('Escape');
    for (const width of [360, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      await checkFrame(page);
    }
    assert.deepEqual(problems, []);
    await context.close();
  });
}

test('a mutation without the token of the page is refused', async () => {
  const { page, context } = await open();
  await signIn(page);
  await page.goto(PAGE);
  await editor(page).waitFor();
  const status = await page.evaluate(async () => {
    const query = 'mutation { echoCreate(input: {}) { errors } }';
    const headers = { 'Content-Type': 'application/json' };
    const body = JSON.stringify({ query });
    return (await fetch('/api/graphql', { method: 'POST', headers, body })).status;
  });
  assert.equal(status, 422);
  await context.close();
});
