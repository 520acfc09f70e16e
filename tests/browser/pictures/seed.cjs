// What the pictures show: one group with people, issues, packages and errors,
// written over REST with fixed names, in a fixed order, one after the other.

const assert = require('node:assert/strict');
const { publisher } = require('../npm.cjs');
const { makeCode } = require('../repository.cjs');
const { story } = require('../requests.cjs');
const runner = require('../runner.cjs');

const url = process.env.TENON_URL;
const token = process.env.TENON_TOKEN;
const PROJECT = '/projects/foundry%2Fanvil';
const PASSWORD = 'correct horse battery';

async function send(method, address, headers, body) {
  const answer = await fetch(url + address, { method, headers, body });
  assert.ok(answer.ok, `${method} ${address}: ${answer.status} ${await answer.clone().text()}`);
  return answer.json();
}

const api = (method, path, body) =>
  send(
    method,
    `/api/v4${path}`,
    { 'PRIVATE-TOKEN': token, 'Content-Type': 'application/json' },
    JSON.stringify(body),
  );

async function until(isSo) {
  for (let turn = 0; turn < 400; turn += 1) {
    if (await isSo()) return;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error('it never comes to this');
}

async function makePeople() {
  await api('PUT', '/application/settings', {
    sign_in_limit_per_minute: 1000,
    search_rate_limit: 0,
    signup_enabled: true,
    instance_name: 'Ironworks',
    front_page_text: 'Where the **foundry** keeps its plans.',
  });
  const people = {};
  for (const [username, name] of [
    ['mira', 'Mira Lindqvist'],
    ['priya', 'Priya Nair'],
    ['tom', 'Tom Ebele'],
  ]) {
    const email = `${username}@example.com`;
    const user = { username, name, email, password: PASSWORD, skip_confirmation: true };
    people[username] = (await api('POST', '/users', user)).id;
  }
  return people;
}

async function makeSpaces(people) {
  const description = 'Everything that is **cast**.';
  const group = { name: 'Foundry', path: 'foundry', visibility: 'public', description };
  const { id } = await api('POST', '/groups', group);
  await api('POST', '/groups', { name: 'Tools', path: 'tools', parent_id: id });
  for (const [name, topics, about] of [
    ['Bellows', [], 'Wind for the fire.'],
    ['Anvil', ['iron', 'heavy'], 'Drop-forged, heat treated.'],
  ]) {
    const place = { path: name.toLowerCase(), namespace_id: id, visibility: 'public' };
    await api('POST', '/projects', { name, ...place, topics, description: about });
  }
  await api('POST', '/groups/foundry/members', { user_id: people.mira, access_level: 40 });
  await api('POST', `${PROJECT}/members`, { user_id: people.priya, access_level: 30 });
  await api('POST', `${PROJECT}/invitations`, { email: 'new@example.com', access_level: 20 });
  await api('POST', `${PROJECT}/star`);
}

async function makeTokens() {
  const until = { expires_at: new Date(Date.now() + 2e10).toISOString().slice(0, 10) };
  for (const place of [PROJECT, '/groups/foundry']) {
    const own = { name: 'nightly', scopes: ['api'], access_level: 30, ...until };
    await api('POST', `${place}/access_tokens`, own);
    const deploy = { name: 'pull', scopes: ['read_package_registry'], username: 'puller' };
    await api('POST', `${place}/deploy_tokens`, deploy);
    await makeVariables(`${place}/variables`);
  }
  await api('POST', '/admin/ci/variables', { key: 'PROXY', value: 'http://proxy.example:3128' });
  const line = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILM+rvN+ot98qgEN796jTiQfZfG1KaT0PtFDJ/XFSqti';
  await api('POST', `${PROJECT}/deploy_keys`, { title: 'build machine', key: line, can_push: true });
  const mine = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDDfMSf8Z0VjturFWrz3otazDYmR61m/RVEK8ftQIdKb';
  await api('POST', '/user/keys', { title: 'laptop', key: mine });
  const asked = { redirect_uri: 'https://app.example/back', scopes: 'api read_user' };
  return api('POST', '/applications', { name: 'Drawing board', ...asked });
}

async function makeVariables(at) {
  const about = { description: 'Where the forge delivers to', environment_scope: 'production' };
  await api('POST', at, { key: 'DEPLOY_TO', value: 'https://anvil.example', ...about });
  const secret = { masked_and_hidden: true, protected: true, variable_type: 'file', raw: true };
  await api('POST', at, { key: 'DEPLOY_KEY', value: 'hot-iron-42', ...secret });
}

// Two releases of a project of its own, one of which was out before it came here.
async function release() {
  const group = await api('GET', '/groups/foundry');
  const project = await api('POST', '/projects', { name: 'winch', namespace_id: group.id, initialize_with_readme: true });
  const at = `/projects/${project.id}`;
  await api('POST', `${at}/milestones`, { title: 'v1.0' });
  await api('POST', `${at}/releases`, {
    tag_name: 'v1.0', ref: 'main', name: 'The first winch', released_at: '2020-01-02T00:00:00Z',
    description: '## New\n\n- it *turns*\n- it holds', milestones: ['v1.0'],
    assets: { links: [
      { name: 'Drawings', url: 'https://files.example/winch.pdf', direct_asset_path: '/winch.pdf' },
      { name: 'Image', url: 'https://files.example/winch.tar', link_type: 'image' },
    ] },
  });
  await api('POST', `${at}/releases`, { tag_name: 'v2.0', ref: 'main', released_at: '2099-01-01T00:00:00Z' });
}

// What it is made of, and what is known to be wrong with one part.
async function dependencies() {
  const at = `/projects/${encodeURIComponent('foundry/winch')}`;
  await api('POST', '/admin/advisories', {
    id: 'OSV-2020-1', modified: '2020-01-01T00:00:00Z', summary: 'It slips under load',
    database_specific: { severity: 'HIGH' },
    affected: [{ package: { ecosystem: 'npm', name: 'ratchet' }, ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: '2.0.0' }] }] }],
  });
  const component = (name, version, license, scope = 'required') => ({
    type: 'library', 'bom-ref': name, name, version, scope, purl: `pkg:npm/${name}@${version}`,
    licenses: [{ license: { id: license } }],
  });
  const { token: sent } = await api('POST', `${at}/sboms`, {
    bomFormat: 'CycloneDX', specVersion: '1.6',
    metadata: { component: { type: 'application', 'bom-ref': 'winch', name: 'winch' } },
    components: [
      component('drum', '3.1.0', 'MIT'),
      component('ratchet', '1.4.2', 'Apache-2.0'),
      component('pawl', '0.9.0', 'ISC'),
      component('gauge', '5.0.0', 'MIT', 'optional'),
    ],
    dependencies: [
      { ref: 'winch', dependsOn: ['drum', 'gauge'] },
      { ref: 'drum', dependsOn: ['ratchet'] },
      { ref: 'ratchet', dependsOn: ['pawl'] },
    ],
  });
  await until(async () => (await api('GET', `${at}/sboms/${sent}`)).finished);
  await until(async () => JSON.stringify(await api('GET', `${at}/dependencies`)).includes('OSV-2020-1'));
  const asked = await api('POST', `${at}/dependency_list_exports`, { export_type: 'csv' });
  await until(async () => (await api('GET', `/dependency_list_exports/${asked.id}`)).status === 'finished');
}

// What was put where out of the same project, and who may.
async function environments() {
  const at = `/projects/${encodeURIComponent('foundry/winch')}`;
  const [head] = await api('GET', `${at}/repository/commits`);
  const told = { sha: head.id, ref: 'main', tag: false };
  await api('POST', `${at}/deployments`, { ...told, environment: 'production', status: 'success' });
  await api('POST', `${at}/protected_environments`, {
    name: 'production',
    deploy_access_levels: [{ access_level: 40 }],
    approval_rules: [{ access_level: 40, required_approvals: 2 }],
  });
  await api('POST', `${at}/deployments`, { ...told, environment: 'production', status: 'running' });
  await api('POST', `${at}/deployments`, { ...told, environment: 'review/gears', status: 'failed' });
  await api('POST', `${at}/environments`, { name: 'review/rope', external_url: 'https://rope.example' });
}

// A wiki of the same project, with a page in a folder, and one of its group.
async function wikis() {
  const at = `/projects/${encodeURIComponent('foundry/winch')}/wikis`;
  await api('POST', at, {
    title: 'home',
    content: '# The winch\n\nHow it is built, and why.\n\n- [[guides/Casting]]\n- [[guides/Testing]]',
  });
  await api('POST', at, { title: 'guides/Casting', content: '## Mould\n\nOf *sand*, and dry.' });
  await api('POST', at, { title: 'guides/Testing', content: 'Lift a tonne, ten times.' });
  await api('POST', at, { title: 'templates/minutes', content: '## Present\n\n## Decided' });
  await api('POST', '/groups/foundry/wikis', { title: 'home', content: 'Wear **goggles**.' });
}

// A snippet of somebody with two files and a comment.
async function writeSnippet() {
  const made = await api('POST', '/snippets', {
    title: 'Temper the steel',
    description: 'What the furnace is told.',
    visibility: 'public',
    files: [
      { file_path: 'furnace.toml', content: '[furnace]\ndegrees = 1600\nfuel = "coal"\n' },
      { file_path: 'temper.py', content: 'for degrees in range(200, 300, 10):\n    print(degrees)\n' },
    ],
  });
  await api('POST', `/snippets/${made.id}/notes`, { body: 'It **holds**.' });
  return made.id;
}

const DESCRIPTION = `Steps:

- [ ] heat the **iron**
- [x] strike

| Part | Weight |
|------|-------:|
| head |  12 kg |
| horn |   3 kg |

\`\`\`rust
fn main() {
    let x = 1; // the answer
    println!("{x}");
}
\`\`\`

> quoted by @mira, see #1

### A heading of the text
`;

async function planIssues(people) {
  for (const [name, color] of [
    ['bug', '#d9534f'],
    ['documentation', '#1068bf'],
    ['urgent::high', '#7f8c8d'],
  ]) {
    await api('POST', `${PROJECT}/labels`, { name, color, description: `About ${name}` });
  }
  await api('POST', '/groups/foundry/labels', { name: 'door', color: '#5cb85c' });
  const days = { start_date: '2031-01-01', due_date: '2031-06-30' };
  const milestone = await api('POST', `${PROJECT}/milestones`, { title: 'v1.0', ...days });
  await api('POST', '/groups/foundry/milestones', { title: 'Season', ...days });
  const issues = `${PROJECT}/issues`;
  for (const [title, more] of [
    ['Hinge squeaks when the door is opened slowly', { labels: 'bug,door', description: DESCRIPTION }],
    ['Anvil rings flat below freezing', { labels: 'bug', assignee_ids: [people.mira] }],
    ['Document how to temper the horn', { labels: 'documentation', due_date: '2031-02-01' }],
    ['Crash when casting without a mould', { confidential: true }],
    ['The furnace is out', { issue_type: 'incident', labels: 'urgent::high' }],
    ['Sweep the floor', {}],
  ]) {
    await api('POST', issues, { title, milestone_id: milestone.id, ...more });
  }
  await api('PUT', `${issues}/6`, { state_event: 'close' });
  await api('PUT', `${issues}/1`, {
    add_labels: 'urgent::high',
    due_date: '2031-03-01',
    assignee_ids: [people.priya],
  });
  await api('POST', `${issues}/1/links`, { target_project_id: 'foundry/anvil', target_issue_iid: 2 });
  const thread = await api('POST', `${issues}/1/discussions`, { body: 'Is it the **upper** one, @mira?' });
  await api('POST', `${issues}/1/discussions/${thread.id}/notes`, { body: 'Both of them.' });
  await api('POST', `${issues}/1/notes`, { body: 'Oil helps for a day. See #2.' });
}

// Epics with what stands below them, linked with one another.
async function planEpics() {
  const epics = '/groups/foundry/epics';
  const description = 'Every door opens **without a sound**.\n\n- [ ] forge new hinges\n- [x] measure the old ones\n';
  const season = await api('POST', epics, { title: 'Season of iron', color: '#a62b20' });
  const hinges = await api('POST', epics, {
    title: 'Hinges that last ten winters',
    description,
    labels: 'door',
    parent_id: season.id,
  });
  const [forge] = [
    await api('POST', epics, { title: 'Forge and temper', color: '#b57a20', parent_id: hinges.id }),
    await api('POST', epics, { title: 'Test below freezing', parent_id: hinges.id }),
  ];
  await api('POST', epics, { title: 'A press of our own', parent_id: forge.id });
  const days = { start_date_is_fixed: true, start_date_fixed: '2031-09-01' };
  await api('POST', epics, { title: 'Quieter bellows', ...days });
  for (const [iid, epic] of [[2, hinges], [3, hinges], [6, forge]]) {
    const { id } = await api('GET', `${PROJECT}/issues/${iid}`);
    await api('POST', `${epics}/${epic.iid}/issues/${id}`);
  }
  for (const [target_epic_iid, link_type] of [[6, 'is_blocked_by'], [1, 'relates_to']]) {
    const link = { target_group_id: 'foundry', target_epic_iid, link_type };
    await api('POST', `${epics}/2/related_epics`, link);
  }
  await api('POST', `${epics}/${hinges.id}/notes`, { body: 'The river froze **last night**.' });
}

// A board of the project and one of the group; epics of which one stands below another.
async function drawPlans() {
  for (const [place, titles] of [[PROJECT, ['bug', 'documentation']], ['/groups/foundry', ['door']]]) {
    const board = await api('POST', `${place}/boards`, { name: 'Work' });
    for (const title of titles) {
      const { id } = await api('GET', `${place}/labels/${title}`);
      await api('POST', `${place}/boards/${board.id}/lists`, { label_id: id });
    }
  }
  const epics = '/groups/foundry/epics';
  const winter = await api('POST', epics, { title: 'A forge for the winter', start_date: '2031-02-01', end_date: '2031-10-31' });
  await api('POST', epics, { title: 'Bellows and chimney', parent_id: winter.id, start_date: '2031-03-01', end_date: '2031-05-15' });
  await api('POST', epics, { title: 'Tongs for left hands', start_date: '2031-06-01' });
  await api('POST', epics, { title: 'Guild papers' });
  for (const n of [1, 2, 6]) await api('PUT', `${PROJECT}/issues/${n}`, { epic_id: winter.id });
  // Last: who does something to an issue has done what they were to do.
  for (const n of [1, 2]) await api('POST', `${PROJECT}/issues/${n}/todo`);
}

async function publishPackages() {
  const publish = publisher(api, PROJECT);
  const said = {
    description: 'Strikes',
    license: 'MIT',
    homepage: 'https://hammer.example/',
    keywords: ['iron'],
    dependencies: { nail: '^1.0.0' },
  };
  for (const version of ['1.0.0', '1.1.0']) await publish('hammer', version, said);
  await publish('nail', '1.0.0', { description: 'Holds' });
  const rule = { package_name_pattern: 'hammer*', package_type: 'npm' };
  await api('POST', `${PROJECT}/packages/protection/rules`, {
    ...rule,
    minimum_access_level_for_push: 'maintainer',
  });
  await api('POST', `${PROJECT}/packages/cleanup/rules`, {
    package_type: 'npm',
    keep_last: 5,
    older_than_days: 90,
  });
  return (await api('GET', `${PROJECT}/packages?package_version=1.1.0`))[0].id;
}

async function reportErrors() {
  const { id } = await api('GET', PROJECT);
  await api('PUT', `${PROJECT}/error_tracking/settings?active=true&integrated=true`);
  const key = (await api('POST', `${PROJECT}/error_tracking/client_keys`)).public_key;
  const collector = `/api/v4/error_tracking/collector/api/${id}/store/?sentry_key=${key}`;
  const frames = [
    { function: 'main', filename: 'works.py', lineno: 3, context_line: 'heat(1600)' },
    { function: 'heat', filename: 'forge.py', lineno: 7, context_line: 'raise TooHot(degrees)' },
  ];
  for (const [type, value, browser] of [
    ['TooHot', '1600 degrees', 'fox'],
    ['TooHot', '1600 degrees', 'cat'],
    ['OutOfCoal', 'the bunker is empty', 'cat'],
  ]) {
    const event = {
      exception: [{ type, value, stacktrace: { frames } }],
      tags: { browser },
      breadcrumbs: [{ timestamp: 1769872245, message: 'lit' }],
    };
    await send('POST', collector, {}, JSON.stringify(event));
  }
  const errors = await api('GET', `${PROJECT}/error_tracking/errors`);
  return errors.find((error) => error.name.startsWith('TooHot')).id;
}

// Off, so that no picture tells when the next one is.
async function schedule() {
  const nightly = { description: 'Nightly casting', ref: 'main', cron: '0 4 * * *', active: false };
  const { id } = await api('POST', `${PROJECT}/pipeline_schedules`, nightly);
  const path = `${PROJECT}/pipeline_schedules/${id}/variables`;
  await api('POST', path, { key: 'HEAT', value: '1600' });
}

async function watchFurnace(people) {
  const area = `${PROJECT}/alert_management`;
  await api('POST', `${area}/oncall_schedules`, { name: 'Nights', timezone: 'Europe/Berlin' });
  for (const [name, length_unit, user_ids] of [
    ['Daily turns', 'days', [people.mira]],
    ['Weekly turns', 'weeks', [people.priya]],
  ]) {
    const turn = { starts_at: '2020-01-01T08:00:00Z', length: 1, length_unit };
    await api('POST', `${area}/oncall_schedules/1/rotations`, { name, ...turn, user_ids });
  }
  const rules = [
    { elapsed_time_seconds: 0, status: 'acknowledged', oncall_schedule_iid: 1 },
    { elapsed_time_seconds: 600, status: 'resolved', user_id: people.mira },
  ];
  await api('POST', `${area}/escalation_policies`, { name: 'Wake up', rules });
  const furnace = { name: 'Furnace', active: true };
  const integration = await api('POST', `${area}/http_integrations`, furnace);
  for (const [title, severity] of [['Too hot', 'high'], ['Smoke in the hall', 'low']]) {
    const payload = { title, severity, description: 'It **glows**.', furnace: { degrees: '1600' } };
    await api('POST', `${area}/http_integrations/${integration.id}/test`, { payload });
  }
  return integration.id;
}

// A project with a pipeline of which a job has passed.
async function build() {
  const { id } = await api('GET', '/groups/foundry');
  await api('POST', '/projects', { name: 'crane', namespace_id: id, visibility: 'public' });
  const at = '/projects/foundry%2Fcrane';
  await api('POST', `${at}/repository/commits`, {
    branch: 'main',
    author_email: 'mira@example.com',
    author_name: 'Mira Lindqvist',
    commit_message: 'Begin the crane [skip ci]',
    actions: [{ action: 'create', file_path: '.gitlab-ci.yml', content: runner.FILE }],
  });
  // The push leaves a pipeline that is skipped, soon: the list has an order.
  await until(async () => (await api('GET', `${at}/pipelines`)).length > 0);
  const own = await api('GET', at);
  const { token } = await api('POST', '/user/runners', { runner_type: 'project_type', project_id: own.id });
  const { id: pipeline } = await api('POST', `${at}/pipeline`, { ref: 'main' });
  const job = await runner.take(token);
  await runner.append(job, 'section_start:100:get_sources\r\x1b[0K\x1b[1mGet sources\x1b[0m\nFetched\nsection_end:104:get_sources\r\x1b[0K\n');
  await runner.append(job, '\x1b[32mok\x1b[0m 12 \x1b[31mfailed\x1b[0m 0\n');
  await runner.bring(job, runner.ARCHIVE);
  await runner.report(job, runner.REPORT);
  await runner.end(job, 'success');
  return { pipeline, job: job.id };
}

// A lathe, and merge requests that change it; answers their numbers, and of the one
// that is looked at most a thread and the first version.
async function proposeChanges(people) {
  const { id } = await api('GET', '/groups/foundry');
  const taking = Object.entries(people).map(([username, own]) => [username, { id: own, username }]);
  const { lathe, numbers, thread } = await story(api, id, Object.fromEntries(taking));
  const versions = await lathe.ask('GET', `/merge_requests/${numbers.review}/versions`);
  return { ...numbers, thread, version: versions.at(-1).head_commit_sha };
}

// Fills the server; answers what addresses of pages need.
async function seed() {
  const people = await makePeople();
  await makeSpaces(people);
  const application = await makeTokens();
  await makeCode(PROJECT, api);
  await schedule();
  await planIssues(people);
  await release();
  await dependencies();
  await environments();
  await wikis();
  const snippet = await writeSnippet();
  await planEpics();
  await drawPlans();
  const packageId = await publishPackages();
  const built = await build();
  const error = await reportErrors();
  const integration = await watchFurnace(people);
  const requests = await proposeChanges(people);
  const asking = new URLSearchParams({
    client_id: application.application_id,
    client_secret: application.secret,
    scope: 'read_user',
  });
  const device = await send('POST', '/oauth/authorize_device', {}, asking);
  return { application, built, device, error, integration, packageId, requests, snippet };
}

module.exports = { PASSWORD, seed };
