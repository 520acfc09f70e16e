// Imports in a real browser, at a phone's width and a desk's: repositories of an account are
// listed, chosen and brought, what goes wrong is tried again, and a project becomes a file.
// Run by `cargo xtask test --only browser`.

const assert = require('node:assert/strict');
const { after, before, test } = require('node:test');
const upstream = require('./upstream.cjs');
const { api, checkAll, enter, open, person, run, said, signedIn, url, visit } = require('./shared.cjs');

const group = `moved-${run}`;
const member = `mover-${run}`;
const LOCAL = 'allow_local_requests_from_web_hooks_and_services';
let there;

before(async () => {
  there = await upstream.begin();
  await api('PUT', '/application/settings', { [LOCAL]: true });
  await api('POST', '/groups', { name: group, path: group, visibility: 'public' });
  await person(member, 'A mover');
});

after(() => there.close());

const ended = ['finished', 'failed', 'canceled'];

// Waits until an import has ended, however it did.
async function end(path) {
  for (let turn = 0; turn < 300; turn += 1) {
    const { import_status: status } = await api('GET', `/projects/${encodeURIComponent(path)}/import`);
    if (ended.includes(status)) return status;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(`the import of ${path} does not end`);
}

// Lists the repositories that a token reads.
async function connect(page, token = 'ada-1') {
  await page.goto(`${url}/projects/import`);
  await page.getByRole('link', { name: 'Provider A', exact: true }).click();
  await page.getByLabel('Address of the server').fill(there.origin);
  await page.getByLabel(/^Access token/).fill(token);
  await page.getByRole('button', { name: 'List repositories' }).click();
}

test('many repositories of an account are brought without a script', async () => {
  const { page, context } = await signedIn({ javaScriptEnabled: false });
  await page.goto(`${url}/projects/new`);
  await page.getByRole('link', { name: 'Import a project' }).click();
  await page.getByRole('heading', { name: 'Import a project' }).waitFor();

  await connect(page, 'lost');
  await page.locator('.error').filter({ hasText: 'refused' }).waitFor();
  await connect(page);
  await page.getByLabel('Import ada/anvil').waitFor();
  await page.getByLabel('Search repositories').fill('crane');
  await page.getByRole('button', { name: 'Search', exact: true }).click();
  await page.getByLabel('Import ada/crane').waitFor();
  assert.equal(await page.getByLabel('Import ada/anvil').count(), 0);
  await page.getByLabel('Search repositories').fill('');
  await page.getByRole('button', { name: 'Search', exact: true }).click();

  await page.getByLabel('Inside').selectOption(group);
  await page.getByRole('button', { name: 'Import what is chosen' }).click();
  await page.getByText('Choose at least one').waitFor();
  for (const name of ['anvil', 'bellows', 'crane']) await page.getByLabel(`Import ada/${name}`).check();
  await page.getByRole('button', { name: 'Only look what there is' }).click();
  await page.getByRole('heading', { name: 'What there is' }).waitFor();
  await page.getByRole('button', { name: 'Import what is chosen' }).click();
  await said(page, '3 imports are begun.');

  assert.equal(await end(`${group}/anvil`), 'finished');
  assert.equal(await end(`${group}/bellows`), 'finished');
  assert.equal(await end(`${group}/crane`), 'failed');
  await page.goto(`${url}/${group}/anvil/-/issues/1`);
  await page.getByRole('heading', { name: 'The horn is bent' }).waitFor();
  await context.close();
});

test('what failed says why, and is tried again', async () => {
  const { page, context, problems } = await signedIn();
  await page.goto(`${url}/projects/imports`);
  await page.getByRole('link', { name: `${group}/crane` }).click();
  await page.getByText('Failed to import the repository').waitFor();
  await checkAll(page, 'an import that failed');
  await page.locator('summary', { hasText: 'Try again…' }).click();
  await page.getByLabel(/^Access token/).fill('ada-1');
  await page.getByRole('button', { name: 'Try again', exact: true }).click();
  await said(page, 'It goes on where it stood.');
  assert.equal(await end(`${group}/crane`), 'failed');
  assert.deepEqual(problems, []);
  await context.close();
});

test('somebody becomes who they were', async () => {
  const { page, context, problems } = await signedIn();
  await page.goto(`${url}/groups/${group}/-/settings`);
  await page.getByRole('link', { name: 'Placeholders' }).click();
  await page.getByText('Placeholder Ada').waitFor();
  await checkAll(page, 'placeholders');
  await page.locator('summary', { hasText: 'Hand over…' }).click();
  await page.getByLabel('Their user name').fill(member);
  await page.getByRole('button', { name: 'Ask them' }).click();
  await said(page, 'A mover is asked.');
  const asked = await open();
  await enter(asked.page, member);
  await asked.page.waitForURL((now) => !now.pathname.includes('sign_in'));
  await asked.page.goto(`${url}/-/profile/placeholders`);
  await checkAll(asked.page, 'who somebody was');
  await asked.page.locator('summary', { hasText: 'Accept…' }).click();
  await asked.page.getByRole('button', { name: 'Accept', exact: true }).click();
  await said(asked.page, 'It is yours.');
  await asked.context.close();
  assert.deepEqual(problems, []);
  await context.close();
});

test('a project becomes a file, and a project again', async () => {
  const { page, context, problems } = await signedIn();
  await page.goto(`${url}/${group}/anvil/-/settings`);
  await page.getByRole('link', { name: 'Export', exact: true }).click();
  await page.getByRole('button', { name: 'Export project' }).click();
  await said(page, 'The file is being written.');
  await page.getByRole('link', { name: 'Download', exact: true }).waitFor();
  await checkAll(page, 'an export');
  const wait = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download', exact: true }).click();
  const file = await (await wait).path();
  await page.goto(`${url}/projects/import/project_file`);
  await page.locator('#f-path').fill('again');
  await page.getByLabel('Inside').selectOption(group);
  await page.locator('#f-file').setInputFiles(file);
  await page.getByRole('button', { name: 'Import project' }).click();
  await said(page, 'is being imported.');
  assert.equal(await end(`${group}/again`), 'finished');
  assert.deepEqual(problems, []);
  await context.close();
});

test('the pages fit their screen and are accessible', async () => {
  const { page, context, problems } = await signedIn();
  await visit(page, [
    '/projects/import',
    '/projects/import/provider_a',
    '/projects/import/provider_b_server',
    '/projects/import/provider_b_cloud',
    '/projects/import/git',
    '/projects/import/project_file',
    '/projects/imports',
    '/-/snippets/import',
    `/${group}/anvil/-/import`,
    `/${group}/anvil/-/export`,
    `/groups/${group}/-/placeholders`,
    '/-/profile/placeholders',
  ]);
  await connect(page);
  await checkAll(page, 'repositories of an account');
  assert.deepEqual(problems, []);
  await context.close();
});
