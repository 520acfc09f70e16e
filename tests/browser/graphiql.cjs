// GraphiQL as the explorer in a real browser, under its policy, with its files
// from a folder. Run by `cargo xtask test --only browser`.

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { SCHEMES, WIDTHS, barriers, open, signedIn, url } = require('./shared.cjs');

const PAGE = `${url}/-/graphql-explorer`;

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
  assert.deepEqual(await barriers(page, '.graphiql-container'), [], 'accessible');
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

test('somebody signed in asks and changes', async () => {
  const { page, context, problems } = await signedIn();
  await page.goto(url);
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
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      await checkFrame(page);
    }
  }
  assert.deepEqual(problems, []);
  await context.close();
});

test('a mutation without the token of the page is refused', async () => {
  const { page, context } = await signedIn();
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
