// The pages in a real browser, at a phone's width and a desk's: what people
// do with them, and that everyone can. Run by `cargo xtask test --only browser`.

const assert = require('node:assert/strict');
const { before, test } = require('node:test');
const {
  SECRET,
  api,
  checkAll,
  checkFocus,
  code,
  enter,
  open,
  password,
  person,
  run,
  said,
  signedIn,
  url,
  visit,
} = require('./shared.cjs');
const { makeCode } = require('./repository.cjs');

const group = `browser-${run}`;
const project = `${group}/anvil`;
const member = `member-${run}`;

before(async () => {
  await api('PUT', '/application/settings', { signup_enabled: true });
  await person(member, 'A member');
});

test('a wrong password is refused with a message', async () => {
  const { page, context } = await open();
  await page.goto(`${url}/users/sign_in`);
  await page.getByLabel('User name or e-mail').fill('root');
  await page.getByLabel('Password').fill('not the password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').filter({ hasText: 'Invalid login or password.' }).waitFor();
  assert.equal(await page.getByLabel('User name or e-mail').inputValue(), 'root');
  await context.close();
});

test('the sign-in form works by keyboard alone', async () => {
  const { page, context } = await open();
  await page.goto(`${url}/users/sign_in`);
  await page.getByLabel('User name or e-mail').focus();
  await page.keyboard.type('root');
  await page.keyboard.press('Tab');
  await page.keyboard.type(password);
  await page.keyboard.press('Enter');
  await page.waitForURL((now) => !now.pathname.includes('sign_in'));
  await context.close();
});

test('somebody signs up and is let in', async () => {
  const name = `fresh-${run}`;
  const { page, context, problems } = await open({ javaScriptEnabled: false });
  await page.goto(`${url}/users/sign_in`);
  await page.getByRole('link', { name: 'Sign up' }).click();
  await page.locator('#f-name').fill('Fresh');
  await page.getByLabel('User name').fill('admin');
  await page.getByLabel('E-mail').fill(`${name}@example.com`);
  await page.getByLabel('Password').fill(SECRET);
  await page.getByRole('button', { name: 'Sign up' }).click();
  await page.getByText('Is a reserved name').waitFor();
  assert.equal(await page.locator('#f-name').inputValue(), 'Fresh');
  await page.getByLabel('User name').fill(name);
  await page.getByLabel('Password').fill(SECRET);
  await page.getByRole('button', { name: 'Sign up' }).click();
  await page.getByRole('heading', { name: 'Thank you' }).waitFor();
  const admin = await signedIn({ javaScriptEnabled: false });
  await admin.page.goto(`${url}/admin/users?filter=pending`);
  await admin.page.getByRole('link', { name: 'Fresh' }).click();
  await admin.page.getByRole('button', { name: 'Approve' }).click();
  await said(admin.page, 'Fresh is let in.');
  await admin.context.close();
  assert.equal(problems.filter((text) => !text.includes('422')).length, 0);
  await context.close();
});

// The whole way without a script: every form is a plain one.
test('a group, a project, a member and tokens are made without a script', async () => {
  const { page, context } = await signedIn({ javaScriptEnabled: false });

  await page.goto(url);
  await page.locator('summary', { hasText: /^\s*New\s*$/ }).click();
  await page.getByRole('link', { name: 'New group' }).click();
  await page.getByLabel('Name').fill('Browser');
  await page.getByLabel('Path').fill('-no');
  await page.getByRole('button', { name: 'Create group' }).click();
  await page.getByText('Can contain only letters').waitFor();
  assert.equal(await page.getByLabel('Name').inputValue(), 'Browser');
  await page.getByLabel('Path').fill(group);
  await page.getByLabel('Visibility').selectOption('internal');
  await page.getByRole('button', { name: 'Create group' }).click();
  await said(page, 'Group Browser is ready.');

  await page.getByRole('link', { name: 'New project' }).first().click();
  await page.getByLabel('Name').fill('Anvil');
  await page.getByRole('button', { name: 'Create project' }).click();
  await said(page, 'Project Anvil is ready.');
  assert.equal(new URL(page.url()).pathname, `/${project}`);

  await page.getByRole('link', { name: /^Members/ }).click();
  await page.getByLabel('User name').fill(member);
  await page.getByLabel('Role').first().selectOption({ label: 'Developer' });
  await page.getByRole('button', { name: 'Add member' }).click();
  await said(page, 'A member is now a member: Developer.');
  const row = page.getByRole('row').filter({ hasText: `@${member}` });
  await row.locator('summary', { hasText: 'Remove' }).click();
  await row.getByRole('button', { name: 'Remove' }).click();
  await said(page, 'Member removed.');

  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByLabel('Topics').fill('iron, heavy');
  await page.getByRole('button', { name: 'Save settings' }).click();
  await said(page, 'Settings saved.');
  await page.getByRole('link', { name: 'Access tokens' }).click();
  await page.getByLabel('Name').fill('deploy');
  await page.getByLabel('api', { exact: true }).check();
  await page.getByRole('button', { name: 'Create token' }).click();
  const secret = await page.getByLabel('Access token', { exact: true }).inputValue();
  const asked = await fetch(`${url}/api/v4/projects/${encodeURIComponent(project)}`, {
    headers: { 'PRIVATE-TOKEN': secret },
  });
  assert.equal(asked.status, 200);

  await page.goto(`${url}/-/user_settings/tokens`);
  await page.getByLabel('Name').fill(`laptop ${run}`);
  await page.getByLabel('read_user', { exact: true }).check();
  await page.getByRole('button', { name: 'Create token' }).click();
  await page.getByText('it is shown this once only').waitFor();
  await context.close();
});

test('an error is reported, seen and resolved', async () => {
  const id = (await api('GET', `/projects/${encodeURIComponent(project)}`)).id;
  await api('PUT', `/projects/${id}/error_tracking/settings?active=true&integrated=true`);
  const key = (await api('POST', `/projects/${id}/error_tracking/client_keys`)).public_key;
  const frame = { function: 'heat', filename: 'forge.py', lineno: 7, context_line: 'heat(1600)' };
  const exception = [{ type: 'TooHot', value: '1600 degrees', stacktrace: { frames: [frame] } }];
  const sent = await fetch(`${url}/api/v4/error_tracking/collector/api/${id}/store/?sentry_key=${key}`, {
    method: 'POST',
    body: JSON.stringify({ exception }),
  });
  assert.equal(sent.status, 200);
  const { page, context, problems } = await signedIn();
  await page.goto(`${url}/${project}/-/error_tracking`);
  await checkAll(page, 'errors');
  await page.getByRole('link', { name: 'TooHot', exact: true }).click();
  await page.getByText('forge.py:7').waitFor();
  await checkAll(page, 'an error');
  await page.getByRole('button', { name: 'Resolve' }).click();
  await page.getByText('The error is resolved.').waitFor();
  assert.deepEqual(problems, []);
  await context.close();
});

test('an alert is received, seen and resolved', async () => {
  const { page, context, problems } = await signedIn();
  await page.goto(`${url}/${project}/-/settings/alerts`);
  await page.getByLabel('Name').fill('Furnace');
  await page.getByRole('button', { name: 'Add integration' }).click();
  await page.getByText('Integration created.').waitFor();
  const address = await page.getByLabel('Address', { exact: true }).inputValue();
  const key = await page.getByLabel('Authorization key').inputValue();
  await checkAll(page, 'an integration');
  const sent = await fetch(address, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}` },
    body: JSON.stringify({ title: 'Too hot', severity: 'high', furnace: { degrees: '1600' } }),
  });
  assert.equal(sent.status, 200);
  await page.goto(`${url}/${project}/-/alert_management`);
  await checkAll(page, 'alerts');
  await page.getByRole('link', { name: 'Too hot', exact: true }).click();
  await page.getByText('furnace.degrees').waitFor();
  await checkAll(page, 'an alert');
  await page.getByRole('textbox', { name: 'Comment' }).fill('It **glows**.');
  await page.getByRole('button', { name: 'Comment', exact: true }).click();
  await said(page, 'Comment added.');
  await page.getByText('Reply…').click();
  await page.getByRole('textbox', { name: 'Reply' }).fill('Let it cool.');
  await page.getByRole('button', { name: 'Reply', exact: true }).click();
  await page.getByRole('paragraph').filter({ hasText: 'Let it cool.' }).waitFor();
  await checkAll(page, 'an alert');
  await page.getByLabel('Status', { exact: true }).selectOption('resolved');
  await page.getByRole('button', { name: 'Set status' }).click();
  await page.getByText('The alert is resolved.').waitFor();
  await checkAll(page, 'an alert that is resolved');
  assert.deepEqual(problems, []);
  await context.close();
});

test('pipelines begin by the clock', async () => {
  const { page, context, problems } = await signedIn();
  const { id } = await api('POST', '/projects', { name: 'Clock', path: 'clock' });
  const file = { branch: 'main', commit_message: 'Begin', content: 'tick' };
  await api('POST', `/projects/${id}/repository/files/README.md`, file);
  await page.goto(`${url}/root/clock/-/pipeline_schedules`);
  await page.getByRole('link', { name: 'New schedule' }).click();
  await page.getByLabel('Description').fill('Nightly');
  await page.getByLabel('Times').fill('never');
  await page.getByRole('button', { name: 'Add schedule' }).click();
  await page.getByText('Is invalid syntax').waitFor();
  await checkAll(page, 'a pipeline schedule that is refused');
  await page.getByLabel('Times').fill('0 4 * * *');
  await page.getByRole('button', { name: 'Add schedule' }).click();
  await page.getByText('Schedule added.').waitFor();
  await checkAll(page, 'pipeline schedules');
  await page.getByRole('link', { name: 'Edit Nightly' }).click();
  await page.getByLabel('Key').fill('HEAT');
  await page.getByLabel('Value').fill('1600');
  await page.getByRole('button', { name: 'Add variable' }).click();
  await page.getByText('Variable added.').waitFor();
  await checkAll(page, 'a pipeline schedule');
  // The refused one is answered 422, which the browser notes.
  assert.deepEqual(problems.filter((problem) => !problem.includes('422')), []);
  await context.close();
});

test('somebody is on call and paged', async () => {
  const { page, context, problems } = await signedIn();
  await page.goto(`${url}/${project}/-/oncall_schedules`);
  await page.getByLabel('Name').fill('Nights');
  await page.getByLabel('Time zone').selectOption('Europe/Berlin');
  await page.getByRole('button', { name: 'Add schedule' }).click();
  await page.getByText('Schedule created.').waitFor();
  await page.getByLabel('Name of the rotation').fill('Weekly');
  await page.getByLabel('Who takes turns').fill('root');
  await page.getByLabel('First turn begins').fill('2020-01-01T08:00');
  await page.getByRole('button', { name: 'Add rotation' }).click();
  await page.getByText('Rotation added.').waitFor();
  await page.getByText('On call now:').waitFor();
  await checkAll(page, 'a schedule');
  await page.getByRole('link', { name: 'Change' }).click();
  assert.equal(await page.getByLabel('First turn begins').inputValue(), '2020-01-01T08:00');
  await page.getByLabel('Length of a turn').fill('2');
  await page.getByRole('button', { name: 'Save rotation' }).click();
  await page.getByText('Turns of 2 weeks').waitFor();
  await checkAll(page, 'a schedule');
  await page.goto(`${url}/${project}/-/escalation_policies`);
  await page.getByLabel('Name').fill('Wake up');
  await page.getByRole('group', { name: 'First rule' }).getByLabel('Page who is on call by').selectOption('Nights');
  await page.getByRole('button', { name: 'Save policy' }).click();
  await page.getByText('Page who is on call by Nights').waitFor();
  assert.deepEqual(problems, []);
  await context.close();
});

test('a package is published, seen and deleted', async () => {
  const id = (await api('GET', `/projects/${encodeURIComponent(project)}`)).id;
  await api('PUT', `/projects/${id}/packages/generic/hammer/1.0.0/hammer.txt`, 'a hammer');
  const { page, context, problems } = await signedIn();
  await page.goto(`${url}/groups/${group}/-/packages`);
  await page.getByRole('link', { name: 'hammer', exact: true }).click();
  await page.getByRole('heading', { name: /hammer 1\.0\.0/ }).waitFor();
  await page.getByRole('link', { name: 'hammer.txt' }).waitFor();
  await checkAll(page, 'a package');
  await page.locator('.head summary', { hasText: 'Delete' }).click();
  await page.locator('.head').getByRole('button', { name: 'Delete' }).click();
  await said(page, 'Package deleted.');
  await page.getByText('No packages yet').waitFor();
  assert.deepEqual(problems, []);
  await context.close();
});

test('an issue is made, discussed and closed', async () => {
  const { page, context, problems } = await signedIn();
  await page.goto(`${url}/${project}/-/issues`);
  await page.getByRole('link', { name: 'New issue' }).click();
  await page.getByLabel('Title').fill('A hinge that squeaks');
  await page.getByLabel('Description').fill('- [ ] look\n- [x] oil\n\n| a | b |\n|---|---|\n| 1 | 2 |');
  await page.getByLabel('Labels').fill('bug, a label with a rather long title');
  await page.getByRole('button', { name: 'Create issue' }).click();
  await page.getByRole('heading', { name: /A hinge that squeaks/ }).waitFor();
  await page.getByRole('textbox', { name: 'Comment' }).fill('It is the **upper** one.\n\n`' + 'x'.repeat(300) + '`');
  await page.getByRole('button', { name: 'Comment', exact: true }).click();
  await page.getByText('upper', { exact: true }).waitFor();
  for (const [field, role, label, value] of [
    ['Edit assignees', 'combobox', 'Assignees', 'root'],
    ['Edit due date', 'textbox', 'Due date', '2031-02-01'],
  ]) {
    await page.getByLabel(field).click();
    await page.getByRole(role, { name: label }).fill(value);
    await page.getByRole('button', { name: 'Save' }).locator('visible=true').click();
    await said(page, 'Issue updated.');
  }
  await page.getByText('Reply…').click();
  await page.getByRole('textbox', { name: 'Reply' }).fill('Both of them.');
  await page.getByRole('button', { name: 'Reply', exact: true }).click();
  await page.getByRole('paragraph').filter({ hasText: 'Both of them.' }).waitFor();
  await page.locator('summary', { hasText: /Actions for the comment by/ }).last().click();
  await page.getByRole('link', { name: 'Edit', exact: true }).last().click();
  await page.getByRole('textbox', { name: 'Edit comment' }).fill('The upper, not the lower.');
  await checkAll(page, 'changing a comment');
  await page.getByRole('button', { name: 'Save' }).locator('visible=true').click();
  await page.getByRole('paragraph').filter({ hasText: 'not the lower' }).waitFor();
  await page.getByRole('button', { name: 'Add to-do' }).click();
  await said(page, 'to-do list');
  await checkAll(page, 'an issue');
  await checkFocus(page, 'an issue');
  const one = page.url();
  await page.goto(`${one}/edit`);
  await checkAll(page, 'editing an issue');
  await page.goto(`${url}/${project}/-/issues`);
  await page.getByRole('link', { name: 'A hinge that squeaks' }).waitFor();
  await checkAll(page, 'issues');
  await page.goto(`${url}/dashboard/todos`);
  await checkAll(page, 'to-dos');
  await page.getByRole('button', { name: /^Done: A hinge/ }).click();
  await said(page, 'That is done.');
  await page.goto(`${url}/${project}/-/milestones`);
  await page.getByText('New milestone').click();
  await page.getByLabel('Title').fill('1.0');
  await page.getByLabel('Last day').fill('2031-02-01');
  await page.getByRole('button', { name: 'Create milestone' }).click();
  await page.getByRole('heading', { name: '1.0' }).waitFor();
  await checkAll(page, 'a milestone');
  await page.goto(one);
  await page.getByRole('button', { name: 'Close issue' }).click();
  await page.getByRole('button', { name: 'Reopen issue' }).waitFor();
  assert.deepEqual(problems, []);
  await context.close();
});

test('a thread is resolved by keyboard, folded, and opened again', async () => {
  const { page, context, problems } = await signedIn();
  const issues = `/projects/${encodeURIComponent(project)}/issues`;
  const { iid } = await api('POST', issues, { title: 'A hinge with a thread' });
  const threads = `${issues}/${iid}/discussions`;
  const thread = await api('POST', threads, { body: 'Which oil?' });
  await api('POST', `${threads}/${thread.id}/notes`, { body: 'The brown one' });
  const one = `${url}/${project}/-/issues/${iid}`;
  const answer = page.getByText('The brown one');
  await page.goto(one);
  await page.getByText('1 thread to resolve').waitFor();
  await page.getByRole('button', { name: 'Resolve thread' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('status').filter({ hasText: 'Thread resolved.' }).waitFor();
  await page.getByText(/^Resolved by Administrator/).waitFor();
  assert.ok(await answer.isHidden());
  assert.equal(await page.getByText('to resolve').count(), 0);
  // The keyboard goes on where the thread stands.
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement.closest('details')?.className), 'resolved');
  await checkAll(page, 'a resolved thread');
  await page.keyboard.press('Enter');
  await answer.waitFor();
  await checkAll(page, 'a resolved thread, opened');
  // The address of a comment opens what it is folded in.
  await page.goto(url);
  await page.goto(`${one}#note_${thread.notes[0].id}`);
  await answer.waitFor();
  await page.getByRole('button', { name: 'Reopen thread' }).click();
  await page.getByRole('status').filter({ hasText: 'Thread reopened.' }).waitFor();
  await page.getByText('1 thread to resolve').waitFor();
  await answer.waitFor();
  assert.deepEqual(problems, []);
  await context.close();
});

test('an app is set up, asked for, and removed', async () => {
  const { page, context, problems } = await open();
  const fill = () => enter(page, member);
  await fill();
  await page.goto(`${url}/-/profile/two_factor_auth`);
  await page.getByRole('img', { name: 'Picture of the secret' }).waitFor();
  await checkAll(page, 'setting up an app');
  const secret = await page.getByLabel('Secret', { exact: true }).inputValue();
  const now = Date.now() / 1000;
  await page.getByLabel('Code that the app shows').fill(code(secret, now));
  await page.getByLabel('Current password').fill(SECRET);
  await page.getByRole('button', { name: 'Turn on' }).click();
  await page.getByRole('heading', { name: 'Keep these codes' }).waitFor();
  await checkAll(page, 'recovery codes');
  const recovery = await page.locator('li code').first().textContent();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download as a file' }).click(),
  ]);
  assert.equal(file.suggestedFilename(), 'service-recovery-codes.txt');
  await page.getByRole('link', { name: 'I have kept them' }).click();
  await page.getByText('10 codes left').waitFor();
  await checkAll(page, 'two-factor authentication');
  await context.clearCookies();

  await fill();
  await page.getByRole('heading', { name: 'Two-factor authentication' }).waitFor();
  await checkAll(page, 'the second factor');
  // The next code: the one that set it up is used.
  await page.getByLabel('Code').fill(code(secret, now + 30));
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.waitForURL((to) => !to.pathname.includes('sign_in'));
  await context.clearCookies();

  await fill();
  await page.getByLabel('Code').fill(recovery);
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.waitForURL((to) => !to.pathname.includes('sign_in'));
  await page.goto(`${url}/users/confirm`);
  await page.getByLabel('Password').fill(SECRET);
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.goto(`${url}/-/profile/two_factor_auth`);
  await page.locator('summary', { hasText: 'Remove the app' }).click();
  await page.getByRole('button', { name: 'Remove the app' }).click();
  await said(page, 'Your app is removed');
  assert.deepEqual(problems, []);
  await context.close();
});

test('the focus is seen wherever Tab leads', async () => {
  const { page, context } = await signedIn();
  for (const path of ['/', `/${project}/-/members`, '/-/user_settings/tokens']) {
    await page.goto(url + path);
    await checkFocus(page, path);
  }
  await context.close();
});

// Chromium's own key, without a device (CDP «WebAuthn»).
async function plugIn(context, page) {
  const devtools = await context.newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'usb',
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

test('a security key is added, signs in, and is removed', async () => {
  const username = `keys-${run}`;
  await person(username, 'Keys');
  const { page, context, problems } = await open();
  await plugIn(context, page);
  await enter(page, username);
  await page.waitForURL(`${url}/`);
  await page.goto(`${url}/-/profile/two_factor_auth/keys`);
  await page.getByLabel('Name').fill('<b>Blue</b>');
  await page.getByLabel('Current password').fill(SECRET);
  await page.getByRole('button', { name: 'Add a key' }).click();
  await page.getByRole('heading', { name: 'Recovery codes' }).waitFor();
  await page.goto(`${url}/-/profile/two_factor_auth/keys`);
  await page.getByText('<b>Blue</b>').waitFor();
  await page.getByLabel('Current password').fill(SECRET);
  await page.getByRole('button', { name: 'Add a key' }).click();
  await page.getByRole('alert').filter({ hasText: 'one of yours already' }).waitFor();

  await enter(page, username);
  await page.waitForURL(`${url}/users/sign_in/two_factor`);
  await checkAll(page, 'the second step');
  await page.getByRole('button', { name: 'Use your security key' }).click();
  await page.waitForURL(`${url}/`);

  await page.goto(`${url}/-/profile/two_factor_auth/keys`);
  await page.getByText('last used').waitFor();
  await checkAll(page, 'security keys');
  await page.locator('summary', { hasText: 'Remove' }).click();
  await page.getByRole('button', { name: 'Remove' }).click();
  await said(page, 'Security key removed.');
  await enter(page, username);
  await page.waitForURL(`${url}/`);
  assert.deepEqual(problems, []);
  await context.close();
});

test('a wrong password asks no key', async () => {
  const { page, context } = await signedIn();
  await page.goto(`${url}/-/profile/two_factor_auth/keys`);
  await page.getByLabel('Current password').fill('not the password');
  await page.getByRole('button', { name: 'Add a key' }).click();
  await page.getByRole('alert').filter({ hasText: 'That is not your password.' }).waitFor();
  await context.close();
});

// Every form of a change is a plain one; the editor of Markdown alone has more.
test('files are changed on pages without a script', async () => {
  const forge = `${group}/forge`;
  const at = (await api('GET', `/groups/${group}`)).id;
  const made = await api('POST', '/projects', { name: 'Forge', path: 'forge', namespace_id: at });
  const { page: plain, context } = await signedIn({ javaScriptEnabled: false });
  // What looks for barriers is a script itself.
  const { page, context: beside } = await signedIn();
  const to = async (rest, name) => {
    await plain.goto(`${url}/${forge}/-/${rest}`);
    await page.goto(plain.url());
    await plain.getByRole('heading', { level: 1, name }).waitFor();
  };
  const held = async (file) => {
    const path = encodeURIComponent(file);
    const answer = await api('GET', `/projects/${made.id}/repository/files/${path}?ref=main`);
    return Buffer.from(answer.content, 'base64').toString();
  };
  const file = (name, text) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
  await to('new/main', 'New file');
  await checkAll(page, 'New file');
  await plain.getByLabel('Path').fill('src/../x');
  await plain.getByLabel('Content').fill('one\ntwo\n');
  await plain.getByRole('button', { name: 'Create file' }).click();
  await plain.getByText('Path cannot include directory traversal').waitFor();
  assert.equal(await plain.getByLabel('Content').inputValue(), 'one\ntwo\n');
  await plain.getByLabel('Path').fill('src/notes.txt');
  await plain.getByRole('button', { name: 'Create file' }).click();
  assert.equal(await held('src/notes.txt'), 'one\ntwo\n');
  await to('edit/main/src/notes.txt', 'Edit notes.txt');
  await checkAll(page, 'Edit notes.txt');
  await plain.getByLabel('Content').fill('\none\nthree\n');
  await plain.getByLabel('Commit message').fill('Count on');
  await plain.getByRole('button', { name: 'Commit changes' }).click();
  assert.equal(await held('src/notes.txt'), '\none\nthree\n');
  await to('upload/main/src', 'Upload a file');
  await checkAll(page, 'Upload a file');
  await plain.locator('input[type=file]').setInputFiles(file('b.bin', 'b'));
  await plain.getByRole('button', { name: 'Upload file' }).click();
  assert.equal(await held('src/b.bin'), 'b');
  await to('replace/main/src/b.bin', 'Replace b.bin');
  await checkAll(page, 'Replace b.bin');
  await plain.locator('input[type=file]').setInputFiles(file('x', 'c'));
  await plain.getByRole('button', { name: 'Replace file' }).click();
  assert.equal(await held('src/b.bin'), 'c');
  await to('new_folder/main', 'New folder');
  await checkAll(page, 'New folder');
  await plain.getByRole('textbox', { name: 'Folder' }).fill('docs');
  await plain.getByRole('button', { name: 'Create folder' }).click();
  assert.equal(await held('docs/.gitkeep'), '');
  await to('move/main/src/b.bin', 'Move b.bin');
  await checkAll(page, 'Move b.bin');
  await plain.getByLabel('New path').fill('docs/b.bin');
  await plain.getByRole('button', { name: 'Move file' }).click();
  assert.equal(await held('docs/b.bin'), 'c');
  await to('delete/main/docs/b.bin', 'Delete b.bin');
  await checkAll(page, 'Delete b.bin');
  await plain.getByRole('button', { name: 'Delete file' }).click();
  await to('settings/repository', 'Repository settings');
  await plain.getByLabel('Branch or pattern').fill('release/*');
  await plain.getByRole('button', { name: 'Protect branch' }).click();
  await said(plain, 'release/* is protected.');
  await page.reload();
  await checkAll(page, 'protected branches');
  await context.close();
  await beside.close();
});

const PAGES = [
  '/',
  '/?search=nothing-is-called-so',
  '/groups',
  '/groups/new',
  '/projects',
  '/projects/new',
  '/projects/import',
  '/projects/import/provider_a',
  '/projects/import/git',
  '/projects/import/project_file',
  '/projects/imports',
  '/-/snippets/import',
  '/-/profile/placeholders',
  `/groups/${group}`,
  `/groups/${group}?search=a`,
  `/groups/${group}/-/packages`,
  `/groups/${group}/-/settings/packages`,
  `/groups/${group}/-/settings/packages/cleanup`,
  `/groups/${group}/-/access_tokens`,
  `/groups/${group}/-/placeholders`,
  `/groups/${group}/-/settings/applications`,
  `/${project}`,
  `/${project}/-/tree/main`,
  `/${project}/-/tree/main/src?refs=a`,
  `/${project}/-/blob/main/README.md`,
  `/${project}/-/blob/main/src/main.rs`,
  `/${project}/-/blob/main/docs/plate.png`,
  `/${project}/-/blob/main/mould.bin`,
  `/${project}/-/blame/main/src/main.rs`,
  `/${project}/-/find_file/main?search=main`,
  `/${project}/-/tree`,
  `/${project}/-/tree/`,
  `/${project}/-/packages`,
  `/${project}/-/dependencies`,
  `/groups/${group}/-/dependencies`,
  `/${project}/-/dependencies/exports`,
  `/groups/${group}/-/dependencies/exports`,
  `/${project}/-/environments`,
  `/${project}/-/environments/1`,
  `/${project}/-/settings/protected_environments`,
  `/groups/${group}/-/settings/protected_environments`,
  `/${project}/-/releases`,
  `/${project}/-/releases/new`,
  `/${project}/-/releases/v1`,
  `/${project}/-/releases/v1/edit`,
  `/${project}/-/error_tracking`,
  `/${project}/-/merge_requests`,
  `/${project}/-/merge_requests/new`,
  `/${project}/-/issues`,
  `/${project}/-/issues/new`,
  `/${project}/-/incidents`,
  `/${project}/-/labels`,
  `/${project}/-/milestones`,
  `/${project}/-/wikis`,
  `/${project}/-/wikis/pages`,
  `/${project}/-/wikis/new?title=guides/More`,
  `/${project}/-/wikis/guides/Begin`,
  `/${project}/-/wikis/guides/Begin/edit`,
  `/${project}/-/wikis/guides/Begin/history`,
  `/${project}/-/wikis/guides/Begin/diff`,
  `/${project}/-/snippets`,
  `/${project}/-/snippets/new`,
  `/${project}/-/snippets/2`,
  `/${project}/-/snippets/2/edit`,
  '/-/snippets',
  '/-/snippets/new',
  '/-/snippets/1',
  '/-/snippets/1/edit',
  '/explore/snippets',
  '/users/root/snippets',
  `/${project}/-/uploads`,
  `/groups/${group}/-/merge_requests`,
  `/groups/${group}/-/issues`,
  `/groups/${group}/-/incidents`,
  `/groups/${group}/-/wikis`,
  `/groups/${group}/-/wikis/pages`,
  `/groups/${group}/-/wikis/new`,
  `/groups/${group}/-/wikis/Rules`,
  `/groups/${group}/-/uploads`,
  `/groups/${group}/-/labels`,
  `/groups/${group}/-/milestones`,
  `/groups/${group}/-/milestones/1`,
  '/dashboard/merge_requests',
  '/dashboard/merge_requests?scope=all',
  '/dashboard/issues',
  '/dashboard/issues?scope=all',
  '/dashboard/todos',
  '/dashboard/todos?state=done',
  `/${project}/-/settings`,
  `/${project}/-/settings/repository`,
  `/${project}/-/settings/mirrors`,
  `/${project}/-/settings/merge_requests`,
  `/${project}/-/settings/error_tracking`,
  `/${project}/-/settings/alerts`,
  `/${project}/-/alert_management`,
  `/${project}/-/oncall_schedules`,
  `/${project}/-/escalation_policies`,
  `/${project}/-/settings/packages`,
  `/${project}/-/settings/packages/cleanup`,
  `/${project}/-/access_tokens`,
  `/${project}/-/import`,
  `/${project}/-/export`,
  '/root',
  `/${member}`,
  '/-/user_settings/profile',
  '/-/user_settings/status',
  '/-/user_settings/tokens',
  '/-/user_settings/sessions',
  '/-/profile/two_factor_auth',
  '/users/confirm',
  '/admin',
  `/admin/users/${member}/status`,
  `/admin/users/${member}/tokens`,
  '/admin/applications',
  '/admin/spam_logs',
  '/admin/jobs',
  '/admin/search',
  '/admin/storages',
  '/admin/audit',
  '/-/components',
  '/-/profile/two_factor_auth/keys',
  '/-/admin_mode',
];

// Pages of a wiki, one of them in a folder, and one of a group.
async function wikis() {
  const at = `/projects/${encodeURIComponent(project)}/wikis`;
  await api('POST', at, { title: 'home', content: '# Welcome\n\nSee [[guides/Begin]].' });
  await api('POST', at, { title: 'guides/Begin', content: '## Heat\n\n- coal\n- air' });
  await api('POST', at, { title: 'templates/minutes', content: '## Present' });
  const rules = { title: 'Rules', content: 'Wear *goggles*.' };
  await api('POST', `/groups/${encodeURIComponent(group)}/wikis`, rules);
}

// A snippet with two files and a comment.
async function snippet() {
  const made = await api('POST', '/snippets', {
    title: 'Greetings',
    description: 'Said in *two* files.',
    files: [
      { file_path: 'hello.rs', content: 'fn main() {\n    println!("hello");\n}\n' },
      { file_path: 'notes.md', content: '# How to run it\n' },
    ],
  });
  await api('POST', `/snippets/${made.id}/notes`, { body: 'Well said' });
  await api('POST', `/projects/${encodeURIComponent(project)}/snippets`, {
    title: 'How to cast', visibility: 'private', files: [{ file_path: 'cast.sh', content: 'pour\n' }],
  });
}

// A release with all that one may have.
async function release() {
  const at = `/projects/${encodeURIComponent(project)}`;
  const links = [{ name: 'drawings', url: 'https://files.example/anvil.pdf', link_type: 'runbook' }];
  await api('POST', `${at}/releases`, {
    tag_name: 'v1', ref: 'main', name: 'The first', description: '# New\n\nIt *rings*.',
    milestones: ['2.0'], assets: { links },
  });
}

// An environment that something was put into, and which is protected.
async function environment() {
  const at = `/projects/${encodeURIComponent(project)}`;
  const [head] = await api('GET', `${at}/repository/commits`);
  await api('POST', `${at}/deployments`, {
    environment: 'production', sha: head.id, ref: 'main', tag: false, status: 'success',
  });
  for (const place of [at, `/groups/${group}`]) {
    await api('POST', `${place}/protected_environments`, {
      name: 'production',
      deploy_access_levels: [{ access_level: 40 }],
      approval_rules: [{ access_level: 40, required_approvals: 2 }],
    });
  }
  await api('POST', `${at}/environments`, { name: 'review/login', external_url: 'https://shop.example' });
}

test('a repository is begun, and lines of a file are picked', async () => {
  const { page, context, problems } = await signedIn();
  await page.goto(`${url}/${project}`);
  await page.getByRole('heading', { name: 'The repository is empty' }).waitFor();
  await checkAll(page, 'an empty repository');
  await makeCode(`/projects/${encodeURIComponent(project)}`, api);
  await page.goto(`${url}/${project}`);
  await page.getByRole('img', { name: 'A plate' }).waitFor();
  const plate = page.getByRole('img', { name: 'A plate' });
  assert.equal(await plate.evaluate((image) => image.naturalWidth), 16);
  await page.locator('summary', { hasText: 'Clone' }).click();
  await page.getByLabel('Clone with HTTP').waitFor();
  await checkAll(page, 'a project with code');
  await page.getByRole('link', { name: 'src', exact: true }).click();
  await page.getByRole('link', { name: 'lines.rs', exact: true }).click();
  await page.getByRole('link', { name: '3', exact: true }).click();
  await page.waitForURL(/#L3$/);
  await page.getByRole('link', { name: '5', exact: true }).click({ modifiers: ['Shift'] });
  await page.waitForURL(/#L3-5$/);
  assert.equal(await page.locator('.source .picked').count(), 3);
  await page.keyboard.press('y');
  await page.waitForURL(/blob\/[0-9a-f]{40}\/src\/lines\.rs#L3-5$/);
  await page.goto(`${url}/${project}/-/blob/main/docs/plate.svg`);
  const drawn = page.getByRole('img', { name: 'plate.svg' });
  assert.equal(await drawn.evaluate((image) => image.naturalWidth), 16);
  assert.deepEqual(problems, []);
  await context.close();
});

test('every page fits its screen and is accessible', async () => {
  await api('POST', `/groups/${group}/milestones`, { title: '2.0' });
  await release();
  await wikis();
  await snippet();
  await environment();
  const { page, context, problems } = await signedIn();
  await visit(page, PAGES);
  assert.deepEqual(problems, []);
  await context.close();
});

test('strangers see the sign-in form and friendly refusals', async () => {
  const { page, context } = await open();
  for (const [path, status] of [
    ['/', 200],
    ['/groups', 200],
    ['/users/sign_in', 200],
    ['/users/password/new', 200],
    ['/users/confirmation/new', 200],
    ['/users/sign_up', 200],
    // It may be hidden: they are asked to sign in first.
    ['/nothing/here', 200],
    ['/admin', 401],
  ]) {
    const answer = await page.goto(url + path);
    assert.equal(answer.status(), status, path);
    await checkAll(page, path);
  }
  await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('User name or e-mail').fill('root');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`${url}/admin`);
  await context.close();
});

test('what was made is deleted by typing its name', async () => {
  const { page, context } = await signedIn();
  await page.goto(`${url}/groups/${group}/-/settings`);
  await page.locator('summary', { hasText: 'Delete' }).click();
  await page.getByLabel('Full path').fill(group);
  await page.getByRole('button', { name: 'Delete group' }).click();
  await said(page, `${group} is deleted.`);
  const answer = await page.goto(`${url}/groups/${group}`);
  assert.equal(answer.status(), 404);
  await checkAll(page, 'what is not there');
  await context.close();
});
