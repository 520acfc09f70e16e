// renovate, unmodified, opens merge requests for newer versions of a package of the server's
// own registry, brings them up to date, and merges them itself or once their checks pass.

const assert = require('node:assert/strict');
const { execFileSync, spawnSync } = require('node:child_process');
const { mkdirSync, mkdtempSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { test } = require('node:test');
const { commit, forge, robot, settled, until } = require('../proposals.cjs');
const { api, url } = require('../server.cjs');

const PROGRAM = join(process.env.NODE_PATH, 'renovate/dist/renovate.js');
const manifest = (version) => `${JSON.stringify({ name: 'anvil', dependencies: { '@smithy/horn': version } }, null, 2)}\n`;

// A private project that depends on the first version of a package of its registry, and a
// program with a token of it.
async function workshop(name) {
  const project = await forge(name, { 'package.json': manifest('1.0.0') });
  const folder = mkdtempSync(join(tmpdir(), 'renovate-'));
  const registry = `${url}/api/v4/projects/${project.id}/packages/npm/`;
  const token = await robot(project);
  const npmrc = `registry=${registry}\n${registry.replace('http:', '')}:_authToken=${token}\n`;
  const here = { project, folder, token, npmrc, registry };
  publish(here, '1.0.0');
  return here;
}

function publish({ folder, npmrc }, version) {
  const at = join(folder, `horn-${version}`);
  mkdirSync(at);
  writeFileSync(join(at, '.npmrc'), npmrc);
  writeFileSync(join(at, 'package.json'), JSON.stringify({ name: '@smithy/horn', version }));
  const env = { PATH: process.env.PATH, HOME: folder };
  execFileSync('npm', ['publish'], { cwd: at, env, stdio: 'pipe' });
}

// Runs renovate over the project; what it says.
function renovate({ project, folder, token, registry }, options) {
  // Of what it remembers, that there are newer versions would be missing.
  const baseDir = mkdtempSync(join(folder, 'work-'));
  const config = {
    platform: 'gitlab', endpoint: `${url}/api/v4/`, token, repositories: [project.path_with_namespace],
    gitAuthor: 'Renovate <renovate@example.com>', baseDir, fetchChangeLogs: 'off',
    npmrc: `registry=${registry}`, hostRules: [{ hostType: 'npm', matchHost: registry, token }],
    onboarding: false, requireConfig: 'optional', prHourlyLimit: 0, enabledManagers: ['npm'], labels: ['updates', 'iron'],
    ...options,
  };
  const file = join(folder, 'config.json');
  writeFileSync(file, JSON.stringify(config));
  const env = {
    PATH: process.env.PATH, HOME: folder, RENOVATE_CONFIG_FILE: file, LOG_LEVEL: 'debug', LOG_FORMAT: 'json',
    GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1',
    RENOVATE_X_GITLAB_MERGE_REQUEST_DELAY: '25',
    // What is not on this machine is not to be reached.
    HTTPS_PROXY: 'http://127.0.0.1:9',
  };
  const ran = spawnSync(process.execPath, [PROGRAM], { cwd: folder, env, encoding: 'utf8', timeout: 240_000, maxBuffer: 1 << 28 });
  const lines = ran.stdout.split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  const wrong = lines.filter(({ level, msg }) => level >= 40 && !msg.includes('RE2'));
  assert.deepEqual([ran.status, wrong], [0, []], `${JSON.stringify(wrong, null, 1)}\n${ran.stderr}`);
  return lines.map(({ msg }) => msg);
}

// Takes the jobs of a project, as a runner, until one of this branch has succeeded.
async function work(project, branch) {
  const made = await api('POST', '/user/runners', { runner_type: 'project_type', project_id: project.id });
  const told = async (method, path, body) => {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await fetch(`${url}/api/v4${path}`, { method, headers, body: JSON.stringify(body) });
    assert.ok(answer.ok, `${method} ${path}: ${answer.status}`);
    return answer.status === 201 ? answer.json() : null;
  };
  for (;;) {
    const job = await until(() => told('POST', '/jobs/request', { token: made.token }), Boolean);
    await told('PUT', `/jobs/${job.id}`, { token: job.token, state: 'success' });
    if (job.git_info.ref === branch) return;
  }
}

const requests = ({ project }) => api('GET', `/projects/${project.id}/merge_requests?order_by=created_at&sort=asc`);

async function dependency({ project }, ref = 'main') {
  const file = await api('GET', `/projects/${project.id}/repository/files/package.json?ref=${encodeURIComponent(ref)}`);
  return JSON.parse(Buffer.from(file.content, 'base64')).dependencies['@smithy/horn'];
}

test('a merge request is opened, brought up to date and merged by it', async () => {
  const here = await workshop('renovated');
  renovate(here, { dependencyDashboard: true });
  assert.deepEqual(await requests(here), []);

  publish(here, '1.1.0');
  const member = await api('GET', '/user');
  renovate(here, { dependencyDashboard: true, reviewers: [member.username], assignees: [member.username] });
  const [made, ...others] = await requests(here);
  assert.deepEqual(others, []);
  assert.match(made.title, /update dependency @smithy\/horn to v1\.1\.0/i);
  assert.deepEqual(made.labels, ['iron', 'updates']);
  assert.deepEqual([made.assignees[0].username, made.reviewers[0].username], ['root', 'root']);
  assert.equal(await dependency(here, made.source_branch), '1.1.0');
  const dashboard = await api('GET', `/projects/${here.project.id}/issues`);
  assert.deepEqual(dashboard.map((one) => one.title), ['Dependency Dashboard']);

  publish(here, '1.2.0');
  await commit(here.project, 'main', { 'coal.txt': 'black\n' });
  renovate(here, { rebaseWhen: 'behind-base-branch' });
  const updated = await settled(here.project, made.iid);
  assert.equal(updated.state, 'opened');
  assert.match(updated.title, /v1\.2\.0/);
  assert.equal(await dependency(here, updated.source_branch), '1.2.0');
  const [main] = await api('GET', `/projects/${here.project.id}/repository/commits?ref_name=main&per_page=1`);
  const [head] = await api('GET', `/projects/${here.project.id}/merge_requests/${updated.iid}/commits`);
  assert.deepEqual(head.parent_ids, [main.id]);

  renovate(here, { automerge: true, platformAutomerge: false, ignoreTests: true });
  const merged = await until(async () => (await requests(here))[0], (it) => it.state === 'merged');
  assert.equal(merged.merge_user.id, merged.author.id);
  assert.equal(await dependency(here), '1.2.0');
  renovate(here, {});
  assert.equal((await requests(here)).length, 1);
  const branches = await api('GET', `/projects/${here.project.id}/repository/branches`);
  assert.deepEqual(branches.map((one) => one.name), ['main']);
});

test('one that waits for its pipeline is merged once that succeeds', async () => {
  const here = await workshop('renovated-later');
  const at = `/projects/${here.project.id}`;
  await commit(here.project, 'main', { '.gitlab-ci.yml': 'test: {script: [hammer]}\n' });
  await api('POST', `${at}/approval_rules`, { name: 'Smiths', approvals_required: 1, user_ids: [1] });
  publish(here, '1.1.0');
  renovate(here, { automerge: true, platformAutomerge: true, gitLabIgnoreApprovals: true });
  const [waiting] = await requests(here);
  assert.deepEqual([waiting.state, waiting.merge_when_pipeline_succeeds], ['opened', true]);
  const rules = await api('GET', `${at}/merge_requests/${waiting.iid}/approval_rules`);
  assert.deepEqual(rules.map((one) => one.approvals_required), [0]);

  await work(here.project, waiting.source_branch);
  const merged = await until(async () => (await requests(here))[0], (it) => it.state === 'merged');
  assert.equal(merged.merge_user.id, merged.author.id);
  assert.equal(await dependency(here), '1.1.0');
});
