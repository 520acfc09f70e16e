// Pages of history, differences, branches and tags in a real browser.

const assert = require('node:assert/strict');
const { before, test } = require('node:test');
const { PNG, api, run, signedIn, url, visit } = require('./shared.cjs');

const group = `history-${run}`;
const base = `/${group}/anvil/-`;
let last;

const text = (count) =>
  Array.from({ length: count }, (_, line) => `line ${line} of it, which is as long as lines are\n`).join('');

before(async () => {
  const { id } = await api('POST', '/groups', { name: group, path: group });
  const made = await api('POST', '/projects', { name: 'Anvil', path: 'anvil', namespace_id: id });
  const at = `/projects/${made.id}/repository`;
  const commit = (branch, message, actions, more = {}) =>
    api('POST', `${at}/commits`, { branch, commit_message: message, actions, ...more });
  const long = 'src/a/rather/long/path/to/a/file/somewhere.txt';
  await commit('main', 'Begin', [
    { action: 'create', file_path: 'README.md', content: '# Anvil\n\nIt is heavy.\n' },
    { action: 'create', file_path: long, content: text(30) },
    { action: 'create', file_path: 'Cargo.lock', content: '[[package]]\n' },
  ]);
  last = await commit(
    'side',
    'Make the anvil light\n\nNobody could lift it.\nSee https://works.example/anvils.',
    [
      { action: 'update', file_path: 'README.md', content: '# Anvil\n\nIt is light.\n\nMore of it follows.\n' },
      { action: 'update', file_path: 'Cargo.lock', content: '[[package]]\nname = "anvil"\n' },
      { action: 'create', file_path: 'long.txt', content: text(900) },
      { action: 'create', file_path: 'src/forge.rs', content: 'fn heat(by: u32) -> u32 {\n    by + 1\n}\n' },
      { action: 'move', previous_path: long, file_path: 'src/moved.txt', content: text(31) },
      { action: 'create', file_path: 'logo.png', content: PNG.toString('base64'), encoding: 'base64' },
    ],
    { start_branch: 'main' },
  );
  await commit('main', 'Sharpen the horn', [
    { action: 'create', file_path: 'horn.txt', content: 'sharp\n' },
  ]);
  await api('POST', `${at}/commits/${last.id}/cherry_pick`, { branch: 'main' });
  await api('POST', `${at}/tags`, { tag_name: 'v1.0', ref: 'main', message: 'The first one' });
  await api('POST', `${at}/tags`, { tag_name: 'v0.9', ref: 'side' });
});

test('every page fits its screen and is accessible', async () => {
  const { page, context, problems } = await signedIn();
  const [ref, both, tag] = ['side', 'main...side', 'v1.0'];
  await visit(page, [
    `/${group}/anvil/-/commit/${last.id}`,
    `/${group}/anvil/-/commit/${last.id}?view=parallel`,
    `/${group}/anvil/-/commits`,
    `/${group}/anvil/-/commits/`,
    `/${group}/anvil/-/commits/${ref}`,
    `/${group}/anvil/-/commits/${ref}?search=nothing`,
    `/${group}/anvil/-/compare`,
    `/${group}/anvil/-/compare/${both}`,
    `/${group}/anvil/-/branches`,
    `/${group}/anvil/-/tags`,
    `/${group}/anvil/-/tags/${tag}`,
    `/${group}/anvil/-/network`,
    `/${group}/anvil/-/network/`,
    `/${group}/anvil/-/network/${ref}?all=1`,
    `/${group}/anvil/-/graphs`,
    `/${group}/anvil/-/graphs/`,
    `/${group}/anvil/-/graphs/${ref}`,
  ]);
  assert.deepEqual(problems, []);
  await context.close();
});

test('a branch is made, compared and deleted without a script', async () => {
  const { page, context } = await signedIn({ javaScriptEnabled: false });
  await page.goto(`${url}${base}/branches`);
  await page.locator('summary', { hasText: 'New branch' }).click();
  await page.locator('#f-branch').fill('fix');
  await page.locator('#f-ref').fill('side');
  await page.getByRole('button', { name: 'Create branch' }).click();
  await page.getByText('Branch fix is there.').waitFor();
  await page.goto(`${url}${base}/compare`);
  await page.locator('#f-to').fill('fix');
  await page.getByRole('button', { name: 'Compare', exact: true }).click();
  await page.getByRole('link', { name: 'Side by side' }).click();
  await page.getByRole('region', { name: 'Changes of README.md' }).waitFor();
  await page.goto(`${url}${base}/branches`);
  const row = page.getByRole('listitem').filter({ hasText: 'fix' });
  await row.locator('summary', { hasText: 'Actions' }).click();
  await row.locator('summary', { hasText: 'Delete' }).click();
  await row.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Branch fix was deleted.').waitFor();
  await context.close();
});

test('a commit is reverted', async () => {
  const { page, context } = await signedIn();
  await page.goto(`${url}${base}/commit/${last.id}`);
  await page.locator('summary', { hasText: 'Revert' }).click();
  await page.getByLabel('On branch').fill('side');
  await page.getByRole('button', { name: 'Revert' }).click();
  await page.getByRole('heading', { name: 'Revert "Make the anvil light"' }).waitFor();
  await context.close();
});
