// isomorphic-git, unmodified, pushes, clones and fetches over HTTP.

const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { test } = require('node:test');
const git = require('isomorphic-git');
const http = require('isomorphic-git/http/node');
const { api } = require('./server.cjs');

const author = { name: 'Jane', email: 'jane@forge.example' };
const onAuth = () => ({ username: 'root', password: process.env.TENON_TOKEN });

// A new project's address, and a folder that goes with the test.
async function project(t, name, more = {}) {
  const made = await api('POST', '/projects', { name, ...more });
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'isomorphic-'));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  return { url: made.http_url_to_repo, at: (...names) => path.join(folder, ...names) };
}

async function commit(dir, message) {
  fs.writeFileSync(path.join(dir, 'file.txt'), message);
  await git.add({ fs, dir, filepath: 'file.txt' });
  return git.commit({ fs, dir, message, author });
}

// The titles of what is there, newest first, once git found nothing wrong with it.
function clonedByGit(url, dir) {
  const full = url.replace('://', `://root:${process.env.TENON_TOKEN}@`);
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_TERMINAL_PROMPT: '0' };
  const run = (...words) => execFileSync('git', words, { env, encoding: 'utf8', stdio: 'pipe' });
  run('clone', '--quiet', full, dir);
  run('-C', dir, 'fsck', '--strict', '--full');
  return run('-C', dir, 'log', '--format=%s').trim().split('\n');
}

test('it pushes, clones and fetches', async (t) => {
  const { url, at } = await project(t, 'by-isomorphic');
  const [mine, copy] = [at('mine'), at('copy')];
  await git.init({ fs, dir: mine, defaultBranch: 'main' });
  await commit(mine, 'one');
  const pushed = await git.push({ fs, http, dir: mine, url, ref: 'main', onAuth });
  assert.ok(pushed.ok, pushed.error);
  await git.clone({ fs, http, dir: copy, url, onAuth });
  assert.equal(fs.readFileSync(path.join(copy, 'file.txt'), 'utf8'), 'one');
  const second = await commit(mine, 'two');
  await git.push({ fs, http, dir: mine, url, ref: 'main', onAuth });
  const fetched = await git.fetch({ fs, http, dir: copy, url, ref: 'main', onAuth });
  assert.equal(fetched.fetchHead, second);
  assert.deepEqual(clonedByGit(url, at('checked')), ['two', 'one']);
});

test('it clones a part of what is public, and sees its refs', async (t) => {
  const { url, at } = await project(t, 'for-isomorphic', { visibility: 'public' });
  const mine = at('mine');
  await git.init({ fs, dir: mine, defaultBranch: 'main' });
  for (const title of ['one', 'two', 'three']) await commit(mine, title);
  await git.push({ fs, http, dir: mine, url, ref: 'main', onAuth });
  await git.clone({ fs, http, dir: at('copy'), url, depth: 1, singleBranch: true });
  const log = await git.log({ fs, dir: at('copy') });
  assert.deepEqual(log.map((entry) => entry.commit.message), ['three\n']);
  const refs = await git.listServerRefs({ http, url, symrefs: true, protocolVersion: 2 });
  assert.deepEqual(refs.map((ref) => ref.ref), ['HEAD', 'refs/heads/main']);
  assert.equal(refs[0].target, 'refs/heads/main');
});

test('it is told why it may not', async (t) => {
  const { url, at } = await project(t, 'not-by-isomorphic');
  const [mine, other] = [at('mine'), at('other')];
  for (const [dir, title] of [[mine, 'one'], [other, 'another']]) {
    await git.init({ fs, dir, defaultBranch: 'main' });
    await commit(dir, title);
  }
  await git.push({ fs, http, dir: mine, url, ref: 'main', onAuth });
  let said = '';
  const onMessage = (text) => (said += text);
  const force = { ref: 'main', force: true, onAuth, onMessage };
  await assert.rejects(git.push({ fs, http, dir: other, url, ...force }), /declined/);
  assert.match(said, /protected branch/);
  const wrong = () => ({ username: 'nobody', password: 'wrong' });
  const stranger = git.push({ fs, http, dir: mine, url, ref: 'main', onAuth: wrong });
  await assert.rejects(stranger, { code: 'HttpError' });
  assert.deepEqual(clonedByGit(url, at('checked')), ['one']);
});
