// Searching and the keys, in a real browser at a phone's width and a desk's, and
// with JavaScript off. Run by `cargo xtask test --only browser`.

const assert = require('node:assert/strict');
const { before, test } = require('node:test');
const { api, run, signedIn, url, visit } = require('./shared.cjs');

const project = `root/search-${run}`;
const word = `zebra${run}`;

before(async () => {
  await api('PUT', '/application/settings', { search_rate_limit: 0 });
  const made = await api('POST', '/projects', { name: `search-${run}` });
  for (const n of [1, 2, 3]) {
    const description = `The **${word}** number ${n} ran away. `.repeat(30);
    await api('POST', `/projects/${made.id}/issues`, { title: `Find the ${word} ${n}`, description });
  }
  const file = { action: 'create', file_path: 'herd.txt', content: `one\n${word} two\nthree\n` };
  const commit = { branch: 'main', commit_message: `Add the ${word}`, actions: [file] };
  await api('POST', `/projects/${made.id}/repository/commits`, commit);
  await api('POST', `/projects/${made.id}/labels`, { name: word, color: '#117733' });
});

test('the pages fit their screen and are accessible', async () => {
  const { page, context, problems } = await signedIn();
  await visit(page, [
    '/search',
    `/search?q=${word}`,
    `/search?q=${word}&type=labels&project=${encodeURIComponent(project)}`,
    '/search?q=nothing-is-called-so',
    `/search?q=${word}&type=blobs&project=${encodeURIComponent(project)}`,
    `/search?q=${word}&type=commits`,
    '/search?q=nothing-is-written-so&type=blobs',
    '/-/help/shortcuts',
  ]);
  assert.deepEqual(problems, []);
  await context.close();
});

test('the header searches the project, and the chip is taken away', async () => {
  const { page, context } = await signedIn();
  await page.goto(`${url}/${project}`);
  await page.keyboard.press('/');
  await page.keyboard.type(word);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/search\?/);
  assert.equal(await page.locator('.found > li').count(), 3);
  assert.equal(await page.locator('.found mark').first().textContent(), word);
  await page.getByRole('link', { name: `Search everywhere instead of in ${project}` }).click();
  await page.waitForURL((now) => !now.search.includes('project'));
  await page.getByRole('link', { name: /^Labels/ }).click();
  await page.locator('.found a', { hasText: word }).first().waitFor();
  await context.close();
});

test('keys walk through lists and to pages, and not while typing', async () => {
  const { page, context, problems } = await signedIn();
  await page.goto(`${url}/${project}/-/issues`);
  await page.keyboard.press('j');
  const focused = () => page.evaluate(() => document.activeElement.textContent.trim());
  assert.match(await focused(), new RegExp(`${word} 3`));
  await page.keyboard.press('j');
  assert.match(await focused(), new RegExp(`${word} 2`));
  await page.keyboard.press('k');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${url}/${project}/-/issues/3`);
  for (const [keys, path] of [
    ['gp', `/${project}/-/packages`],
    ['gm', `/${project}/-/merge_requests`],
    ['gu', `/${project}/-/members`],
    ['gi', `/${project}/-/issues`],
    ['c', `/${project}/-/issues/new`],
  ]) {
    for (const key of keys) await page.keyboard.press(key);
    await page.waitForURL(url + path);
  }
  await page.getByLabel('Title').focus();
  await page.keyboard.type('go? jack');
  assert.equal(await page.getByLabel('Title').inputValue(), 'go? jack');
  await page.keyboard.press('Control+k');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'site-search');
  await page.goto(`${url}/${project}`);
  await page.keyboard.press('?');
  await page.waitForURL(`${url}/-/help/shortcuts`);
  assert.deepEqual(problems, []);
  await context.close();
});

test('everything works without JavaScript', async () => {
  const { page, context } = await signedIn({ javaScriptEnabled: false });
  await page.goto(`${url}/${project}`);
  await page.locator('#site-search').fill(word);
  await page.locator('#site-search').press('Enter');
  await page.locator('.found > li').first().waitFor();
  await page.locator('#f-q').fill('#2');
  await page.getByRole('main').getByRole('button', { name: 'Search' }).click();
  await page.waitForURL(`${url}/${project}/-/issues/2`);
  await context.close();
});
