// Epics of a group: the list, an epic with its tree and links, and an issue's epic. In
// light and dark, on a phone and at a desk, by pointer and by keyboard, with and without
// scripts. Run by `cargo xtask test --only browser`.

const assert = require('node:assert/strict');
const { before, test } = require('node:test');
const { api, checkFocus, open, run, said, signedIn, url, visit } = require('./shared.cjs');

const group = `epics-${run}`;
const at = `/groups/${group}/epics`;
const list = `/groups/${group}/-/epics`;
const one = `/groups/${group}/-/epics/1`;
const project = encodeURIComponent(`${group}/anvil`);

// The titles below an epic, as the server has them.
const order = async (what = 'epics') => (await api('GET', `${at}/1/${what}`)).map(({ title }) => title);

// The page says where a row is before the server has it there.
const comesTo = async (wanted, what) => {
  const end = Date.now() + 10_000;
  while (Date.now() < end && (await order(what)).join() !== wanted.join()) {
    await new Promise((done) => setTimeout(done, 50));
  }
  assert.deepEqual(await order(what), wanted);
};

before(async () => {
  const { id } = await api('POST', '/groups', { name: group, path: group, visibility: 'public' });
  await api('POST', '/projects', { name: 'anvil', namespace_id: id, visibility: 'public' });
  await api('POST', '/groups', { name: 'Empty', path: 'empty', parent_id: id, visibility: 'public' });
  const text = '- [ ] forge the **head**\n- [x] strike\n\nWhy: it squeaks.';
  const top = await api('POST', at, { title: 'Ship the hinge', description: text, labels: 'iron,season' });
  for (const title of ['Forge', 'Polish', 'Paint']) {
    await api('POST', at, { title, parent_id: top.id, color: '#a62b20' });
  }
  const forge = (await api('GET', `${at}/2`)).id;
  await api('POST', at, { title: 'Furnace', parent_id: forge });
  await api('POST', at, { title: 'Season of iron', due_date_fixed: '2031-06-30', due_date_is_fixed: true });
  for (const [title, epic_id, weight] of [['Heat', top.id, 2], ['Strike', top.id, 3], ['Cool', top.id, 1], ['Coal', forge, 1]]) {
    await api('POST', `/projects/${project}/issues`, { title, epic_id, weight });
  }
  await api('PUT', `/projects/${project}/issues/1`, { state_event: 'close' });
  await api('POST', `${at}/1/related_epics`, { target_group_id: id, target_epic_iid: 6, link_type: 'is_blocked_by' });
});

test('every page is accessible in light and dark, on a phone and at a desk', async () => {
  const { page, context, problems } = await signedIn();
  await visit(page, [
    list,
    `${list}?labels=iron&state=all`,
    `/groups/${group}/empty/-/epics`,
    `/groups/${group}/-/epics/new`,
    one,
    `/groups/${group}/-/epics/1/edit`,
    `/${group}/anvil/-/issues/1`,
  ]);
  await page.goto(url + one);
  await checkFocus(page, one);
  assert.deepEqual(problems, []);
  await context.close();
});

test('strangers read it', async () => {
  const { page, context, problems } = await open();
  await visit(page, [list, one]);
  assert.equal(await page.getByRole('button', { name: 'Close epic' }).count(), 0);
  assert.equal(await page.locator('[data-grip]').count(), 0);
  assert.deepEqual(problems, []);
  await context.close();
});

test('rows are dragged by their grips, by pointer', async () => {
  const { page, context, problems } = await signedIn();
  await page.goto(url + one);
  const grip = page.getByRole('button', { name: 'Move Paint' });
  const to = await page.getByRole('button', { name: 'Move Forge' }).boundingBox();
  const from = await grip.boundingBox();
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(to.x + 5, to.y + to.height, { steps: 5 });
  await page.mouse.move(to.x + 5, to.y - 5, { steps: 5 });
  await page.mouse.up();
  await page.getByRole('status').filter({ hasText: 'Paint is now number 1 of 3' }).waitFor({ state: 'attached' });
  await comesTo(['Paint', 'Forge', 'Polish']);
  await page.reload();
  const titles = await page.locator('[data-order=child] > li > .branch a').allTextContents();
  assert.deepEqual(titles.filter((title) => title !== 'Furnace'), ['Paint', 'Forge', 'Polish']);
  assert.deepEqual(problems, []);
  await context.close();
});

test('rows are moved by the arrow keys on their grips', async () => {
  const { page, context, problems } = await signedIn();
  await page.goto(url + one);
  const before = await order('issues');
  assert.deepEqual(before, ['Heat', 'Strike', 'Cool']);
  const grip = page.getByRole('button', { name: 'Move Heat' });
  await grip.focus();
  const says = (text) => page.getByRole('status').filter({ hasText: text }).waitFor({ state: 'attached' });
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await says('Heat is now number 3 of 3');
  await page.keyboard.press('ArrowDown');
  await says('Heat stands at the end');
  await comesTo(['Strike', 'Cool', 'Heat'], 'issues');
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-label')), 'Move Heat');
  await page.keyboard.press('ArrowUp');
  await says('Heat is now number 2 of 3');
  await comesTo(['Strike', 'Heat', 'Cool'], 'issues');
  assert.deepEqual(problems, []);
  await context.close();
});

test('what cannot be moved goes back, and the page says so', async () => {
  const { page, context } = await signedIn();
  await page.goto(url + one);
  await page.route('**/tree', (route) => route.abort());
  const grip = page.getByRole('button', { name: 'Move Polish' });
  await grip.focus();
  await page.keyboard.press('ArrowUp');
  await page.getByRole('alert').filter({ hasText: 'It could not be moved' }).waitFor();
  const titles = await page.locator('[data-order=child] > li > .branch a').allTextContents();
  const own = titles.filter((title) => title !== 'Furnace');
  assert.deepEqual(own, await order());
  await context.close();
});

test('epics and issues are picked by name', async () => {
  const { page, context, problems } = await signedIn();
  await page.goto(url + one);
  await page.getByText('Add an issue…').click();
  await api('POST', `/projects/${project}/issues`, { title: 'Sweep the floor' });
  const issue = page.getByRole('combobox', { name: 'Issue' });
  await issue.fill('Sweep');
  await page.getByRole('option', { name: /Sweep the floor/ }).click();
  await page.getByRole('button', { name: 'Add', exact: true }).filter({ visible: true }).click();
  await said(page, 'Issue added.');
  await page.getByRole('link', { name: 'Sweep the floor' }).waitFor();
  await page.goto(`${url}/${group}/anvil/-/issues/5`);
  await page.locator('summary[aria-label="Edit epic"]').click();
  const epic = page.getByRole('combobox', { name: 'Epic' });
  await epic.fill('Polish');
  await page.getByRole('option', { name: /Polish/ }).click();
  await page.getByRole('button', { name: 'Save' }).filter({ visible: true }).click();
  await said(page, 'Issue updated.');
  await page.getByRole('link', { name: 'Polish' }).click();
  await page.waitForURL(`${url}${list}/3`);
  assert.deepEqual(problems, []);
  await context.close();
});

test('everything is done with scripts off', async () => {
  const { page, context } = await signedIn({ javaScriptEnabled: false });
  await page.goto(url + list);
  await page.getByRole('link', { name: 'New epic' }).click();
  await page.getByLabel('Title').fill('By hand');
  await page.getByLabel('Parent epic').fill('&1');
  await page.getByRole('button', { name: 'Create epic' }).click();
  await page.getByRole('heading', { name: 'By hand' }).waitFor();
  await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name: 'Ship the hinge' }).click();
  // Up and down by the buttons of a row; a grip is nothing without a script.
  assert.equal(await page.locator('[data-grip]').first().isVisible(), false);
  const row = page.locator('[data-order=child] > li').filter({ hasText: 'By hand' });
  await row.locator('summary').filter({ hasText: 'Actions for By hand' }).click();
  await row.getByRole('button', { name: 'Move up' }).click();
  await said(page, 'Moved.');
  assert.equal((await order()).indexOf('By hand'), 2);
  await row.locator('summary').filter({ hasText: 'Actions for By hand' }).click();
  await row.getByRole('button', { name: 'Take out' }).click();
  await said(page, 'taken out');
  assert.equal((await order()).includes('By hand'), false);

  await page.getByText('Link an epic…').click();
  await page.getByLabel('Other epic').fill('&7');
  await page.getByRole('button', { name: 'Link', exact: true }).click();
  await said(page, 'Epics linked.');
  await page.getByRole('button', { name: 'Remove the link with By hand' }).click();
  await said(page, 'Link removed.');

  // It is blocked, so closing it asks.
  await page.locator('summary').filter({ hasText: 'Close epic…' }).click();
  await page.getByText('&6 still block this epic. Close it anyway?').waitFor();
  await page.getByRole('button', { name: 'Close epic', exact: true }).click();
  await said(page, 'Epic closed.');
  await page.getByRole('button', { name: 'Reopen epic' }).click();
  await said(page, 'Epic reopened.');
  await page.getByRole('button', { name: 'forge the head' }).or(page.locator('button.task').first()).first().click();
  await said(page, 'Task marked as done.');
  await page.getByRole('textbox', { name: 'Comment' }).fill('By **hand**');
  await page.getByRole('button', { name: 'Comment', exact: true }).click();
  await said(page, 'Comment added.');
  await context.close();
});
