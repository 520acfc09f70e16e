// Editors and pickers in a real browser: by keyboard, with pasted pictures,
// with text that comes back, and without a script. Run by `cargo xtask test
// --only browser`.

const assert = require('node:assert/strict');
const { before, test } = require('node:test');
const {
  WIDTHS,
  api,
  checkAll,
  person,
  run,
  said,
  signIn,
  signedIn,
  url,
} = require('./shared.cjs');

const group = `editor-${run}`;
const project = `${group}/anvil`;
const member = `smith-${run}`;
const NEW = `${url}/${project}/-/issues/new`;

before(async () => {
  const { id: namespace } = await api('POST', '/groups', { name: 'Editor', path: group });
  const place = { name: 'Anvil', path: 'anvil', namespace_id: namespace };
  const { id } = await api('POST', '/projects', place);
  const user = await person(member, 'Sam Smith');
  await api('POST', `/projects/${id}/members`, { user_id: user.id, access_level: 30 });
  for (const name of ['bug', 'bugle', 'two words']) {
    await api('POST', `/projects/${id}/labels`, { name, color: '#1068bf' });
  }
  await api('POST', `/projects/${id}/milestones`, { title: '1.0' });
  await api('POST', `/projects/${id}/issues`, { title: 'A hinge that squeaks' });
  await api('POST', `/groups/${namespace}/epics`, { title: 'A house with doors' });
});

// Answers a route of the page in place of the server.
const answers = (page, end, status, body) =>
  page.route(`**/-/${end}`, (route) => route.fulfill({ status, json: body }));

// The form of a new issue, once its script runs.
async function openForm(page) {
  await page.goto(NEW);
  await page.getByRole('tab', { name: 'Write' }).waitFor();
  await page.getByRole('combobox', { name: 'Labels' }).waitFor();
}

// What is offered; the options of a select are none of these.
const option = (page, name) =>
  page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option', { name });

test('names are completed by keyboard alone', async () => {
  const { page, context, problems } = await signedIn();
  await openForm(page);
  const area = page.getByRole('textbox', { name: 'Description' });
  await area.focus();
  const steps = [
    ['Ask @sam', /Sam Smith/, 'Enter', `Ask @${member} `],
    ['about #hinge', /A hinge that squeaks/, 'Tab', 'about #1 '],
    ['for &house', /A house with doors/, 'Enter', 'for &1 '],
    ['as ~bug', /^bug/, 'Enter', 'as ~bug '],
    ['or ~two', /two words/, 'Enter', 'or ~"two words" '],
    ['for %1', /1\.0/, 'Enter', 'for %1.0 '],
    [':tad', /tada/, 'Enter', ':tada: '],
  ];
  let text = '';
  for (const [typed, name, key, written] of steps) {
    await page.keyboard.type(typed);
    await option(page, name).first().waitFor();
    const active = await area.getAttribute('aria-activedescendant');
    assert.equal(await page.locator(`#${active}`).getAttribute('aria-selected'), 'true');
    await page.keyboard.press(key);
    text += written;
    assert.equal(await area.inputValue(), text);
    assert.equal(await option(page).count(), 0, 'the list is closed');
  }
  // The second by the arrow, none by Escape, and code is left alone.
  await page.keyboard.type('~bu');
  await option(page, /^bugle/).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  assert.equal(await area.inputValue(), `${text}~bugle `);
  await page.keyboard.type('@sam');
  await option(page, /Sam Smith/).waitFor();
  await page.keyboard.press('Escape');
  assert.equal(await option(page).count(), 0);
  await area.fill('```\n@sa');
  await page.keyboard.type('m');
  await page.waitForTimeout(400);
  assert.equal(await option(page).count(), 0, 'nothing within code');
  assert.deepEqual(problems, []);
  await context.close();
});

test('the toolbar, its keys and lists that go on', async () => {
  const { page, context, problems } = await signedIn();
  await openForm(page);
  const area = page.getByRole('textbox', { name: 'Description' });
  const becomes = async (text) => assert.equal(await area.inputValue(), text);
  await area.fill('iron');
  await area.selectText();
  await page.keyboard.press('Control+b');
  await becomes('**iron**');
  await page.keyboard.press('Control+b');
  await becomes('iron');
  await page.keyboard.press('Control+k');
  await becomes('[iron](https://)');
  await page.keyboard.type('https://example.com/');
  await becomes('[iron](https://example.com/)');
  await page.keyboard.press('Control+z');
  assert.notEqual(await area.inputValue(), '[iron](https://example.com/)', 'a step is undone');
  await area.fill('');
  await page.keyboard.type('- [x] heat\nstrike\n\nthen\n1. one\ntwo');
  await becomes('- [x] heat\n- [ ] strike\nthen\n1. one\n2. two');
  await area.fill('a\nb');
  await area.selectText();
  await page.getByRole('button', { name: 'Numbered list' }).click();
  await becomes('1. a\n2. b');
  await page.getByRole('button', { name: 'Numbered list' }).click();
  await becomes('a\nb');
  // Tab reaches the tools once; the arrows go through them.
  await page.getByRole('button', { name: 'Bold' }).focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.evaluate(() => document.activeElement.ariaLabel), 'Italic');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'f-description');
  await page.getByLabel('Title').fill('Sent by keys');
  await area.focus();
  await page.keyboard.press('Control+Enter');
  await page.getByRole('heading', { name: /Sent by keys/ }).waitFor();
  assert.deepEqual(problems, []);
  await context.close();
});

test('a text is previewed as the server renders it', async () => {
  const { page, context, problems } = await signedIn();
  let sent;
  await page.route('**/-/preview_markdown', (route) => {
    sent = route.request();
    return route.fulfill({ json: { body: '<p>It is <strong>hot</strong>.</p>' } });
  });
  await openForm(page);
  const area = page.getByRole('textbox', { name: 'Description' });
  await area.fill('It is **hot**.');
  await page.getByRole('tab', { name: 'Write' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.getByRole('tabpanel').locator('strong', { hasText: 'hot' }).waitFor();
  assert.equal(new URL(sent.url()).pathname, `/${project}/-/preview_markdown`);
  const form = new URLSearchParams(sent.postData());
  assert.equal(form.get('text'), 'It is **hot**.');
  assert.ok(form.get('authenticity_token').length > 10);
  assert.ok(!(await area.isVisible()));
  await page.getByRole('tab', { name: 'Write' }).click();
  assert.ok(await area.isVisible());
  await page.unroute('**/-/preview_markdown');
  await answers(page, 'preview_markdown', 500, {});
  await page.getByRole('tab', { name: 'Preview' }).click();
  await page.getByText('The preview could not be loaded.').waitFor();
  assert.deepEqual(problems.filter((text) => !text.includes('500')), []);
  await context.close();
});

// Files in the clipboard, or dropped.
const hand = (area, type, names) =>
  area.evaluate(
    (field, [event, files]) => {
      const data = new DataTransfer();
      for (const name of files) data.items.add(new File(['a picture'], name, { type: 'image/png' }));
      const init = { bubbles: true, cancelable: true };
      const made =
        event === 'paste'
          ? new ClipboardEvent(event, { ...init, clipboardData: data })
          : new DragEvent(event, { ...init, dataTransfer: data });
      field.dispatchEvent(made);
    },
    [type, names],
  );

test('pictures are pasted and dropped, and refusals are said', async () => {
  const { page, context, problems } = await signedIn();
  let [release, bodies] = [null, []];
  const held = new Promise((resolve) => (release = resolve));
  await page.route('**/-/uploads', async (route) => {
    bodies.push(route.request().postData() ?? '');
    await held;
    const at = bodies.length;
    const link = { url: `/uploads/${at}/a.png`, alt: 'a', markdown: `![a](/uploads/${at}/a.png)` };
    return route.fulfill({ json: { link } });
  });
  await openForm(page);
  const area = page.getByRole('textbox', { name: 'Description' });
  await area.fill('Look:');
  await hand(area, 'paste', ['hinge [1].png']);
  await page.waitForFunction(() => document.querySelector('#f-description').value.includes('[Uploading hinge'));
  await page.getByLabel('Title').fill('With a picture');
  await page.getByRole('button', { name: 'Create issue' }).click();
  await page.getByText('Wait until the files are uploaded.').waitFor();
  release();
  await page.getByText('is uploaded.').waitFor();
  assert.equal(await area.inputValue(), 'Look:\n![a](/uploads/1/a.png)\n');
  await hand(area, 'drop', ['b.png', 'c.png']);
  await page.waitForFunction(() => document.querySelector('#f-description').value.match(/uploads/g)?.length === 3);
  assert.ok(!(await area.inputValue()).includes('Uploading'));
  await page.unroute('**/-/uploads');
  await answers(page, 'uploads', 413, { message: '413 Request Entity Too Large' });
  await hand(area, 'paste', ['large.png']);
  await page.getByText('large.png was not uploaded: 413 Request Entity Too Large.').waitFor();
  assert.ok(!(await area.inputValue()).includes('large'));
  assert.deepEqual(problems.filter((text) => !text.includes('413')), []);
  await context.close();
});

test('text that was not saved comes back', async () => {
  const { page, context } = await signedIn();
  const area = page.getByRole('textbox', { name: 'Description' });
  const restore = page.getByRole('button', { name: 'Restore' });
  await openForm(page);
  await area.fill('Half a thought');
  await page.goto(url);
  await openForm(page);
  await page.getByText('Text that you did not save is kept.').waitFor();
  assert.equal(await area.inputValue(), '');
  await restore.click();
  assert.equal(await area.inputValue(), 'Half a thought');
  assert.equal(await restore.count(), 0);

  // The session ends while somebody writes.
  await page.getByLabel('Title').fill('A thought');
  await context.clearCookies();
  await page.getByRole('button', { name: 'Create issue' }).click();
  await page.waitForLoadState();
  await signIn(page);
  await openForm(page);
  await restore.click();
  assert.equal(await area.inputValue(), 'Half a thought');

  // Once saved, it is forgotten; so is what is discarded.
  await page.getByLabel('Title').fill('A thought');
  await page.getByRole('button', { name: 'Create issue' }).click();
  await page.getByRole('heading', { name: /A thought/ }).waitFor();
  await openForm(page);
  assert.equal(await restore.count(), 0);
  await area.fill('Nothing much');
  await page.goto(url);
  await openForm(page);
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.goto(url);
  await openForm(page);
  assert.equal(await restore.count(), 0);
  await context.close();
});

test('labels and people are picked by keyboard', async () => {
  const { page, context, problems } = await signedIn();
  await openForm(page);
  await page.getByLabel('Title').fill('Picked');
  const field = page.getByRole('combobox', { name: 'Labels' });
  const chips = page.getByRole('list', { name: 'Chosen' }).getByRole('listitem');
  await field.focus();
  await page.keyboard.type('bug');
  await option(page, /^bugle/).waitFor();
  assert.equal(await field.getAttribute('aria-expanded'), 'true');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  assert.deepEqual(await chips.allTextContents(), ['bug']);
  assert.equal(await field.getAttribute('aria-expanded'), 'false');
  await page.keyboard.type('fresh, wrong');
  await page.keyboard.press('Enter');
  assert.deepEqual(await chips.allTextContents(), ['bug', 'fresh', 'wrong']);
  await page.keyboard.press('Backspace');
  assert.deepEqual(await chips.allTextContents(), ['bug', 'fresh']);
  await page.getByRole('button', { name: 'Remove fresh' }).press('Enter');
  await page.keyboard.type('two words');
  await page.getByRole('button', { name: 'Create issue' }).click();
  await page.getByRole('heading', { name: /Picked/ }).waitFor();
  const path = new URL(page.url()).pathname.split('/').at(-1);
  const issue = await api('GET', `/projects/${encodeURIComponent(project)}/issues/${path}`);
  assert.deepEqual(issue.labels, ['bug', 'two words']);

  await page.goto(`${url}/${project}/-/issues`);
  await page.getByText('Filter', { exact: true }).click();
  await page.getByRole('combobox', { name: 'Labels', exact: true }).fill('bug');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Apply' }).click();
  assert.equal(new URL(page.url()).searchParams.get('labels'), 'bug');
  await page.getByRole('link', { name: 'Picked' }).waitFor();
  await page.getByText('Filter').click();
  assert.deepEqual(await chips.allTextContents(), ['bug']);

  await page.goto(`${url}/groups/${group}/-/members`);
  const who = page.getByRole('combobox', { name: 'User name' });
  await who.focus();
  await page.keyboard.type('Sam');
  await option(page, /Sam Smith/).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  assert.equal(await who.inputValue(), member);
  await page.getByRole('button', { name: 'Add member' }).click();
  await said(page, 'is now a member');
  assert.deepEqual(problems, []);
  await context.close();
});

test('every state of them is accessible', async () => {
  const { page, context, problems } = await signedIn();
  await answers(page, 'preview_markdown', 200, { body: '<p>A <a href="/">link</a>.</p>' });
  // Where a list stands depends on the width that it was opened at.
  for (const width of WIDTHS) {
    const both = (what) => checkAll(page, what, { widths: [width] });
    await page.setViewportSize({ width, height: 800 });
    await openForm(page);
    const area = page.getByRole('textbox', { name: 'Description' });
    await area.focus();
    await page.keyboard.type('A long line of text before the name, so that it stands far right @s');
    await option(page, /Sam Smith/).waitFor();
    await both('completion');
    await page.keyboard.press('Escape');
    await page.getByRole('tab', { name: 'Preview' }).click();
    await page.getByRole('tabpanel').getByRole('link').waitFor();
    await both('a preview');
    await page.getByRole('combobox', { name: 'Labels' }).fill('bug, a label with a rather long title, b');
    await option(page, /^bugle/).waitFor();
    await page.keyboard.press('ArrowDown');
    await both('a picker');
    await page.goto(url);
    await openForm(page);
    await page.getByRole('button', { name: 'Restore' }).waitFor();
    await both('a draft');
    await page.getByRole('button', { name: 'Discard' }).click();
  }
  assert.deepEqual(problems, []);
  await context.close();
});

test('all of it works without a script', async () => {
  const { page, context } = await signedIn({ javaScriptEnabled: false });
  await page.goto(NEW);
  await page.getByLabel('Title').fill('Plain');
  await page.getByLabel('Description').fill('Only **text**.');
  await page.getByLabel('Labels').fill('bug, two words');
  await page.getByRole('button', { name: 'Create issue' }).click();
  await page.getByRole('heading', { name: /Plain/ }).waitFor();
  await page.locator('strong', { hasText: 'text' }).waitFor();
  const one = page.url();
  await page.goto(`${one}/edit`);
  assert.equal(await page.getByLabel('Description').inputValue(), 'Only **text**.');
  await page.goto(`${url}/${project}/-/issues?labels=bug,two%20words`);
  await page.getByRole('link', { name: 'Plain' }).waitFor();
  await page.goto(one);
  await page.getByLabel('Comment', { exact: true }).fill('Noted.');
  await page.getByRole('button', { name: 'Comment', exact: true }).click();
  await page.getByRole('paragraph').filter({ hasText: 'Noted.' }).waitFor();
  await context.close();
});
