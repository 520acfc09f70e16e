// danger, unmodified, comments on a merge request and on its lines as a job of a pipeline
// would have it, and takes back what is mended.

const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const { join } = require('node:path');
const { test } = require('node:test');
const { LIST, commit, forge, proposed, robot, until } = require('../proposals.cjs');
const { api, url } = require('../server.cjs');

const PROGRAM = join(process.env.NODE_PATH, 'danger/distribution/commands/danger-ci.js');

// Runs danger over a merge request; what it says.
function look(project, request, token, { status, threads = '' }) {
  const env = {
    PATH: process.env.PATH, NODE_PATH: process.env.NODE_PATH, DANGER_DISABLE_TRANSPILATION: 'true',
    GITLAB_CI: 'true', CI_API_V4_URL: `${url}/api/v4`, CI_PROJECT_PATH: project.path_with_namespace,
    CI_MERGE_REQUEST_PROJECT_PATH: project.path_with_namespace, CI_MERGE_REQUEST_IID: String(request.iid),
    CI_COMMIT_SHA: request.sha, DANGER_GITLAB_API_TOKEN: token, DANGER_GITLAB_USE_THREADS: threads,
  };
  const options = ['--dangerfile', join(__dirname, 'dangerfile.js'), '--failOnErrors', '--id', 'forge'];
  const ran = spawnSync(process.execPath, [PROGRAM, ...options], { env, encoding: 'utf8', timeout: 120_000 });
  assert.equal(ran.status, status, `${ran.stdout}\n${ran.stderr}`);
  return ran.stdout;
}

// The threads that people and programs wrote, the oldest first.
async function said(project) {
  const all = await api('GET', `/projects/${project.id}/merge_requests/1/discussions?per_page=100`);
  return all.filter((one) => !one.notes[0].system);
}

const lines = (threads) => threads
  .filter((one) => one.notes[0].type === 'DiffNote')
  .map(({ notes: [{ position }] }) => [position.old_line, position.new_line])
  .sort((one, other) => one[1] - other[1]);

test('lines are commented on, once, until they are mended', async () => {
  const project = await forge('danger-lines');
  const token = await robot(project);
  const request = await proposed(project, 'words', { 'list.txt': LIST.replace('7\n', 'seven\n') });
  look(project, request, token, { status: 1 });
  const first = await said(project);
  assert.deepEqual(lines(first), [[5, 5], [null, 7], [20, 20]]);
  const [main, ...others] = first.filter((one) => one.individual_note).map((one) => one.notes[0]);
  assert.deepEqual(others, []);
  for (const text of ['1 commit to list.txt for Change words', 'Approved: ', 'There is a word.', 'danger-id-forge']) {
    assert.ok(main.body.includes(text), `${text} in ${main.body}`);
  }

  look(project, request, token, { status: 1 });
  const ids = (threads) => threads.map((one) => one.notes[0].id);
  assert.deepEqual(ids(await said(project)), ids(first));

  const { id } = await commit(project, 'words', { 'list.txt': LIST.replace('7\n', '77\n') }, { action: 'update' });
  const pushed = await until(
    () => api('GET', `/projects/${project.id}/merge_requests/1`), (it) => it.diff_refs.head_sha === id,
  );
  look(project, pushed, token, { status: 0 });
  const left = await said(project);
  assert.deepEqual(ids(left), [main.id]);
  assert.ok(left[0].notes[0].body.includes('2 commit to list.txt'), left[0].notes[0].body);
});

test('the whole is a thread where it is to be one', async () => {
  const project = await forge('danger-threads');
  const token = await robot(project);
  const request = await proposed(project, 'digits', { 'list.txt': LIST.replace('7\n', '77\n') });
  look(project, request, token, { status: 0, threads: '1' });
  const [thread, ...others] = await said(project);
  assert.deepEqual([thread.individual_note, thread.notes[0].resolvable, others], [false, true, []]);
  look(project, request, token, { status: 0, threads: '1' });
  assert.deepEqual((await said(project)).map((one) => one.id), [thread.id]);
});
