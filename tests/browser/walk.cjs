// The whole walk of somebody new, by keyboard alone and then without a script,
// on a phone and at a desk: sign in, first steps, a group with a project, an
// issue with a picture and a name in it, filters, many issues changed at once,
// a thread answered and resolved, searching. Every page on the way is looked at
// in light and in dark. Wants a server of its own, since first steps are those
// of a new one. Run by `cargo xtask test --only browser`.

const assert = require('node:assert/strict');
const { test } = require('node:test');
const {
  PNG,
  SECRET,
  WIDTHS,
  api,
  checkAll,
  focus,
  open,
  password,
  run,
  said,
  signIn,
  url,
} = require('./shared.cjs');

const STEPS = [
  ['Create a group for your team', '/groups/new'],
  ['Create a project', '/projects/new'],
  ['Add the people you work with', '/admin/users'],
  ['Create an access token for your tools', '/-/user_settings/tokens'],
];

const at = (page, path) => page.waitForURL((now) => now.pathname === path);
const rows = (page) => page.locator('main .rows > li');
const look = (page, what) => checkAll(page, what, { widths: [page.viewportSize().width] });

// Goes on by Tab until this has the focus, which everything on the way shows.
async function reach(page, target, key = 'Tab') {
  const wanted = await target.elementHandle();
  for (let step = 0; step < 250; step += 1) {
    await page.keyboard.press(key);
    const seen = await focus(page);
    if (seen !== 'end') assert.equal(seen, 'shown', `the focus on ${page.url()}`);
    if (await wanted.evaluate((it) => it === document.activeElement)) return;
  }
  assert.fail(`${key} does not lead to ${target} on ${page.url()}`);
}

// The same, and presses it there.
async function press(page, target, key = 'Enter', way = 'Tab') {
  await reach(page, target, way);
  await page.keyboard.press(key);
}

// The same, and writes there.
async function write(page, target, text) {
  await reach(page, target);
  await page.keyboard.type(text);
}

// Goes through the options of a list by its arrows.
async function choose(page, target, value) {
  await reach(page, target);
  await page.keyboard.press('Home');
  for (let step = 0; (await target.inputValue()) !== value; step += 1) {
    assert.ok(step < 50, `${value} is an option of ${target}`);
    await page.keyboard.press('ArrowDown');
  }
}

async function keys(page, ...all) {
  for (const key of all) await page.keyboard.press(key);
}

const offered = (page, name) =>
  page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option', { name });

// Writes the beginning of a name into a picker and takes the first one offered.
async function pick(page, target, text, name) {
  await write(page, target, text);
  await offered(page, name).first().waitFor();
  await keys(page, 'ArrowDown', 'Enter');
}

// Which of the first steps are done; the others lead on.
async function checkSteps(page, done) {
  const shown = await page
    .getByRole('region', { name: 'First steps' })
    .locator('li')
    .evaluateAll((all) =>
      all.map((step) => [
        step.querySelector('.row-main').textContent,
        step.querySelector('.hush').textContent,
        step.querySelector('a')?.getAttribute('href') ?? null,
      ]),
    );
  const wanted = STEPS.map(([label, path], index) =>
    index < done ? [label, 'Done', null] : [label, 'To do', path],
  );
  assert.deepEqual(shown, wanted);
}

// Follows the next of the first steps.
async function step(page, index) {
  const [label, path] = STEPS[index];
  await checkSteps(page, index);
  await look(page, `home with ${index} steps done`);
  await press(page, page.getByRole('link', { name: label }));
  await at(page, path);
  await look(page, path);
}

async function home(page) {
  await keys(page, 'g', 'h');
  await at(page, '/');
}

async function firstSteps(page, { group, name }) {
  await step(page, 0);
  await write(page, page.getByLabel('Name'), group);
  await press(page, page.getByRole('button', { name: 'Create group' }));
  await said(page, 'is ready.');
  await look(page, 'a new group');
  await home(page);

  await step(page, 1);
  await write(page, page.getByLabel('Name'), 'Anvil');
  const inside = page.getByLabel('Inside');
  const option = inside.locator('option', { hasText: group });
  await choose(page, inside, await option.getAttribute('value'));
  await press(page, page.getByRole('button', { name: 'Create project' }));
  await at(page, `/${group}/anvil`);
  await said(page, 'Project Anvil is ready.');
  await look(page, 'a new project');
  await home(page);

  await step(page, 2);
  await press(page, page.getByRole('link', { name: 'New user' }));
  await at(page, '/admin/users/new');
  await look(page, 'a new user');
  await write(page, page.locator('#f-name'), 'Mira Lind');
  await write(page, page.locator('#f-username'), name);
  await write(page, page.locator('#f-email'), `${name}@example.com`);
  await choose(page, page.locator('#f-way'), 'password');
  await write(page, page.locator('#f-password'), SECRET);
  await press(page, page.getByLabel('The e-mail counts as confirmed'), 'Space');
  await press(page, page.getByRole('button', { name: 'Create user' }));
  await said(page, 'User created: Mira Lind.');
  await home(page);

  await step(page, 3);
  await write(page, page.getByLabel('Name'), 'tools');
  await press(page, page.getByLabel('api', { exact: true }), 'Space');
  await press(page, page.getByRole('button', { name: 'Create token' }));
  const token = await page.getByLabel('Access token', { exact: true }).inputValue();
  await look(page, 'a token that is shown once');
  await home(page);
  assert.equal(await page.getByRole('heading', { name: 'First steps' }).count(), 0);
  return token;
}

async function addMember(page, { name }) {
  await press(page, page.getByRole('link', { name: 'Anvil', exact: true }));
  await page.getByRole('heading', { name: 'Anvil' }).waitFor();
  await keys(page, 'g', 'u');
  await page.waitForURL(/\/-\/members$/);
  const who = page.getByRole('combobox', { name: 'User name or e-mail' });
  await pick(page, who, 'Mira', /Mira Lind/);
  assert.equal(await who.inputValue(), name);
  await choose(page, page.getByLabel('Role').first(), '30');
  await press(page, page.getByRole('button', { name: 'Add member' }));
  await said(page, 'Mira Lind is now a member: Developer.');
  await look(page, 'members');
}

// Pastes a picture of 48 by 32 pixels where the focus is.
const pastePicture = (page) =>
  page.evaluate(async () => {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [48, 32];
    canvas.getContext('2d').fillRect(8, 8, 16, 16);
    const picture = await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File([picture], 'image.png', { type: 'image/png' }));
    const init = { bubbles: true, cancelable: true, clipboardData };
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', init));
  });

async function writeIssue(page, { name }) {
  await keys(page, 'g', 'i');
  await page.waitForURL(/\/-\/issues$/);
  await look(page, 'no issues');
  await keys(page, 'c');
  await page.waitForURL(/\/-\/issues\/new$/);
  await look(page, 'a new issue');
  await write(page, page.getByLabel('Title'), 'The hinge squeaks');
  const area = page.getByRole('textbox', { name: 'Description' });
  await write(page, area, 'Ask @mir');
  await offered(page, /Mira Lind/).waitFor();
  await page.keyboard.press('Enter');
  assert.equal(await area.inputValue(), `Ask @${name} `);
  await page.keyboard.type('about this:');
  await pastePicture(page);
  await page.getByText('is uploaded.').waitFor();
  assert.match(await area.inputValue(), /this:\n!\[image\]\(\/uploads\/[0-9a-f]{32}\/image\.png\)\n$/);
  await write(page, page.getByRole('combobox', { name: 'Labels' }), 'bug');
  await page.keyboard.press('Enter');
  const picture = page.waitForResponse((it) => it.url().endsWith('/image.png'));
  await press(page, page.getByRole('button', { name: 'Create issue' }), 'Enter', 'Shift+Tab');
  assert.equal((await picture).status(), 200);
  await page.getByRole('heading', { name: /The hinge squeaks/ }).waitFor();
  const description = page.getByRole('region', { name: 'Description' });
  await description.getByRole('link', { name: `@${name}` }).waitFor();
  const size = await description.locator('img').evaluate((it) => [it.naturalWidth, it.naturalHeight]);
  assert.deepEqual(size, [48, 32]);
  await look(page, 'an issue with a picture');
}

// Somebody who was named has a to-do.
async function checkMention(name, title) {
  const { page, context } = await open();
  await signIn(page, name, SECRET);
  await page.goto(`${url}/dashboard/todos`);
  const todo = rows(page).filter({ has: page.getByRole('link', { name: title }) });
  await todo.getByText('mentioned you').waitFor();
  await context.close();
}

async function filter(page) {
  for (const title of ['The door is stuck', 'The bell is silent']) {
    await keys(page, 'g', 'i');
    await page.waitForURL(/\/-\/issues$/);
    await keys(page, 'c');
    await page.waitForURL(/\/-\/issues\/new$/);
    await write(page, page.getByLabel('Title'), title);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: title }).waitFor();
  }
  await keys(page, 'g', 'i');
  await page.waitForURL(/\/-\/issues$/);
  assert.equal(await rows(page).count(), 3);
  await press(page, rows(page).getByRole('link', { name: 'bug' }));
  await page.waitForURL(/[?&]labels=bug/);
  await rows(page).getByRole('link', { name: 'The hinge squeaks' }).waitFor();
  assert.equal(await rows(page).count(), 1);
  await look(page, 'a filtered list');
  await press(page, page.getByRole('link', { name: /^Remove .*bug$/ }));
  await page.waitForURL((now) => !now.search.includes('labels=bug'));
  assert.equal(await rows(page).count(), 3);

  await press(page, page.locator('summary', { hasText: 'Filter' }));
  await write(page, page.getByRole('combobox', { name: 'Labels', exact: true }), 'bug');
  await page.keyboard.press('Enter');
  await look(page, 'a filter');
  await press(page, page.getByRole('button', { name: 'Apply' }));
  await page.waitForURL(/[?&]labels=bug/);
  assert.equal(await rows(page).count(), 1);
  await press(page, page.getByRole('link', { name: /^Remove .*bug$/ }));
  await page.waitForURL((now) => !now.search.includes('labels=bug'));
}

async function editSeveral(page) {
  const row = (title) => rows(page).filter({ has: page.getByRole('link', { name: title }) });
  await press(page, row('The bell is silent').getByRole('checkbox'), 'Space');
  await press(page, row('The door is stuck').getByRole('checkbox'), 'Space');
  const summary = page.locator('summary', { hasText: 'Edit several at once' });
  await press(page, summary, 'Enter', 'Shift+Tab');
  await choose(page, page.getByLabel('State', { exact: true }), 'close');
  await write(page, page.getByRole('combobox', { name: 'Add labels' }), 'oil');
  await page.keyboard.press('Enter');
  await pick(page, page.getByRole('combobox', { name: 'Assignees' }), 'Mira', /Mira Lind/);
  await look(page, 'several issues to edit');
  await press(page, page.getByRole('button', { name: 'Update selected' }));
  await said(page, '2 issues updated.');
  await checkEdited(page);
}

// What became of the two issues that were edited at once.
async function checkEdited(page) {
  assert.equal(await rows(page).count(), 1);
  await press(page, page.getByRole('link', { name: /^Closed/ }));
  await page.waitForURL(/state=closed/);
  for (const title of ['The bell is silent', 'The door is stuck']) {
    const row = rows(page).filter({ has: page.getByRole('link', { name: title }) });
    await row.getByRole('link', { name: 'oil' }).waitFor();
    await row.getByRole('link', { name: 'Assigned to Mira Lind' }).waitFor();
  }
  assert.equal(await rows(page).count(), 2);
  await look(page, 'closed issues');
}

async function discuss(page) {
  await keys(page, 'g', 'i');
  await page.waitForURL(/\/-\/issues$/);
  await keys(page, 'j', 'Enter');
  await page.getByRole('heading', { name: /The hinge squeaks/ }).waitFor();
  await write(page, page.getByRole('textbox', { name: 'Comment', exact: true }), 'The upper one?');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('paragraph').filter({ hasText: 'The upper one?' }).waitFor();
  await press(page, page.locator('summary', { hasText: 'Reply…' }));
  await write(page, page.getByRole('textbox', { name: 'Reply' }), 'Both of them.');
  await look(page, 'a reply');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('paragraph').filter({ hasText: 'Both of them.' }).waitFor();
  await look(page, 'a thread');
  await press(page, page.getByRole('button', { name: 'Resolve thread' }));
  await said(page, 'Thread resolved.');
  await look(page, 'a resolved thread');
  await press(page, page.locator('summary', { hasText: 'Resolved by' }));
  await page.getByRole('button', { name: 'Reopen thread' }).waitFor();
}

// By either key, and opens what was found; once on the issue itself.
async function search(page) {
  const here = page.url();
  for (const key of ['/', 'Control+k']) {
    await page.keyboard.press(key);
    await page.waitForFunction(() => document.activeElement.type === 'search');
    assert.equal(await focus(page), 'shown', 'the focus is in a search field');
    await page.keyboard.type('squeaks');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/search\?.*squeaks/);
    await page.getByRole('link', { name: 'The hinge squeaks' }).waitFor();
    await look(page, 'what was found');
    await keys(page, 'j', 'Enter');
    await at(page, new URL(here).pathname);
  }
}

// Takes away what the walk made, so that the server is a new one again.
async function leave(token, { group, name }) {
  const ask = (method, path) => api(method, path, undefined, token);
  await ask('DELETE', `/groups/${group}`);
  const [{ id }] = await ask('GET', `/users?username=${name}`);
  await ask('DELETE', `/users/${id}?hard_delete=true`);
  const isGone = async () =>
    !(await ask('GET', '/groups')).length && !(await ask('GET', `/users?username=${name}`)).length;
  for (let tries = 0; !(await isGone()); tries += 1) {
    assert.ok(tries < 100, 'the group and the user are gone');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await ask('DELETE', '/personal_access_tokens/self');
}

// The token of the suite would tick the last of the first steps.
test('the server is a new one', async () => {
  for (const what of ['/groups', '/projects']) {
    assert.deepEqual(await api('GET', what), [], `a server of its own, without ${what}`);
  }
  await api('DELETE', '/personal_access_tokens/self');
});

for (const width of WIDTHS) {
  test(`the whole walk by keyboard alone, ${width} pixels wide`, async () => {
    const names = { group: `forge-${run}-${width}`, name: `mira-${width}-${run}` };
    const { page, context, problems } = await open({ viewport: { width, height: 800 } });
    await page.goto(`${url}/users/sign_in`);
    await look(page, 'the sign-in');
    await write(page, page.getByLabel('User name or e-mail'), 'root');
    await write(page, page.getByLabel('Password'), password);
    await page.keyboard.press('Enter');
    await at(page, '/');

    const token = await firstSteps(page, names);
    await addMember(page, names);
    await writeIssue(page, names);
    await checkMention(names.name, 'The hinge squeaks');
    await filter(page);
    await editSeveral(page);
    await discuss(page);
    await search(page);
    assert.deepEqual(problems, []);
    await context.close();
    await leave(token, names);
  });
}

// The rules need a script: they look at a copy of the page where scripts may run
// and none of ours does.
async function lookPlainly(page, what) {
  const { page: copy, context } = await open({ viewport: page.viewportSize() });
  await context.addCookies(await page.context().cookies());
  const body = (await page.content()).replace(/<(\/?)noscript>/g, '<$1div>');
  await copy.route(page.url(), (route) => route.fulfill({ body, contentType: 'text/html' }));
  await copy.route('**/*.js', (route) => route.abort());
  await copy.goto(page.url());
  await look(copy, `${what} without a script`);
  await context.close();
}

// The Markdown of a picture, by the form that is there without a script.
async function upload(page, context) {
  const [tab] = await Promise.all([
    context.waitForEvent('page'),
    page.getByRole('link', { name: 'Upload a file' }).click(),
  ]);
  await lookPlainly(tab, 'an upload');
  await tab.getByLabel('File').setInputFiles({ name: 'hinge.png', mimeType: 'image/png', buffer: PNG });
  await tab.getByRole('button', { name: 'Upload' }).click();
  const markdown = await tab.getByLabel('Markdown of the file').inputValue();
  await lookPlainly(tab, 'an uploaded file');
  await tab.close();
  return markdown;
}

// Goes to a part of the project: beside the page, or in the drawer of a phone.
async function go(page, name) {
  if (page.viewportSize().width < 992) await page.getByRole('button', { name: 'Navigation' }).click();
  await page.locator('#rail').getByRole('link', { name }).click();
}

async function writeIssuesPlainly(page, context) {
  for (const [title, labels] of [['The door is stuck', ''], ['The bell is silent', ''], ['The hinge squeaks', 'bug']]) {
    await go(page, /^Issues/);
    await page.getByRole('link', { name: 'New issue' }).click();
    await page.getByLabel('Title').fill(title);
    await page.getByLabel('Labels').fill(labels);
    if (labels) {
      await lookPlainly(page, 'a new issue');
      await page.getByLabel('Description').fill(`See, @root: ${await upload(page, context)}`);
    }
    await page.getByRole('button', { name: 'Create issue' }).click();
    await page.getByRole('heading', { name: title }).waitFor();
  }
  const description = page.getByRole('region', { name: 'Description' });
  const source = await description.locator('img').getAttribute('src');
  assert.equal((await context.request.get(new URL(source, url).href)).status(), 200);
  await lookPlainly(page, 'an issue');
}

async function changePlainly(page) {
  await go(page, /^Issues/);
  await page.locator('summary', { hasText: 'Filter' }).click();
  await page.getByLabel('Labels', { exact: true }).fill('bug');
  await lookPlainly(page, 'a filter');
  await page.getByRole('button', { name: 'Apply' }).click();
  assert.equal(await rows(page).count(), 1);
  await page.getByRole('link', { name: /^Remove .*bug$/ }).click();
  assert.equal(await rows(page).count(), 3);
  for (const title of ['The door is stuck', 'The bell is silent']) {
    await rows(page).filter({ hasText: title }).getByRole('checkbox').check();
  }
  await page.locator('summary', { hasText: 'Edit several at once' }).click();
  await page.getByLabel('State', { exact: true }).selectOption('close');
  await page.getByLabel('Add labels').fill('oil');
  await page.getByLabel('Assignees').fill('root');
  await lookPlainly(page, 'several issues to edit');
  await page.getByRole('button', { name: 'Update selected' }).click();
  await said(page, '2 issues updated.');
  await page.getByRole('link', { name: /^Closed/ }).click();
  assert.equal(await rows(page).getByRole('link', { name: 'oil' }).count(), 2);
  assert.equal(await rows(page).getByRole('link', { name: 'Assigned to' }).count(), 2);
}

async function discussPlainly(page) {
  await page.getByRole('link', { name: /^Open/ }).click();
  await page.getByRole('link', { name: 'The hinge squeaks' }).click();
  await page.getByLabel('Comment', { exact: true }).fill('The upper one?');
  await page.getByRole('button', { name: 'Comment', exact: true }).click();
  await page.getByRole('paragraph').filter({ hasText: 'The upper one?' }).waitFor();
  await page.locator('summary', { hasText: 'Reply…' }).click();
  await page.getByRole('textbox', { name: 'Reply' }).fill('Both of them.');
  await page.getByRole('button', { name: 'Reply', exact: true }).click();
  await page.getByRole('paragraph').filter({ hasText: 'Both of them.' }).waitFor();
  await page.getByRole('button', { name: 'Resolve thread' }).click();
  await said(page, 'Thread resolved.');
  await page.locator('summary', { hasText: 'Resolved by' }).click();
  await page.getByRole('button', { name: 'Reopen thread' }).waitFor();
  await lookPlainly(page, 'a resolved thread');
}

for (const width of WIDTHS) {
  test(`the same without a script, ${width} pixels wide`, async () => {
    const group = `plain-${run}-${width}`;
    const { page, context, problems } = await open({
      viewport: { width, height: 800 },
      javaScriptEnabled: false,
    });
    await signIn(page);
    await page.locator('summary', { hasText: /^\s*New\s*$/ }).click();
    await page.getByRole('link', { name: 'New group' }).click();
    await page.getByLabel('Name').fill(group);
    await page.getByRole('button', { name: 'Create group' }).click();
    await page.getByRole('link', { name: 'New project' }).first().click();
    await page.getByLabel('Name').fill('Anvil');
    await page.getByRole('button', { name: 'Create project' }).click();
    await at(page, `/${group}/anvil`);
    await writeIssuesPlainly(page, context);
    await changePlainly(page);
    await discussPlainly(page);
    const issue = new URL(page.url()).pathname;
    await page.goto(`${url}/search`);
    await page.getByLabel('What to search for').fill('squeaks');
    await page.getByRole('main').getByRole('button', { name: 'Search' }).click();
    await lookPlainly(page, 'what was found');
    await page.getByRole('main').getByRole('link', { name: 'The hinge squeaks' }).first().click();
    await at(page, issue);
    assert.deepEqual(problems, []);
    await context.close();
  });
}
