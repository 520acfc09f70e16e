// Boards and the roadmap in a real browser: cards are moved by a mouse, by a finger,
// by keys and by their form, on a phone and at a desk. Run by
// `cargo xtask test --only browser`.

const assert = require('node:assert/strict');
const { before, test } = require('node:test');
const { api, check, open, person, run, said, signIn, signedIn, url, visit } = require('./shared.cjs');

const group = `plans-${run}`;
const project = `${group}/anvil`;
const at = `/projects/${encodeURIComponent(project)}`;
const reporter = `reporter-${run}`;
const guest = `guest-${run}`;

let groupId;
let boardId;
let ownId;
const labels = {};

// A project of its own for each test that moves cards, with a board of two columns and
// these issues in «doing», the first on top.
async function planned(name, titles) {
  const { id } = await api('POST', '/projects', { name, namespace_id: groupId, visibility: 'public' });
  const board = await api('POST', `/projects/${id}/boards`, { name: 'Work' });
  for (const label of ['doing', 'done']) {
    await api('POST', `/projects/${id}/boards/${board.id}/lists`, { label_id: labels[label] });
  }
  for (const title of [...titles].reverse()) {
    await api('POST', `/projects/${id}/issues`, { title, labels: 'doing', weight: 1 });
  }
  return { id, board: board.id, path: `/${group}/${name}/-/boards` };
}

before(async () => {
  groupId = (await api('POST', '/groups', { name: group, path: group, visibility: 'public' })).id;
  for (const [name, color] of [['doing', '#5cb85c'], ['done', '#1068bf'], ['bug', '#d9534f']]) {
    labels[name] = (await api('POST', `/groups/${groupId}/labels`, { name, color })).id;
  }
  for (const [name, level] of [[reporter, 20], [guest, 10]]) {
    const { id } = await person(name, `The ${name}`);
    await api('POST', `/groups/${groupId}/members`, { user_id: id, access_level: level });
  }
  await api('POST', `/groups/${groupId}/milestones`, { title: 'Season', due_date: '2031-06-30' });
  const { id, board: own } = await planned('anvil', ['A hinge that squeaks when the door is opened slowly', 'Lock', 'Door']);
  const board = await api('POST', `/groups/${groupId}/boards`, { name: 'All of it' });
  await api('POST', `/groups/${groupId}/boards/${board.id}/lists`, { label_id: labels.doing });
  [boardId, ownId] = [board.id, own];
  for (let n = 0; n < 23; n += 1) await api('POST', `/projects/${id}/issues`, { title: `Old ${n}` });
  await api('PUT', `/projects/${id}/issues/4`, { state_event: 'close', due_date: '2031-05-01' });
  const house = await api('POST', `/groups/${groupId}/epics`, {
    title: 'A house whose doors all open',
    start_date: '2031-02-01',
    end_date: '2031-09-30',
  });
  await api('POST', `/groups/${groupId}/epics`, { title: 'Doors', parent_id: house.id, start_date: '2031-03-01' });
  await api('POST', `/groups/${groupId}/epics`, { title: 'Garden' });
  await api('PUT', `/projects/${id}/issues/1`, { epic_id: house.id });
});

test('the pages fit their screen and are accessible', async () => {
  const { page, context, problems } = await signedIn();
  await visit(page, [
    `/${project}/-/boards`,
    `/${project}/-/boards?labels=bug`,
    `/${project}/-/boards/${ownId}?search=door`,
    `/groups/${group}/-/boards`,
    `/groups/${group}/-/boards/${boardId}?search=nothing-is-called-so`,
    `/groups/${group}/-/roadmap?from=2031-01-01`,
    `/groups/${group}/-/roadmap?scale=weeks`,
    `/groups/${group}/-/roadmap?scale=quarters&from=2030-10-01&state=all`,
  ]);
  await page.goto(`${url}/${project}/-/boards`);
  await page.locator('.card-menu summary').first().click();
  await check(page, 'the menu of a card');
  await page.locator('.board-add summary').first().click();
  await check(page, 'a new issue');
  assert.deepEqual(problems, []);
  await context.close();
});

// The cards of a column, by their titles.
const cards = (page, title) =>
  page.locator(`[data-column][data-title="${title}"] .card-title`).allTextContents();
const card = (page, title) => page.locator('[data-card]', { has: page.getByRole('link', { name: title, exact: true }) });
const count = async (page, title) => {
  const column = page.locator(`[data-column][data-title="${title}"]`);
  return (await column.locator('[data-about]').textContent()).trim();
};
const announced = (page, text) => page.locator('[data-board-said]').filter({ hasText: text }).waitFor({ state: 'attached' });

// As somebody signed in who is not root.
async function as(name, options) {
  const opened = await open(options);
  await signIn(opened.page, name, 'correct horse battery');
  return opened;
}

// Moves the mouse in steps, as a hand does.
async function dragTo(page, from, to, dy = 4) {
  const [start, end] = [await from.boundingBox(), await to.boundingBox()];
  await page.mouse.move(start.x + 20, start.y + start.height - 8);
  await page.mouse.down();
  await page.mouse.move(start.x + 40, start.y + start.height + 4, { steps: 4 });
  await page.mouse.move(end.x + 60, end.y + dy, { steps: 12 });
  await page.mouse.up();
}

test('a card is dragged by a mouse and stays there', async () => {
  const { id, path } = await planned('mouse', ['a', 'b', 'c']);
  const { page, context, problems } = await as(reporter);
  await page.goto(url + path);
  assert.deepEqual(await cards(page, 'doing'), ['a', 'b', 'c']);
  await dragTo(page, card(page, 'c'), card(page, 'a'));
  await announced(page, 'moved within doing');
  assert.deepEqual(await cards(page, 'doing'), ['c', 'a', 'b']);
  await dragTo(page, card(page, 'a'), page.locator('[data-title="done"] header'), 70);
  await announced(page, 'moved to done');
  assert.deepEqual(await cards(page, 'done'), ['a']);
  assert.equal(await count(page, 'doing'), '2 issues, weight 2');
  assert.equal(await count(page, 'done'), '1 issue, weight 1');
  await dragTo(page, card(page, 'b'), page.locator('[data-title="Closed"] header'), 70);
  await announced(page, 'moved to Closed');
  await page.reload();
  assert.deepEqual(
    [await cards(page, 'doing'), await cards(page, 'done'), await cards(page, 'Closed')],
    [['c'], ['a'], ['b']],
  );
  // A click is none: it follows the link.
  await page.getByRole('link', { name: 'c', exact: true }).click();
  await page.waitForURL(/issues\/1$/);
  const states = await api('GET', `/projects/${id}/issues?order_by=created_at&sort=asc`);
  assert.deepEqual(states.map((one) => [one.title, one.state]), [['c', 'opened'], ['b', 'closed'], ['a', 'opened']]);
  assert.deepEqual(problems, []);
  await context.close();
});

test('a card is moved by keys, and everything is announced', async () => {
  const { path } = await planned('keys', ['a', 'b', 'c']);
  const { page, context, problems } = await as(reporter);
  await page.goto(url + path);
  const b = card(page, 'b');
  await b.focus();
  await page.keyboard.press('Space');
  await announced(page, 'Lifted #2 b, 2 of 3 in doing.');
  await page.keyboard.press('ArrowUp');
  await announced(page, '1 of 3 in doing.');
  await page.keyboard.press('Escape');
  await announced(page, 'Put back #2 b, 2 of 3 in doing.');
  assert.deepEqual(await cards(page, 'doing'), ['a', 'b', 'c']);
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Space');
  await announced(page, '#2 moved within doing.');
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowRight');
  await announced(page, '1 of 1 in done.');
  assert.ok(await b.evaluate((one) => one === document.activeElement), 'the card has the focus');
  await page.keyboard.press('Space');
  await announced(page, '#2 moved to done.');
  await page.reload();
  assert.deepEqual([await cards(page, 'doing'), await cards(page, 'done')], [['a', 'c'], ['b']]);
  assert.deepEqual(problems, []);
  await context.close();
});

test('a finger drags a card that it stays on, and scrolls otherwise', async () => {
  const { path } = await planned('finger', ['a', 'b', 'c']);
  const { page, context, problems } = await as(reporter, {
    viewport: { width: 360, height: 800 },
    hasTouch: true,
    isMobile: true,
  });
  await page.goto(url + path);
  const board = page.locator('[data-board]');
  // Columns come to rest at the edge of the screen.
  await board.evaluate((one) => (one.scrollLeft = 200));
  await page.waitForFunction(() => {
    const board = document.querySelector('[data-board]');
    const column = document.querySelectorAll('[data-column]')[1].getBoundingClientRect();
    return board.scrollLeft > 200 && Math.abs(column.left - 16) < 3;
  });
  const touch = await context.newCDPSession(page);
  const point = (x, y) => ({ x, y });
  const send = (type, touchPoints) => touch.send('Input.dispatchTouchEvent', { type, touchPoints });
  const [from, to] = [await card(page, 'c').boundingBox(), await card(page, 'a').boundingBox()];
  const x = from.x + 30;
  await send('touchStart', [point(x, from.y + from.height - 8)]);
  await page.locator('.board.dragging').waitFor();
  for (let y = from.y; y > to.y + 4; y -= 12) await send('touchMove', [point(x, y)]);
  await send('touchMove', [point(x, to.y + 3)]);
  await send('touchEnd', []);
  await announced(page, 'moved within doing');
  assert.deepEqual(await cards(page, 'doing'), ['c', 'a', 'b']);
  // One that goes on at once lifts nothing.
  await send('touchStart', [point(x, to.y + 40)]);
  await send('touchMove', [point(x, to.y + 10)]);
  await send('touchMove', [point(x, to.y - 30)]);
  await page.waitForTimeout(400);
  assert.equal(await page.locator('.board.dragging').count(), 0);
  await send('touchEnd', []);
  assert.deepEqual(problems, []);
  await context.close();
});

test('a move that is refused puts the card back and says why', async () => {
  const { id, path } = await planned('refused', ['a', 'b']);
  const { page, context } = await as(reporter);
  await page.goto(url + path);
  await api('PUT', `/projects/${id}/issues/2`, { remove_labels: 'doing' });
  await card(page, 'a').focus();
  for (const key of ['Space', 'ArrowRight', 'Space']) await page.keyboard.press(key);
  await page.getByRole('alert').filter({ hasText: '#2 is no longer in doing' }).waitFor();
  assert.deepEqual([await cards(page, 'doing'), await cards(page, 'done')], [['a', 'b'], []]);
  assert.equal(await count(page, 'doing'), '2 issues, weight 2');
  await context.setOffline(true);
  await card(page, 'b').focus();
  for (const key of ['Space', 'ArrowRight', 'Space']) await page.keyboard.press(key);
  await page.getByRole('alert').filter({ hasText: 'the server cannot be reached' }).waitFor();
  assert.deepEqual(await cards(page, 'doing'), ['a', 'b']);
  await context.close();
});

test('who moves nothing sees no way to', async () => {
  const { path } = await planned('looked-at', ['a']);
  const { page, context, problems } = await as(guest);
  await page.goto(url + path);
  assert.equal(await page.locator('[data-movable], .card-menu').count(), 0);
  assert.equal(await page.locator('[data-title="doing"] .board-add').count(), 0);
  assert.equal(await page.getByText('Add a column').count(), 0);
  assert.deepEqual(problems, []);
  await context.close();
});

test('a board works without a script', async () => {
  const { path } = await planned('plain', ['a', 'b']);
  const { page, context } = await as(reporter, { javaScriptEnabled: false });
  await page.goto(url + path);
  const b = card(page, 'b');
  await b.locator('summary').click();
  await b.getByLabel('Move to').selectOption('done');
  await b.getByRole('button', { name: 'Move', exact: true }).click();
  await said(page, '#1 moved to done.');
  assert.deepEqual(await cards(page, 'done'), ['b']);
  const column = page.locator('[data-title="done"]');
  await column.locator('.board-add summary').click();
  await column.getByLabel('Title').fill('Brand new');
  await column.getByRole('button', { name: 'Create issue' }).click();
  await said(page, 'Issue #3 created.');
  assert.deepEqual(await cards(page, 'done'), ['Brand new', 'b']);
  await page.getByText('Add a column').click();
  await page.getByLabel('Label', { exact: false }).last().fill('bug');
  await page.getByRole('button', { name: 'Add column' }).click();
  await said(page, 'Column bug added.');
  await page.locator('[data-title="bug"] header summary').click();
  await page.getByRole('button', { name: 'Move left' }).click();
  await said(page, 'Column bug moved.');
  const titles = page.locator('[data-column]');
  assert.deepEqual(
    await titles.evaluateAll((all) => all.map((one) => one.dataset.title)),
    ['Open', 'doing', 'bug', 'done', 'Closed'],
  );
  await context.close();
});

for (const javaScriptEnabled of [true, false]) {
  test(`a long column shows more ${javaScriptEnabled ? 'with' : 'without'} a script`, async () => {
    const { page, context } = await open({ javaScriptEnabled });
    await page.goto(`${url}/${project}/-/boards`);
    const shown = page.locator('[data-title="Open"] [data-card]');
    assert.equal(await shown.count(), 20);
    await page.getByRole('link', { name: 'Show more' }).click();
    await shown.nth(21).waitFor();
    assert.equal(await shown.count(), 22);
    assert.equal(await page.getByRole('link', { name: 'Show more' }).count(), 0);
    await context.close();
  });
}

test('the roadmap is walked through by keys, and its names stay', async () => {
  const { page, context, problems } = await signedIn({ viewport: { width: 360, height: 800 } });
  await page.goto(`${url}/groups/${group}`);
  await page.goto(`${url}/groups/${group}/-/roadmap?from=2031-01-01`);
  const plot = page.getByRole('region', { name: /^Epics from/ });
  await plot.focus();
  const name = page.locator('.timeline-name a', { hasText: 'A house whose doors' });
  const before = (await name.boundingBox()).x;
  for (let n = 0; n < 6; n += 1) await page.keyboard.press('ArrowRight');
  await page.waitForFunction(() => document.querySelector('.timeline-plot').scrollLeft > 50);
  assert.ok(Math.abs((await name.boundingBox()).x - before) < 2, 'the names stay');
  assert.equal(await page.locator('.indent-1', { hasText: 'Doors' }).count(), 1);
  await page.getByText('As a table').click();
  const row = page.getByRole('row', { name: /A house whose doors all open/ });
  assert.match(await row.textContent(), /2031-02-01.*2031-09-30.*weight 0 of 1 closed/s);
  await page.getByText('Garden', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Later' }).click();
  await page.waitForURL(/from=2031-07-01/);
  await page.getByRole('link', { name: 'Quarters' }).click();
  await page.waitForURL(/scale=quarters/);
  await page.getByRole('link', { name: 'Today' }).waitFor();
  assert.deepEqual(problems, []);
  await context.close();
});
