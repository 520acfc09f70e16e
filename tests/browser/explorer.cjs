// The GraphQL explorer in a real browser, under the policy of all pages, with
// nothing from other servers. Run by `cargo xtask test --only browser`.

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { checkAll, open, signedIn, url } = require('./shared.cjs');

const PAGE = `${url}/-/graphql-explorer`;

// Types a query, runs it by the keyboard, and waits for an answer with this in it.
async function ask(page, query, answer) {
  await page.getByLabel('Query').fill(query);
  await page.getByLabel('Query').press('Control+Enter');
  await page.locator('#answer').filter({ hasText: answer }).waitFor();
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

test('somebody signed in asks and changes', async () => {
  const { page, context, problems } = await signedIn();
  await page.goto(url);
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
  await checkAll(page, 'the explorer');
  assert.deepEqual(problems, []);
  await context.close();
});

test('without JavaScript the form leads to the answer', async () => {
  const { page, context } = await open({ javaScriptEnabled: false });
  await page.goto(PAGE);
  await page.getByLabel('Query').fill('{ echo(text: "plain") }');
  await page.getByRole('button', { name: 'Run' }).click();
  await page.waitForURL(`${url}/api/graphql`);
  assert.match(await page.content(), /nil says: plain/);
  await context.close();
});
