// What people did, in a real browser at a phone's width and a desk's, and with
// JavaScript off. Run by `cargo xtask test --only browser`.

const assert = require('node:assert/strict');
const { before, test } = require('node:test');
const { api, open, person, run, signedIn, url, visit } = require('./shared.cjs');

const group = `deeds-${run}`;
const project = `${group}/anvil`;
const list = `/${project}/-/activity`;
const reader = `reader-${run}`;

before(async () => {
  await api('POST', '/groups', { name: group, path: group, visibility: 'public' });
  const at = `/projects/${encodeURIComponent(project)}`;
  const { id } = await api('GET', `/groups/${group}`);
  await api('POST', '/projects', { name: 'anvil', namespace_id: id, visibility: 'public' });
  for (let n = 1; n < 25; n += 1) {
    await api('POST', `${at}/issues`, { title: `The hinge number ${n} of a door with a long name` });
  }
  await api('POST', `${at}/issues/1/notes`, { body: 'It squeaks, '.repeat(40) });
  await api('POST', `${at}/milestones`, { title: '1.0' });
  await person(reader, 'A reader');
});

test('the pages fit their screen and are accessible', async () => {
  const { page, context, problems } = await signedIn();
  await visit(page, [
    `/${project}/-/activity`,
    `/${project}/-/activity?kind=packages`,
    `/${project}/-/activity?kind=issues&day=2001-02-03`,
    `/groups/${group}/-/activity`,
    '/dashboard/activity',
    '/dashboard/activity?scope=own',
    '/users/root/activity',
    '/root',
    `/${reader}`,
    `/${project}`,
    '/-/user_settings/tokens',
  ]);
  assert.deepEqual(problems, []);
  await context.close();
});

for (const javaScriptEnabled of [true, false]) {
  test(`activity is narrowed and walked through ${javaScriptEnabled ? 'with' : 'without'} a script`, async () => {
    const { page, context } = await open({ javaScriptEnabled });
    await page.goto(url + list);
    const rows = page.locator('.rows > li');
    const current = () => page.locator('nav[aria-label="Kinds of activity"] [aria-current]').textContent();
    assert.equal((await current()).trim(), 'All');
    await rows.filter({ hasText: 'opened milestone 1.0' }).waitFor();
    await page.getByRole('link', { name: 'Comments', exact: true }).click();
    await page.waitForURL(/kind=comments/);
    assert.equal(await rows.count(), 1);
    await rows.filter({ hasText: 'commented on #1 The hinge' }).waitFor();
    await page.getByRole('link', { name: 'Issues', exact: true }).last().click();
    await page.waitForURL(/kind=issues/);
    assert.equal(await rows.count(), 20);
    await page.getByRole('link', { name: 'Next' }).click();
    await page.waitForURL(/page=2/);
    assert.equal(await rows.count(), 4);
    assert.equal((await current()).trim(), 'Issues');
    await page.goto(`${url}${list}?kind=comments&day=2001-02-03`);
    await page.getByRole('link', { name: 'Remove On 3 Feb 2001' }).click();
    await page.waitForURL((now) => !now.search.includes('day'));
    assert.equal(await rows.count(), 1);
    await rows.getByRole('link', { name: /^#1 The hinge/ }).click();
    await page.waitForURL(/issues\/1#note_/);
    await context.close();
  });
}

test('a day of the calendar leads to what was done on it', async () => {
  const { page, context } = await signedIn({ javaScriptEnabled: false });
  await page.goto(`${url}/root`);
  await page.locator('.calendar summary').click();
  await page.locator('.calendar dd + a, .calendar dt a').first().click();
  await page.waitForURL(/users\/root\/activity\?day=/);
  await page.locator('.rows > li').first().waitFor();
  await context.close();
});

test('a page leads to its feed', async () => {
  const { page, context } = await signedIn();
  await page.goto(url + list);
  const address = await page.getByRole('link', { name: 'Feed' }).getAttribute('href');
  assert.equal(await page.locator('link[rel=alternate]').getAttribute('href'), address);
  const answer = await fetch(url + address);
  assert.equal(answer.status, 200);
  assert.match(await answer.text(), /opened milestone 1\.0/);
  await context.close();
});
