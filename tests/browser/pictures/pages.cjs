// Which pages have a picture: every route of a page in routes.txt, or the
// reason why not.

const { code } = require('../shared.cjs');
const { lineOf } = require('../requests.cjs');
const { PASSWORD } = require('./seed.cjs');

const OWN = '/foundry/anvil';
// A project with releases.
const RELEASED = '/foundry/winch';
// A project with a pipeline.
const BUILT = '/foundry/crane';
// A project with merge requests.
const TURNED = '/foundry/lathe';

// The address of a route among what `seed.cjs` writes.
const fill = (route) =>
  route
    .replace('{*project}', 'foundry/anvil')
    .replace('{*group}', 'foundry')
    .replace('{username}', 'mira')
    .replace('{issue_iid}', '1')
    .replace('{epic_iid}', '2')
    .replace('{milestone_iid}', '1')
    .replace('{alert_iid}', '1')
    .replace('{tag_name}', 'v1.0')
    .replace('{schedule_iid}', '1')
    .replace('{pipeline_schedule_id}', '1');

// A page: the name of its picture, its route, and where it needs more than that:
// another address, its status, what is done on it first (`act`), what stands still
// there and nowhere else (`drawn`), and whether it is looked at in the dark, too.
const page = (name, route, more = {}) => ({ name, route, path: fill(route), ...more });

// A page of one of the merge requests, by what it shows.
const request = (name, which, rest = '', more = {}) =>
  page(`merge-request${name}`, `/{*project}/-/merge_requests/{merge_request_iid}${rest.split('?')[0]}`, {
    path: ({ requests }) => {
      const address = `${TURNED}/-/merge_requests/${requests[which]}${rest}`;
      return address.replace('{version}', requests.version).replace('{thread}', requests.thread);
    },
    ...more,
  });
// Lines of a file there: where a comment begins and ends.
const RANGE = `comment=${lineOf('src/spindle.rs', 43, 46)}&from=${lineOf('src/spindle.rs', 42, 43)}`;

// What strangers see.
const STRANGERS = [
  page('front', '/', { dark: true }),
  page('sign-in', '/users/sign_in', { dark: true }),
  page('sign-in-refused', '/users/sign_in', { async act(page) {
    await page.getByLabel('User name or e-mail').fill('mira');
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
  } }),
  page('sign-up', '/users/sign_up'),
  page('password-forgotten', '/users/password/new'),
  page('password-link-spent', '/users/password/edit', { path: '/users/password/edit?reset_password_token=spent', status: 403 }),
  page('confirmation-asked', '/users/confirmation/new'),
  page('confirmation-link-spent', '/users/confirmation', { path: '/users/confirmation?confirmation_token=spent', status: 403 }),
  page('unlock-link-spent', '/users/unlock', { path: '/users/unlock?unlock_token=spent', status: 403 }),
  page('group-for-strangers', '/groups/{*group}'),
  page('project-for-strangers', '/{*project}'),
  page('epic-for-strangers', '/groups/{*group}/-/epics/{epic_iid}'),
  page('issue-for-strangers', '/{*project}/-/issues/{issue_iid}'),
  request('-for-strangers', 'review'),
  page('refused', '/admin', { status: 401 }),
];

// What root sees.
const ROOT = [
  page('home', '/', { dark: true }),
  page('not-found', '/{*project}', { path: '/nothing/here', status: 404, dark: true }),
  page('shortcuts', '/-/help/shortcuts'),
  page('components', '/-/components', { drawn: '.plot, .spark, .roster > svg, .calendar-plot svg', dark: true }),
  page('explorer', '/-/graphql-explorer'),
  page('search', '/search', { path: '/search?q=hinge' }),
  page('search-empty', '/search', { path: '/search?q=nothing-is-called-so' }),
  page('todos', '/dashboard/todos'),
  page('my-issues', '/dashboard/issues', { path: '/dashboard/issues?scope=all' }),
  page('my-merge-requests', '/dashboard/merge_requests', { path: '/dashboard/merge_requests?scope=all' }),
  page('my-activity', '/dashboard/activity'),
  // Which of them something was done in last hangs on the clock.
  page('projects', '/projects', { path: '/projects?sort=name' }),
  page('project-new', '/projects/new'),
  page('import-sources', '/projects/import', { dark: true }),
  page('import-account', '/projects/import/{provider}', { path: '/projects/import/provider_b_cloud' }),
  page('import-git', '/projects/import/git'),
  page('import-file', '/projects/import/project_file'),
  page('imports', '/projects/imports'),
  page('import-gists', '/-/snippets/import'),
  page('admin-search', '/admin/search'),
  // How much there is in each storage hangs on what was made before.
  page('admin-storages', '/admin/storages', { async act(page) {
    await page.evaluate(() => {
      for (const cell of document.querySelectorAll('[data-label="Size"]')) cell.textContent = '1.5 MiB';
      for (const cell of document.querySelectorAll('[data-label="Repositories"]')) cell.textContent = '7';
    });
  } }),
  page('admin-user-status', '/admin/users/{username}/status'),
  page('admin-user-token', '/admin/users/{username}/tokens'),
  page('group-upload', '/groups/{*group}/-/uploads'),
  page('project-upload', '/{*project}/-/uploads'),
  page('groups', '/groups'),
  page('group-new', '/groups/new'),

  page('profile', '/-/user_settings/profile'),
  page('status', '/-/user_settings/status'),
  page('preferences', '/-/user_settings/preferences'),
  page('notifications', '/-/profile/notifications', { dark: true }),
  page('emails', '/-/user_settings/emails'),
  page('sessions', '/-/user_settings/sessions'),
  page('tokens', '/-/user_settings/tokens'),
  page('token-shown', '/-/user_settings/tokens', { async act(page) {
    await page.getByLabel('Name').fill('laptop');
    await page.getByLabel('read_user', { exact: true }).check();
    await page.getByRole('button', { name: 'Create token' }).click();
    await page.getByText('it is shown this once only').waitFor();
  } }),
  page('ssh-keys', '/-/user_settings/ssh_keys'),
  page('gpg-keys', '/-/user_settings/gpg_keys'),
  page('applications', '/-/user_settings/applications'),
  page('security-keys', '/-/profile/two_factor_auth/keys'),
  page('my-placeholders', '/-/profile/placeholders'),
  page('consent', '/oauth/authorize', { path: (seeded) => `/oauth/authorize?${asking(seeded.application)}` }),
  page('consent-refused', '/oauth/authorize', { path: '/oauth/authorize?client_id=nobody', status: 400 }),
  page('device', '/oauth/device'),
  page('device-confirmed', '/oauth/device', {
    path: (seeded) => `/oauth/device?user_code=${seeded.device.user_code}`,
    async act(page) {
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('button', { name: 'Authorize' }).waitFor();
    },
  }),

  page('group', '/groups/{*group}'),
  page('group-notifications', '/groups/{*group}/-/notification_settings'),
  page('group-members', '/groups/{*group}/-/members'),
  page('group-issues', '/groups/{*group}/-/issues'),
  page('group-merge-requests', '/groups/{*group}/-/merge_requests', { path: '/groups/foundry/-/merge_requests?state=all' }),
  page('group-epics', '/groups/{*group}/-/epics', { dark: true }),
  page('group-epics-empty', '/groups/{*group}/-/epics', { path: '/groups/foundry/tools/-/epics' }),
  page('epic-new', '/groups/{*group}/-/epics/new'),
  page('epic', '/groups/{*group}/-/epics/{epic_iid}', { dark: true }),
  page('epic-edit', '/groups/{*group}/-/epics/{epic_iid}/edit'),
  page('group-incidents', '/groups/{*group}/-/incidents'),
  page('group-activity', '/groups/{*group}/-/activity'),
  page('group-labels', '/groups/{*group}/-/labels'),
  page('group-milestones', '/groups/{*group}/-/milestones'),
  page('group-milestone', '/groups/{*group}/-/milestones/{milestone_iid}'),
  page('group-boards', '/groups/{*group}/-/boards'),
  page('roadmap', '/groups/{*group}/-/roadmap', { path: '/groups/foundry/-/roadmap?from=2031-01-01', dark: true }),
  page('group-packages', '/groups/{*group}/-/packages'),
  page('group-settings', '/groups/{*group}/-/settings'),
  page('group-access-tokens', '/groups/{*group}/-/access_tokens'),
  page('group-placeholders', '/groups/{*group}/-/placeholders'),
  page('group-deploy-tokens', '/groups/{*group}/-/deploy_tokens'),
  page('group-settings-ci', '/groups/{*group}/-/settings/ci_cd'),
  page('group-settings-runners', '/groups/{*group}/-/settings/runners'),
  page('group-protected-environments', '/groups/{*group}/-/settings/protected_environments'),
  page('group-applications', '/groups/{*group}/-/settings/applications'),
  page('group-package-settings', '/groups/{*group}/-/settings/packages'),
  page('group-cleanup', '/groups/{*group}/-/settings/packages/cleanup'),

  page('project', '/{*project}', { dark: true }),
  page('project-empty', '/{*project}', { path: '/foundry/bellows' }),
  page('user', '/{*project}', { path: '/mira' }),
  page('user-activity', '/users/{username}/activity'),
  page('project-activity', '/{*project}/-/activity', { dark: true }),
  page('project-activity-empty', '/{*project}/-/activity', { path: `${OWN}/-/activity?day=2001-02-03` }),
  page('project-notifications', '/{*project}/-/notification_settings'),
  page('project-members', '/{*project}/-/members'),
  page('project-settings', '/{*project}/-/settings'),
  page('project-access-tokens', '/{*project}/-/access_tokens'),
  page('project-deploy-tokens', '/{*project}/-/deploy_tokens'),
  page('project-deploy-keys', '/{*project}/-/deploy_keys'),
  page('project-settings-ci', '/{*project}/-/settings/ci_cd'),
  page('project-settings-runners', '/{*project}/-/settings/runners'),
  page('project-protected-environments', '/{*project}/-/settings/protected_environments', { path: `${RELEASED}/-/settings/protected_environments` }),
  page('pipelines', '/{*project}/-/pipelines', { path: `${BUILT}/-/pipelines`, drawn: 'code', dark: true }),
  page('pipelines-empty', '/{*project}/-/pipelines', { path: '/foundry/bellows/-/pipelines' }),
  page('pipeline-new', '/{*project}/-/pipelines/new', { path: `${BUILT}/-/pipelines/new` }),
  page('pipeline-charts', '/{*project}/-/pipelines/charts', { path: '/foundry/bellows/-/pipelines/charts' }),
  page('pipeline', '/{*project}/-/pipelines/{pipeline_id}', { path: (seeded) => `${BUILT}/-/pipelines/${seeded.built.pipeline}`, drawn: 'code', dark: true }),
  page('pipeline-jobs', '/{*project}/-/pipelines/{pipeline_id}/builds', { path: (seeded) => `${BUILT}/-/pipelines/${seeded.built.pipeline}/builds`, drawn: 'code' }),
  page('pipeline-failures', '/{*project}/-/pipelines/{pipeline_id}/failures', { path: (seeded) => `${BUILT}/-/pipelines/${seeded.built.pipeline}/failures`, drawn: 'code' }),
  page('pipeline-tests', '/{*project}/-/pipelines/{pipeline_id}/test_report', { path: (seeded) => `${BUILT}/-/pipelines/${seeded.built.pipeline}/test_report`, drawn: 'code', dark: true }),
  page('jobs', '/{*project}/-/jobs', { path: `${BUILT}/-/jobs` }),
  page('job', '/{*project}/-/jobs/{job_id}', { path: (seeded) => `${BUILT}/-/jobs/${seeded.built.job}`, drawn: 'dd', dark: true }),
  page('job-files', '/{*project}/-/jobs/{job_id}/artifacts/browse', { path: (seeded) => `${BUILT}/-/jobs/${seeded.built.job}/artifacts/browse` }),
  page('pipeline-editor', '/{*project}/-/ci/editor', { path: `${BUILT}/-/ci/editor` }),
  page('project-settings-pipelines', '/{*project}/-/settings/pipelines'),
  page('pipeline-schedules', '/{*project}/-/pipeline_schedules', { dark: true }),
  page('pipeline-schedule-new', '/{*project}/-/pipeline_schedules/new'),
  page('pipeline-schedule-edit', '/{*project}/-/pipeline_schedules/{pipeline_schedule_id}/edit'),
  page('starrers', '/{*project}/-/starrers'),
  page('forks', '/{*project}/-/forks'),
  page('fork-new', '/{*project}/-/forks/new'),

  page('folder', '/{*project}/-/tree/{*rest}', { path: `${OWN}/-/tree/main/src`, drawn: '.commit-id', dark: true }),
  page('file', '/{*project}/-/blob/{*rest}', { path: `${OWN}/-/blob/main/src/main.rs#L7`, dark: true }),
  page('file-rendered', '/{*project}/-/blob/{*rest}', { path: `${OWN}/-/blob/main/docs/guide.md` }),
  page('file-picture', '/{*project}/-/blob/{*rest}', { path: `${OWN}/-/blob/main/docs/plate.png` }),
  page('blame', '/{*project}/-/blame/{*rest}', { path: `${OWN}/-/blame/main/docs/guide.md`, drawn: '.commit-id' }),
  page('find-file', '/{*project}/-/find_file/{*rest}', { path: `${OWN}/-/find_file/main` }),

  page('commits', '/{*project}/-/commits/{*rest}', { path: `${OWN}/-/commits/cooling`, dark: true }),
  page('commit', '/{*project}/-/commit/{*rest}', { path: `${OWN}/-/commit/cooling`, dark: true }),
  page('commit-side-by-side', '/{*project}/-/commit/{*rest}', { path: `${OWN}/-/commit/cooling?view=parallel` }),
  page('compare', '/{*project}/-/compare'),
  page('compare-branches', '/{*project}/-/compare/{*rest}', { path: `${OWN}/-/compare/main...cooling` }),
  page('branches', '/{*project}/-/branches'),
  page('tags', '/{*project}/-/tags'),
  page('tag', '/{*project}/-/tags/{*rest}', { path: `${OWN}/-/tags/v1.0` }),
  page('network', '/{*project}/-/network/{*rest}', { path: `${OWN}/-/network/main?all=1` }),
  page('contributors', '/{*project}/-/graphs/{*rest}', { path: `${OWN}/-/graphs/main` }),

  page('issues', '/{*project}/-/issues', { dark: true }),
  page('issues-empty', '/{*project}/-/issues', { path: '/foundry/bellows/-/issues' }),
  page('issue-new', '/{*project}/-/issues/new'),
  page('issue', '/{*project}/-/issues/{issue_iid}', { dark: true }),
  page('issue-edit', '/{*project}/-/issues/{issue_iid}/edit'),
  page('incidents', '/{*project}/-/incidents'),
  page('labels', '/{*project}/-/labels'),
  page('milestones', '/{*project}/-/milestones'),
  page('milestone', '/{*project}/-/milestones/{milestone_iid}'),

  page('merge-requests', '/{*project}/-/merge_requests', { path: `${TURNED}/-/merge_requests`, dark: true }),
  page('merge-requests-empty', '/{*project}/-/merge_requests', { path: '/foundry/bellows/-/merge_requests' }),
  page('merge-request-branches', '/{*project}/-/merge_requests/new', { path: `${TURNED}/-/merge_requests/new` }),
  page('merge-request-new', '/{*project}/-/merge_requests/new', { path: `${TURNED}/-/merge_requests/new?merge_request[source_branch]=oil` }),
  request('', 'review', '', { dark: true }),
  request('-thread', 'review', '?thread={thread}'),
  request('-draft', 'draft'),
  request('-conflict', 'conflict'),
  request('-ready', 'ready'),
  request('-merged', 'merged'),
  request('-closed', 'closed'),
  request('-edit', 'review', '/edit'),
  request('-commits', 'review', '/commits'),
  request('-pipelines', 'review', '/pipelines'),
  request('-pipelines-empty', 'draft', '/pipelines'),
  // The list of files is open where the page comes on a wide screen.
  request('-changes', 'review', '/diffs', { dark: true, async act(page) {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.reload();
  } }),
  request('-changes-beside', 'review', '/diffs?view=parallel'),
  request('-changes-of-versions', 'review', '/diffs?start_sha={version}'),
  request('-comment', 'review', `/diffs?path=src/spindle.rs&${RANGE}`),
  request('-conflicts', 'conflict', '/conflicts', { dark: true }),
  request('-conflict-written', 'conflict', '/conflicts', { async act(page) {
    await page.getByRole('button', { name: 'Edit the text of README.md' }).click();
    await page.getByLabel('Text of README.md').waitFor();
  } }),
  request('-suggestions', 'review', '/suggestions'),
  page('merge-request-settings', '/{*project}/-/settings/merge_requests', { path: `${TURNED}/-/settings/merge_requests` }),

  page('boards', '/{*project}/-/boards', { dark: true }),
  page('boards-empty', '/{*project}/-/boards', { path: '/foundry/bellows/-/boards' }),

  page('dependencies-empty', '/{*project}/-/dependencies', { path: '/foundry/bellows/-/dependencies' }),
  page('dependencies', '/{*project}/-/dependencies', { path: `${RELEASED}/-/dependencies`, dark: true }),
  page('dependency-exports', '/{*project}/-/dependencies/exports', { path: `${RELEASED}/-/dependencies/exports` }),
  page('group-dependencies', '/groups/{*group}/-/dependencies'),
  page('group-dependency-exports', '/groups/{*group}/-/dependencies/exports'),
  page('environments', '/{*project}/-/environments', { path: `${RELEASED}/-/environments`, drawn: 'code', dark: true }),
  page('environments-empty', '/{*project}/-/environments', { path: '/foundry/bellows/-/environments' }),
  page('environment', '/{*project}/-/environments/{environment_id}', { path: `${RELEASED}/-/environments/1`, drawn: 'code' }),
  page('releases', '/{*project}/-/releases', { path: `${RELEASED}/-/releases`, dark: true }),
  page('releases-empty', '/{*project}/-/releases', { path: '/foundry/bellows/-/releases' }),
  page('release', '/{*project}/-/releases/{tag_name}', { path: `${RELEASED}/-/releases/v1.0` }),
  page('release-new', '/{*project}/-/releases/new', { path: `${RELEASED}/-/releases/new` }),
  page('release-edit', '/{*project}/-/releases/{tag_name}/edit', { path: `${RELEASED}/-/releases/v1.0/edit` }),

  page('wiki', '/{*project}/-/wikis', { path: `${RELEASED}/-/wikis`, dark: true }),
  page('wiki-empty', '/{*project}/-/wikis', { path: '/foundry/bellows/-/wikis' }),
  page('wiki-pages', '/{*project}/-/wikis/pages', { path: `${RELEASED}/-/wikis/pages` }),
  page('wiki-page', '/{*project}/-/wikis/{*slug}', { path: `${RELEASED}/-/wikis/guides/Casting` }),
  page('wiki-history', '/{*project}/-/wikis/{*slug}', { path: `${RELEASED}/-/wikis/guides/Casting/history` }),
  page('wiki-edit', '/{*project}/-/wikis/{*slug}', { path: `${RELEASED}/-/wikis/guides/Casting/edit` }),
  page('wiki-new', '/{*project}/-/wikis/new', { path: `${RELEASED}/-/wikis/new` }),

  page('snippets', '/-/snippets', { dark: true }),
  page('snippets-explore', '/explore/snippets'),
  page('snippet', '/-/snippets/{snippet_id}', { path: (seeded) => `/-/snippets/${seeded.snippet}`, dark: true }),
  page('snippet-edit', '/-/snippets/{snippet_id}/edit', { path: (seeded) => `/-/snippets/${seeded.snippet}/edit` }),
  page('snippet-new', '/-/snippets/new'),
  page('project-snippets', '/{*project}/-/snippets', { path: '/foundry/bellows/-/snippets' }),

  page('packages', '/{*project}/-/packages'),
  page('packages-empty', '/{*project}/-/packages', { path: '/foundry/bellows/-/packages' }),
  page('package', '/{*project}/-/packages/{package_id}', {
    path: (seeded) => `${OWN}/-/packages/${seeded.packageId}`,
    dark: true,
  }),
  page('package-versions', '/{*project}/-/packages/{package_id}/versions', {
    path: (seeded) => `${OWN}/-/packages/${seeded.packageId}/versions`,
  }),
  page('package-settings', '/{*project}/-/settings/packages'),
  page('package-cleanup', '/{*project}/-/settings/packages/cleanup'),

  page('repository-settings', '/{*project}/-/settings/repository'),
  page('mirror-settings', '/{*project}/-/settings/mirrors'),
  page('import', '/{*project}/-/import'),
  page('export', '/{*project}/-/export'),
  ...[
    ['edit', '/main/README.md', true],
    ['new', '/main'],
    ['new_folder', '/main'],
    ['upload', '/main'],
    ['replace', '/main/README.md'],
    ['move', '/main/README.md'],
    ['delete', '/main/README.md'],
  ].map(([part, rest, dark = false]) =>
    page(`code-${part.replace('_', '-')}`, `/{*project}/-/${part}/{*rest}`, { path: `${OWN}/-/${part}${rest}`, dark }),
  ),

  page('errors', '/{*project}/-/error_tracking', { path: `${OWN}/-/error_tracking` }),
  page('error', '/{*project}/-/error_tracking/{error_id}/details', {
    path: (seeded) => `${OWN}/-/error_tracking/${seeded.error}/details`,
    dark: true,
  }),
  page('error-settings', '/{*project}/-/settings/error_tracking'),
  page('alerts', '/{*project}/-/alert_management'),
  page('alerts-empty', '/{*project}/-/alert_management', { path: '/foundry/bellows/-/alert_management' }),
  page('alert', '/{*project}/-/alert_management/{alert_iid}/details'),
  page('alert-settings', '/{*project}/-/settings/alerts'),
  page('alert-integration', '/{*project}/-/settings/alerts/{integration_id}', {
    path: (seeded) => `${OWN}/-/settings/alerts/${seeded.integration}`,
  }),
  page('schedules', '/{*project}/-/oncall_schedules'),
  page('schedule', '/{*project}/-/oncall_schedules/{schedule_iid}', {
    path: `${OWN}/-/oncall_schedules/1?week=2031-05-05`,
    drawn: '.roster > svg',
    dark: true,
  }),
  page('policy', '/{*project}/-/escalation_policies'),

  page('admin', '/admin'),
  page('admin-users', '/admin/users'),
  page('admin-user-new', '/admin/users/new'),
  page('admin-user', '/admin/users/{username}'),
  page('admin-user-edit', '/admin/users/{username}/edit'),
  page('admin-user-memberships', '/admin/users/{username}/memberships'),
  page('admin-settings', '/admin/settings'),
  ...['general', 'limits', 'monitoring', 'network', 'oauth', 'packages', 'pipelines', 'sessions', 'sign_in', 'spam'].map(
    (part) => page(`admin-settings-${part.replace('_', '-')}`, `/admin/settings/${part}`),
  ),
  page('admin-package-limits', '/admin/package_limits'),
  page('admin-settings-ci', '/admin/settings/ci_cd'),
  // Columns are as wide as what is drawn by chance in them.
  page('admin-runners', '/admin/runners', { async act(page) {
    await page.locator('td .muted.small').evaluateAll((tokens) => tokens.forEach((token) => { token.textContent = 'aB3dE5fG'; }));
  } }),
  page('admin-applications', '/admin/applications'),
  page('admin-application', '/admin/applications/{id}', {
    path: (seeded) => `/admin/applications/${seeded.application.id}`,
  }),
  page('admin-spam', '/admin/spam_logs'),
  // Which periodic jobs wait is a matter of seconds: one of them stands for all.
  page('admin-jobs', '/admin/jobs', { async act(page) {
    await page.locator('tbody tr').first().waitFor();
    await page.evaluate(() => {
      const [first, ...others] = document.querySelectorAll('tbody tr');
      for (const row of others) row.remove();
      first.querySelector('code').textContent = 'monitoring.escalate';
      for (const count of document.querySelectorAll('.tally')) count.textContent = '1';
    });
  } }),
  page('admin-audit', '/admin/audit', { path: '/admin/audit?action=application.' }),
  page('admin-mode', '/-/admin_mode'),
];

// What somebody sees who sets up a second factor, and signs in with it.
const TOM = [
  page('two-factor-off', '/-/profile/two_factor_auth'),
  page('recovery-codes', '/-/profile/two_factor_auth', { async act(page) {
    const secret = await page.getByLabel('Secret', { exact: true }).inputValue();
    await page.getByLabel('Code that the app shows').fill(code(secret, Date.now() / 1000));
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByRole('heading', { name: 'Keep these codes' }).waitFor();
  } }),
  page('two-factor-on', '/-/profile/two_factor_auth'),
  page('reauthentication', '/users/confirm'),
  page('second-step', '/users/sign_in/two_factor', { path: '/users/sign_in?again=true', async act(page) {
    await page.getByLabel('User name or e-mail').fill('tom');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(/two_factor/);
  } }),
];

function asking(application) {
  return new URLSearchParams({
    client_id: application.application_id,
    redirect_uri: application.callback_url,
    response_type: 'code',
    scope: 'api read_user',
  });
}

// Routes of pages that need no picture of their own.
const WITHOUT = {
  '/-/group/{id}/uploads/{secret}/{filename}': 'a file',
  '/-/project/{id}/uploads/{secret}/{filename}': 'a file',
  '/groups/{*group}/uploads/{secret}/{filename}': 'a file',
  '/{*project}/uploads/{secret}/{filename}': 'a file',
  '/-/invites/{token}': 'the token is in a mail only',
  '/-/sent_notifications/{key}/unsubscribe': 'the key is in a mail only',
  '/-/user_settings/applications/{id}': 'the page of /admin/applications/{id}',
  '/groups/{*group}/-/settings/applications/{id}': 'the page of /admin/applications/{id}',
  '/oauth/applications': 'leads to /-/user_settings/applications',
  '/oauth/applications/{id}': 'leads to /-/user_settings/applications/{id}',
  '/oauth/applications/{id}/edit': 'leads to /-/user_settings/applications/{id}',
  '/-/profile/personal_access_tokens': 'leads to /-/user_settings/tokens',
  '/-/user_settings/personal_access_tokens': 'leads to /-/user_settings/tokens',
  '/-/profile/keys': 'leads to /-/user_settings/ssh_keys',
  '/-/suggest': 'JSON',
  '/{*project}/-/badges/release.svg': 'a picture',
  '/{*project}/-/badges/{*rest}': 'a picture',
  '/{*project}/-/jobs/{job_id}/artifacts/browse/{*path}': 'as /-/jobs/{job_id}/artifacts/browse',
  '/groups/{*group}/-/dependencies/exports/{export_id}/download': 'a file',
  '/{*project}/-/dependencies/exports/{export_id}/download': 'a file',
  '/{*project}/-/export/download': 'a file',
  '/{*project}/-/jobs/{job_id}/artifacts/download': 'a file',
  '/{*project}/-/jobs/{job_id}/artifacts/file/{*path}': 'a file',
  '/{*project}/-/jobs/{job_id}/artifacts/raw/{*path}': 'a file',
  '/{*project}/-/jobs/{job_id}/log': 'a part of the page of a job',
  '/{*project}/-/jobs/{job_id}/raw': 'a file',
  '/{*project}/-/jobs/artifacts/{ref_name}/browse': 'leads to /-/jobs/{job_id}/artifacts/browse',
  '/{*project}/-/jobs/artifacts/{ref_name}/browse/{*path}': 'leads to /-/jobs/{job_id}/artifacts/browse',
  '/{*project}/-/jobs/artifacts/{ref_name}/download': 'a file',
  '/{*project}/-/jobs/artifacts/{ref_name}/file/{*path}': 'a file',
  '/{*project}/-/jobs/artifacts/{ref_name}/raw/{*path}': 'a file',
  '/snippets': 'leads to /-/snippets',
  '/snippets/{old_id}': 'leads to /-/snippets/{snippet_id}',
  '/users/{username}/snippets': 'as /explore/snippets',
  '/-/snippets/{snippet_id}/raw': 'a file',
  '/-/snippets/{snippet_id}/raw/{*spot}': 'a file',
  '/{*project}/-/snippets/new': 'as /-/snippets/new',
  '/{*project}/-/snippets/{snippet_id}': 'as /-/snippets/{snippet_id}',
  '/{*project}/-/snippets/{snippet_id}/edit': 'as /-/snippets/{snippet_id}/edit',
  '/{*project}/-/snippets/{snippet_id}/raw': 'a file',
  '/{*project}/-/snippets/{snippet_id}/raw/{*spot}': 'a file',
  '/groups/{*group}/-/wikis': 'as that of a project',
  '/groups/{*group}/-/wikis/pages': 'as that of a project',
  '/groups/{*group}/-/wikis/new': 'as that of a project',
  '/groups/{*group}/-/wikis/{*slug}': 'as that of a project',
  '/groups/{*group}/-/boards/{board_id}': 'the page of /groups/{*group}/-/boards',
  '/{*project}/-/boards/{board_id}': 'the page of /{*project}/-/boards',
  '/{*project}/-/merge_requests/{merge_request_iid}.diff': 'a file',
  '/{*project}/-/merge_requests/{merge_request_iid}.patch': 'a file',
  '/{*project}/-/merge_requests/{merge_request_iid}/merge_box': 'a part of the page of a merge request',
  '/{*project}/-/diff_lines/{*rest}': 'a part of the pages of what differs',
  '/{*project}/-/archive/{*rest}': 'a file',
  '/{*project}/-/raw/{*rest}': 'a file',
  '/{*project}/-/tree': 'the page of /{*project}/-/tree/{*rest}',
  '/{*project}/-/tree/': 'the page of /{*project}/-/tree/{*rest}',
  '/{*project}/-/commits': 'the page of /{*project}/-/commits/{*rest}',
  '/{*project}/-/commits/': 'the page of /{*project}/-/commits/{*rest}',
  '/{*project}/-/network': 'the page of /{*project}/-/network/{*rest}',
  '/{*project}/-/network/': 'the page of /{*project}/-/network/{*rest}',
  '/{*project}/-/graphs': 'the page of /{*project}/-/graphs/{*rest}',
  '/{*project}/-/graphs/': 'the page of /{*project}/-/graphs/{*rest}',
  '/{*project}/-/releases/permalink/latest': 'leads to /{*project}/-/releases/{tag_name}',
  '/{*project}/-/releases/permalink/latest/{*suffix}': 'leads to what is below that',
  '/{*project}/-/releases/{tag_name}/downloads/{*asset_path}': 'leads to where a link leads',
  '/{*project}/-/releases/{tag_name}/evidence.json': 'JSON',
  '/{*project}/-/releases/{tag_name}/evidences/{file}': 'JSON',
  '/{*project}/-/error_tracking.json': 'JSON',
  '/{*project}/-/error_tracking/{error_id}/details.json': 'JSON',
  '/{*project}/-/error_tracking/{error_id}/stack_trace.json': 'JSON',
};

// Who looks at which pages, in this order.
const PAGES = { stranger: STRANGERS, tom: TOM, root: ROOT };

module.exports = { PAGES, WITHOUT };
