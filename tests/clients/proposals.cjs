// What the Node suites of merge requests share: a project, branches that are to be merged,
// and waiting.

const assert = require('node:assert/strict');
const { setTimeout: pause } = require('node:timers/promises');
const { api } = require('./server.cjs');

const LIST = Array.from({ length: 20 }, (_, n) => `${n + 1}\n`).join('');
// Until somebody has looked whether it can be merged.
const UNKNOWN = ['preparing', 'unchecked', 'checking'];

// What `look` sees, as soon as `holds` says that it will do.
async function until(look, holds) {
  const end = Date.now() + 120_000;
  for (;;) {
    const seen = await look();
    if (holds(seen)) return seen;
    assert.ok(Date.now() < end, JSON.stringify(seen));
    await pause(50);
  }
}

// A commit of a branch, which begins at `main` where it is new; files are text by path.
async function commit(project, branch, files, { action = 'create', start, message = 'Forge it' } = {}) {
  const actions = Object.entries(files).map(([path, content]) => ({ action, file_path: path, content }));
  const body = { branch, commit_message: message, actions, start_branch: start };
  return api('POST', `/projects/${project.id}/repository/commits`, body);
}

// A project in a group of this name, with files on `main`.
async function forge(name, files = { 'list.txt': LIST }) {
  const group = await api('POST', '/groups', { name, path: name });
  const project = await api('POST', '/projects', { name: 'anvil', namespace_id: group.id });
  await commit(project, 'main', files, { message: 'Begin' });
  return api('GET', `/projects/${project.id}`);
}

// A merge request once it is known whether it can be merged.
function settled(project, iid) {
  const look = () => api('GET', `/projects/${project.id}/merge_requests/${iid}`);
  return until(look, (it) => !UNKNOWN.includes(it.detailed_merge_status));
}

// A merge request of a new branch in which files are other ones.
async function proposed(project, branch, files) {
  await commit(project, branch, files, { action: 'update', start: 'main' });
  const body = { source_branch: branch, target_branch: 'main', title: `Change ${branch}` };
  const made = await api('POST', `/projects/${project.id}/merge_requests`, body);
  return settled(project, made.iid);
}

// Who has a token of a project's own, without being anybody.
async function robot(project) {
  const body = { name: 'robot', scopes: ['api', 'write_repository'], access_level: 40 };
  const { token } = await api('POST', `/projects/${project.id}/access_tokens`, body);
  return token;
}

module.exports = { LIST, UNKNOWN, commit, forge, proposed, robot, settled, until };
