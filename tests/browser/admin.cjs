// What administrators and owners do in a real browser, with and without the
// script: accounts, settings, deploy tokens, stars, shares, moves, preferences.
// Run by `cargo xtask test --only browser`.

const assert = require('node:assert/strict');
const { before, test } = require('node:test');
const {
  api,
  checkAll,
  enter,
  open,
  person,
  run,
  said,
  signedIn,
  url,
  visit,
} = require('./shared.cjs');

const group = `admin-${run}`;
const labs = `labs-${run}`;
const member = `plain-${run}`;

before(async () => {
  for (const path of [group, labs]) {
    const made = await api('POST', '/groups', { name: path, path, visibility: 'public' });
    const project = { name: 'anvil', path: 'anvil', namespace_id: made.id, visibility: 'public' };
    await api('POST', '/projects', project);
  }
  await person(member, 'A plain member');
});

// Opens a question and answers it with yes.
async function confirm(page, label, within = page) {
  await within.locator('summary', { hasText: `${label}…` }).first().click();
  await within.getByRole('button', { name: label, exact: true }).first().click();
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? 'with a script' : 'without a script';
  const suffix = `${run}${javaScriptEnabled ? 'a' : 'b'}`;

  test(`an account is made, changed, given rights and deleted ${how}`, async () => {
    const { page, context, problems } = await signedIn({ javaScriptEnabled });
    const name = `grace-${suffix}`;
    await page.goto(`${url}/admin/users`);
    await page.getByRole('link', { name: 'New user' }).click();
    await page.locator('#f-name').fill('Grace');
    await page.getByLabel('User name').fill(name);
    await page.locator('#f-email').fill('nobody');
    await page.getByLabel('How they come to a password').selectOption('password');
    await page.locator('#f-password').fill('hit-hard-2031');
    await page.getByLabel('The e-mail counts as confirmed').check();
    // What a browser would refuse by itself is refused by the server, too.
    await page.locator('form.body').evaluate((form) => {
      form.noValidate = true;
    });
    await page.getByRole('button', { name: 'Create user' }).click();
    await page.locator('#e-email').waitFor();
    await page.locator('#f-password').fill('hit-hard-2031');
    await page.locator('#f-email').fill(`${name}@example.com`);
    await page.getByRole('button', { name: 'Create user' }).click();
    await said(page, 'User created: Grace.');

    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await page.locator('#f-name').fill('Grace Hopper');
    await page.getByLabel('Note').fill('from the navy');
    await page.getByRole('button', { name: 'Save' }).click();
    await said(page, 'Grace Hopper is saved.');
    await confirm(page, 'Make administrator');
    await said(page, 'Grace Hopper is an administrator now.');
    await confirm(page, 'Take rights away');
    await said(page, 'Grace Hopper is no administrator any more.');
    await confirm(page, 'New password');
    const password = await page.locator('#new-password').inputValue();
    assert.ok(password.length >= 20);

    const grace = await open({ javaScriptEnabled });
    await enter(grace.page, name, password);
    await grace.page.getByRole('heading', { name: 'Choose a new password' }).waitFor();
    await grace.context.close();

    await page.getByRole('link', { name: 'Memberships' }).click();
    await page.getByText('No memberships').waitFor();
    await page.getByRole('link', { name: 'Account', exact: true }).click();
    await page.locator('summary', { hasText: 'Delete…' }).click();
    await page.getByLabel('User name').fill(name);
    await page.getByRole('button', { name: 'Delete user' }).click();
    await said(page, 'Grace Hopper is deleted.');
    assert.deepEqual(problems.filter((problem) => !problem.includes('422')), []);
    await context.close();
  });

  test(`a setting is found and changed in people's words ${how}`, async () => {
    const { page, context } = await signedIn({ javaScriptEnabled });
    await page.goto(`${url}/admin/settings`);
    await page.getByLabel('Find a setting').fill('without use');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByRole('link', { name: 'Time without use that ends a session' }).click();
    const field = page.getByLabel('Time without use that ends a session');
    await field.fill('soon');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Is not a time such as').waitFor();
    await field.fill('8 days');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await said(page, 'Settings saved.');
    assert.equal(await field.inputValue(), '8 days');
    assert.equal((await api('GET', '/application/settings')).session_expire_delay, 11520);
    await context.close();
  });

  test(`a project is starred, shared, opened to programs and moved ${how}`, async () => {
    const { page, context, problems } = await signedIn({ javaScriptEnabled });
    const project = `${group}/kit-${suffix}`;
    const { id } = await api('GET', `/groups/${group}`);
    await api('POST', '/projects', { name: `kit-${suffix}`, path: `kit-${suffix}`, namespace_id: id });
    await page.goto(`${url}/${project}`);
    await page.getByRole('button', { name: 'Star', exact: true }).click();
    await said(page, 'You starred');
    await page.getByRole('link', { name: '1 star', exact: true }).click();
    await page.getByRole('heading', { name: 'Who starred' }).waitFor();

    await page.goto(`${url}/${project}/-/deploy_tokens`);
    await page.locator('#f-name').fill('ci');
    await page.getByLabel('read_package_registry').check();
    await page.getByRole('button', { name: 'Create deploy token' }).click();
    assert.match(await page.getByLabel('Token, as the password').inputValue(), /^svdt-/);
    await confirm(page, 'Revoke');
    await said(page, 'Deploy token revoked.');

    await page.goto(`${url}/${project}/-/members`);
    await page.getByLabel('User name or e-mail').fill(`zoe-${suffix}@example.org`);
    await page.getByRole('button', { name: 'Add member' }).click();
    await said(page, 'A mail with an invitation is on its way');
    await confirm(page, 'Withdraw');
    await said(page, 'Invitation withdrawn.');
    await page.getByLabel('Path of a group').fill(labs);
    await page.getByLabel('Role at most').selectOption({ label: 'Developer' });
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await said(page, `Members of ${labs} come in as Developer at most.`);
    await confirm(page, 'Stop sharing');
    await said(page, 'The group is not shared with any more.');

    await page.goto(`${url}/${project}/-/settings`);
    await page.getByLabel('New place').selectOption({ label: labs });
    const move = page.locator('section', { has: page.getByRole('heading', { name: 'Move' }) });
    await move.getByLabel('Present path').fill(project);
    await move.getByRole('button', { name: 'Move project' }).click();
    await said(page, `The project is now at ${labs}/kit-${suffix}.`);
    assert.deepEqual(problems, []);
    await context.close();
  });

  test(`the front page says what the administrator wrote ${how}`, async () => {
    const { page, context } = await signedIn({ javaScriptEnabled });
    await page.goto(`${url}/admin/settings/general`);
    await page.getByLabel('Name of this instance').fill('Forge');
    await page.getByLabel('Text of the front page').fill('Ask **Ada** for an account.');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await said(page, 'Settings saved.');
    const stranger = await open({ javaScriptEnabled });
    await stranger.page.goto(url);
    await stranger.page.getByRole('heading', { name: 'Forge' }).waitFor();
    assert.match(await stranger.page.title(), /Forge$/);
    await stranger.page.locator('strong', { hasText: 'Ada' }).waitFor();
    await stranger.page.getByRole('link', { name: `${group} / anvil` }).waitFor();
    await stranger.page.getByRole('main').getByRole('link', { name: 'Sign in' }).first().click();
    await stranger.page.getByLabel('User name or e-mail').waitFor();
    await stranger.context.close();
    await page.getByLabel('Name of this instance').fill('');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await said(page, 'Settings saved.');
    await context.close();
  });

  test(`somebody has the colours and the clock they chose ${how}`, async () => {
    // The system's colours are the other ones.
    const { page, context } = await signedIn({ javaScriptEnabled, colorScheme: 'light' });
    const ground = () => page.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor);
    const choose = async (theme, zone) => {
      await page.goto(`${url}/-/user_settings/preferences`);
      await page.getByLabel('Colours').selectOption(theme);
      await page.getByLabel('Time zone').selectOption(zone);
      await page.getByRole('button', { name: 'Save preferences' }).click();
      await said(page, 'Preferences saved.');
    };
    await page.goto(url);
    const light = await ground();
    await choose('dark', 'Asia/Tokyo');
    const dark = await ground();
    assert.notEqual(dark, light);
    await page.goto(`${url}/${group}/anvil`);
    assert.match(await page.locator('main time').first().getAttribute('title'), /JST$/);
    await page.emulateMedia({ colorScheme: 'dark' });
    await choose('light', '');
    assert.equal(await ground(), light);
    await choose('system', '');
    assert.equal(await ground(), dark);
    await context.close();
  });
}

for (const javaScriptEnabled of [true, false]) {
  const how = javaScriptEnabled ? 'with JavaScript' : 'without JavaScript';
  test(`somebody chooses what they are told of ${how}`, async () => {
    const { page, context, problems } = await signedIn({ javaScriptEnabled });
    await page.goto(`${url}/-/profile/notifications`);
    await page.getByLabel('Level', { exact: true }).first().selectOption('custom');
    await page.getByLabel('Close issue', { exact: true }).check();
    await page.getByLabel('How often').selectOption('weekly');
    await page.getByRole('button', { name: 'Save', exact: true }).first().click();
    await said(page, 'Notification settings saved.');
    assert.ok(await page.getByLabel('Close issue', { exact: true }).isChecked());
    await page.getByLabel('Level', { exact: true }).first().selectOption('participating');
    await page.getByLabel('Close issue', { exact: true }).uncheck();
    await page.getByLabel('How often').selectOption('off');
    await page.getByRole('button', { name: 'Save', exact: true }).first().click();
    await said(page, 'Notification settings saved.');
    // The bell of a project, by keyboard.
    await page.goto(`${url}/${group}/anvil`);
    const bell = page.locator('main summary', { hasText: 'Notifications' });
    await bell.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^Watch/ }).focus();
    await page.keyboard.press('Enter');
    await said(page, 'saved.');
    await bell.click();
    assert.equal(await page.locator('main button[aria-current]').innerText(), 'Watch: everything');
    await page.getByRole('button', { name: 'As set above' }).click();
    await said(page, 'saved.');
    assert.deepEqual(problems, []);
    await context.close();
  });
}

const PAGES = [
  '/admin/users',
  '/admin/users/new',
  `/admin/users/${member}`,
  `/admin/users/${member}/edit`,
  `/admin/users/${member}/memberships`,
  '/admin/users/root',
  '/admin/users/root/memberships',
  '/admin/settings',
  '/admin/settings?search=mail',
  '/admin/settings/general',
  '/admin/settings/sign_in',
  '/admin/settings/sessions',
  '/admin/settings/limits',
  '/admin/settings/spam',
  '/admin/settings/oauth',
  '/admin/settings/packages',
  '/admin/settings/monitoring',
  '/admin/settings/network',
  '/admin/settings/pipelines',
  '/admin/package_limits',
  '/admin/settings/ci_cd',
  '/admin/runners',
  '/-/user_settings/emails',
  '/-/profile/notifications',
  '/-/user_settings/preferences',
  '/-/user_settings/applications',
  '/-/user_settings/ssh_keys',
  '/-/user_settings/gpg_keys',
  `/${group}/anvil`,
  `/${group}/anvil/-/starrers`,
  `/${group}/anvil/-/forks`,
  `/${group}/anvil/-/forks/new`,
  `/${group}/anvil/-/notification_settings`,
  `/${group}/anvil/-/members`,
  `/${group}/anvil/-/deploy_tokens`,
  `/${group}/anvil/-/deploy_keys`,
  `/${group}/anvil/-/settings/ci_cd`,
  `/${group}/anvil/-/settings/runners`,
  `/${group}/anvil/-/settings/pipelines`,
  `/${group}/anvil/-/pipeline_schedules`,
  `/${group}/anvil/-/pipeline_schedules/new`,
  `/${group}/anvil/-/settings`,
  `/groups/${group}/-/notification_settings`,
  `/groups/${group}/-/members`,
  `/groups/${group}/-/deploy_tokens`,
  `/groups/${group}/-/settings/ci_cd`,
  `/groups/${group}/-/settings/runners`,
  `/groups/${group}/-/settings`,
];

// A key that nobody has.
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDDfMSf8Z0VjturFWrz3otazDYmR61m/RVEK8ftQIdKb';

async function fill() {
  const at = `/projects/${encodeURIComponent(`${group}/anvil`)}`;
  await api('POST', `${at}/invitations`, { email: `pat-${run}@example.org`, access_level: 20 });
  await api('POST', `${at}/deploy_tokens`, { name: 'ci', scopes: ['read_package_registry'] });
  await api('POST', `${at}/deploy_keys`, { title: 'ci', key: KEY, can_push: true });
  await api('POST', `${at}/variables`, { key: 'DEPLOY_TO', value: 'https://anvil.example', masked: true });
  const { id } = await api('GET', `/groups/${labs}`);
  await api('POST', `${at}/share`, { group_id: id, group_access: 30 });
}

test('every page fits and is accessible, in both colours however they are chosen', async () => {
  await fill();
  for (const theme of ['system', 'dark', 'light']) {
    const colorScheme = theme === 'light' ? 'dark' : 'light';
    const { page, context, problems } = await signedIn({ colorScheme });
    await page.goto(`${url}/-/user_settings/preferences`);
    await page.getByLabel('Colours').selectOption(theme);
    await page.getByLabel('Lists and forms').selectOption(theme === 'dark' ? 'compact' : 'comfortable');
    await page.getByRole('button', { name: 'Save preferences' }).click();
    await visit(page, PAGES, { schemes: [colorScheme] });
    assert.deepEqual(problems, []);
    await page.goto(`${url}/-/user_settings/preferences`);
    await page.getByLabel('Colours').selectOption('system');
    await page.getByLabel('Lists and forms').selectOption('comfortable');
    await page.getByRole('button', { name: 'Save preferences' }).click();
    await context.close();
  }
});

test('the front page fits and is accessible', async () => {
  const { page, context } = await open();
  await page.goto(url);
  await checkAll(page, '/');
  await page.goto(`${url}/users/sign_up`);
  await checkAll(page, '/users/sign_up');
  await context.close();
});
