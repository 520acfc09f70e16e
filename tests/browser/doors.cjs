// Pages that people come to from elsewhere: from an application that asks to act
// for them, from a device, by a link in a mail, and where they may not go; and
// whether a suite goes to every page that there is. Run by `cargo xtask test
// --only browser`.

const assert = require('node:assert/strict');
const { readFileSync, readdirSync } = require('node:fs');
const { join } = require('node:path');
const { before, test } = require('node:test');
const { SECRET, api, checkAll, open, person, run, signIn, signedIn, url } = require('./shared.cjs');

const group = `doors-${run}`;
const member = `guest-${run}`;
const BACK = 'http://127.0.0.1:9/back';

before(async () => {
  await api('POST', '/groups', { name: group, path: group, visibility: 'internal' });
  await person(member, 'A guest');
});

// The link that begins so in a mail to somebody.
async function mailed(address, path) {
  const folder = process.env.TENON_MAIL;
  const link = new RegExp(`${url}${path}[^\\s"<>]+`);
  for (let tries = 0; tries < 100; tries += 1) {
    for (const name of readdirSync(folder, { recursive: true }).filter((it) => it.endsWith('.eml'))) {
      const mail = readFileSync(join(folder, name), 'utf8').replace(/=\r?\n/g, '').replaceAll('=3D', '=');
      const found = mail.includes(address) && link.exec(mail);
      if (found) return found[0];
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return assert.fail(`a mail to ${address} with a link to ${path}`);
}

for (const [where, list] of [
  ['of somebody', '/-/user_settings/applications'],
  ['of a group', `/groups/${group}/-/settings/applications`],
  ['of the instance', '/admin/applications'],
]) {
  test(`an application ${where} is made, changed and renewed`, async () => {
    const { page, context, problems } = await signedIn();
    await page.goto(url + list);
    await page.locator('#f-name').fill(`Diary ${where}`);
    await page.getByLabel('Redirect addresses').fill(BACK);
    await page.getByLabel('Confidential').check();
    await page.getByLabel('read_user', { exact: true }).check();
    await page.getByRole('button', { name: 'Register application' }).click();
    await page.getByLabel('Secret', { exact: true }).waitFor();
    await checkAll(page, 'an application with its secret');
    await page.goto(url + list);
    await checkAll(page, 'a list of applications');
    await page.getByRole('link', { name: `Diary ${where}` }).click();
    await checkAll(page, 'an application');
    assert.deepEqual(problems, []);
    await context.close();
  });
}

test('an application asks, and a device does', async () => {
  const { application_id: client } = await api('POST', '/applications', {
    name: 'Notebook',
    redirect_uri: BACK,
    scopes: 'read_user openid',
    confidential: false,
  });
  const { page, context, problems } = await signedIn();
  const query = new URLSearchParams({
    client_id: client,
    redirect_uri: BACK,
    response_type: 'code',
    scope: 'read_user',
    state: 'x',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  });
  await page.goto(`${url}/oauth/authorize?${query}`);
  await page.getByRole('heading', { name: 'Let «Notebook» act for you?' }).waitFor();
  await checkAll(page, 'the consent');

  const body = new URLSearchParams({ client_id: client, scope: 'read_user' });
  const answer = await fetch(`${url}/oauth/authorize_device`, { method: 'POST', body });
  const { user_code: code, device_code: device } = await answer.json();
  await page.goto(`${url}/oauth/device`);
  await checkAll(page, 'the code of a device');
  await page.getByLabel('Code').fill(code);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByText(code, { exact: true }).waitFor();
  await checkAll(page, 'a device to let in');
  await page.getByRole('button', { name: 'Authorize' }).click();
  await page.getByRole('button', { name: 'Authorize' }).waitFor({ state: 'detached' });
  await checkAll(page, 'a device that was let in');
  const grant = { client_id: client, device_code: device, grant_type: 'urn:ietf:params:oauth:grant-type:device_code' };
  const token = await fetch(`${url}/oauth/token`, { method: 'POST', body: new URLSearchParams(grant) });
  assert.equal(token.status, 200);
  await page.goto(`${url}/-/user_settings/applications`);
  await page.getByRole('cell', { name: 'Notebook' }).waitFor();
  await checkAll(page, 'applications that act for somebody');
  assert.deepEqual(problems, []);

  await page.goto(`${url}/oauth/authorize?client_id=nobody&response_type=code`);
  await page.getByRole('heading', { name: 'This application cannot be authorised' }).waitFor();
  await checkAll(page, 'an application that is none');
  await context.close();
});

test('links in mails lead to pages', async () => {
  const { page, context } = await open();
  const address = `${member}@example.com`;
  await page.goto(`${url}/users/password/new`);
  await page.getByLabel('E-mail').fill(address);
  await page.getByRole('button', { name: 'Send the link' }).click();
  await page.getByRole('heading', { name: 'Look into your mail' }).waitFor();
  await checkAll(page, 'a link that was sent');
  await page.goto(await mailed(address, '/users/password/edit'));
  await page.getByLabel('New password').waitFor();
  await checkAll(page, 'a new password');

  const fresh = `fresh-${run}@example.com`;
  await api('POST', '/users', { username: `fresh-${run}`, name: 'Fresh', email: fresh, password: SECRET });
  await page.goto(await mailed(fresh, '/users/confirmation'));
  await checkAll(page, 'an address to confirm');
  await page.getByRole('main').getByRole('button').click();
  await page.waitForLoadState();
  await page.goto(`${url}/users/unlock?unlock_token=used`);
  await checkAll(page, 'a link that was used');

  const guest = `pat-${run}@example.org`;
  await api('POST', `/groups/${group}/invitations`, { email: guest, access_level: 20 });
  await signIn(page, member, SECRET);
  await page.goto(await mailed(guest, '/-/invites/'));
  await page.getByRole('heading', { name: `Join ${group}?` }).waitFor();
  await checkAll(page, 'an invitation');
  await page.getByRole('button', { name: 'Join' }).click();
  await page.waitForURL(`${url}/groups/${group}`);
  await context.close();
});

test('a link in a mail ends the mails of a thread', async () => {
  const { page, context } = await open();
  const project = `${group}-told`;
  const { id } = await api('POST', '/projects', { name: project, visibility: 'internal' });
  const [{ id: guest }] = await api('GET', `/users?username=${member}`);
  await api('POST', `/projects/${id}/members`, { user_id: guest, access_level: 20 });
  await api('POST', `/projects/${id}/issues`, { title: 'A hinge', assignee_ids: [guest] });
  await page.goto((await mailed(`${member}@example.com`, '/-/sent_notifications/')).replace(/[?,].*/, ''));
  await checkAll(page, 'no more mails of a thread');
  await page.getByRole('main').getByRole('button').click();
  await page.getByText('You get no more mail').waitFor();
  await context.close();
});

test('a page for others says so', async () => {
  const { page, context } = await open();
  await signIn(page, member, SECRET);
  for (const [path, status] of [
    ['/admin', 403],
    ['/nothing/here', 404],
    [`/groups/${group}/-/settings`, 403],
  ]) {
    const answer = await page.goto(url + path);
    assert.equal(answer.status(), status, path);
    await checkAll(page, `${path} refused`);
  }
  await context.close();
});

// Addresses that answer with a file, with JSON, or by leading on.
const NO_PAGES = [
  '/-/group/{id}/uploads/{secret}/{filename}',
  '/-/project/{id}/uploads/{secret}/{filename}',
  '/groups/{*group}/uploads/{secret}/{filename}',
  '/{*project}/uploads/{secret}/{filename}',
  '/-/suggest',
  '/{*project}/-/error_tracking.json',
  '/{*project}/-/releases/permalink/latest',
  '/{*project}/-/releases/permalink/latest/{*suffix}',
  '/{*project}/-/releases/{tag_name}/downloads/{*asset_path}',
  '/{*project}/-/releases/{tag_name}/evidence.json',
  '/{*project}/-/releases/{tag_name}/evidences/{file}',
  '/{*project}/-/error_tracking/{error_id}/details.json',
  '/{*project}/-/error_tracking/{error_id}/stack_trace.json',
  '/-/profile/personal_access_tokens',
  '/-/user_settings/personal_access_tokens',
  '/-/profile/keys',
  '/-/snippets/{snippet_id}/raw',
  '/-/snippets/{snippet_id}/raw/{*spot}',
  '/snippets/{old_id}',
  '/{*project}/-/snippets/{snippet_id}/raw',
  '/{*project}/-/snippets/{snippet_id}/raw/{*spot}',
  '/{*project}/-/archive/{*rest}',
  '/{*project}/-/badges/release.svg',
  '/{*project}/-/badges/{*rest}',
  '/groups/{*group}/-/dependencies/exports/{export_id}/download',
  '/{*project}/-/dependencies/exports/{export_id}/download',
  '/{*project}/-/jobs/{job_id}/artifacts/download',
  '/{*project}/-/jobs/{job_id}/artifacts/file/{*path}',
  '/{*project}/-/jobs/{job_id}/artifacts/raw/{*path}',
  '/{*project}/-/jobs/{job_id}/log',
  '/{*project}/-/jobs/{job_id}/raw',
  '/{*project}/-/export/download',
  '/{*project}/-/jobs/artifacts/{ref_name}/browse',
  '/{*project}/-/jobs/artifacts/{ref_name}/browse/{*path}',
  '/{*project}/-/jobs/artifacts/{ref_name}/download',
  '/{*project}/-/jobs/artifacts/{ref_name}/file/{*path}',
  '/{*project}/-/jobs/artifacts/{ref_name}/raw/{*path}',
  '/{*project}/-/merge_requests/{merge_request_iid}.diff',
  '/{*project}/-/merge_requests/{merge_request_iid}.patch',
  '/{*project}/-/merge_requests/{merge_request_iid}/merge_box',
  '/{*project}/-/diff_lines/{*rest}',
  '/{*project}/-/raw/{*rest}',
  '/oauth/applications',
  '/oauth/applications/{id}',
  '/oauth/applications/{id}/edit',
];

// Pages whose address a suite learns on its way: what it checks there.
const REACHED = {
  '/-/invites/{token}': ['doors.cjs', "'an invitation'"],
  '/-/sent_notifications/{key}/unsubscribe': ['doors.cjs', "'no more mails of a thread'"],
  '/-/user_settings/applications/{id}': ['doors.cjs', "'an application'"],
  '/admin/applications/{id}': ['doors.cjs', "'an application'"],
  '/groups/{*group}/-/settings/applications/{id}': ['doors.cjs', "'an application'"],
  '/users/confirmation': ['doors.cjs', "'an address to confirm'"],
  '/users/password/edit': ['doors.cjs', "'a new password'"],
  '/users/sign_in/two_factor': ['pages.cjs', "'the second factor'"],
  '/{*project}/-/pipeline_schedules/{pipeline_schedule_id}/edit': ['pages.cjs', "'a pipeline schedule'"],
  '/{*project}/-/issues/{issue_iid}': ['pages.cjs', "'an issue'"],
  '/{*project}/-/issues/{issue_iid}/edit': ['pages.cjs', "'editing an issue'"],
  '/{*project}/-/milestones/{milestone_iid}': ['pages.cjs', "'a milestone'"],
  '/{*project}/-/edit/{*rest}': ['pages.cjs', "'Edit notes.txt'"],
  '/{*project}/-/new/{*rest}': ['pages.cjs', "'New file'"],
  '/{*project}/-/new_folder/{*rest}': ['pages.cjs', "'New folder'"],
  '/{*project}/-/upload/{*rest}': ['pages.cjs', "'Upload a file'"],
  '/{*project}/-/replace/{*rest}': ['pages.cjs', "'Replace b.bin'"],
  '/{*project}/-/move/{*rest}': ['pages.cjs', "'Move b.bin'"],
  '/{*project}/-/delete/{*rest}': ['pages.cjs', "'Delete b.bin'"],
};

// What stands for a group or project in the paths of suites; they have further parts of their own.
const PLACES = { '{*project}': 'x(?:/\\w+)?', '{*group}': 'x(?:/\\w+)?' };

test('no page is left out', () => {
  const suites = readdirSync(__dirname).filter((name) => name.endsWith('.cjs'));
  const texts = new Map(suites.map((name) => [name, readFileSync(join(__dirname, name), 'utf8')]));
  const paths = [...texts.values()].flatMap((text) => {
    const written = text.match(/(?<=['`])(?:\$\{url\})?\/[^'`\n]*(?=['`])/g) ?? [];
    return written.map((path) => path.replace('${url}', '').split(/[?#]/)[0].replace(/\$\{[^}]*\}/g, 'x'));
  });
  const routes = readFileSync(join(__dirname, '../../routes.txt'), 'utf8');
  const pages = [...routes.matchAll(/^GET +(\S+) page$/gm)].map(([, route]) => route);
  assert.ok(pages.length > 90, `${pages.length} pages`);
  const left = pages.filter((route) => {
    if (NO_PAGES.includes(route)) return false;
    const [suite, what] = REACHED[route] ?? [];
    if (suite) return !texts.get(suite).includes(`checkAll(page, ${what})`);
    const pattern = route.replace(/[.]/g, '\\.').replace(/\{[^}]*\}/g, (it) => PLACES[it] ?? (it[1] === '*' ? '.+' : '[^/]+'));
    return !paths.some((path) => new RegExp(`^${pattern}$`).test(path));
  });
  assert.deepEqual(left, [], 'pages that no suite checks');
});
