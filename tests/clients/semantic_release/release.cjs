// semantic-release with its plugin for this interface, unmodified: from commits to a
// tag, a release with notes, and a file that can be had with it.

const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const { mkdtempSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');
const { PassThrough } = require('node:stream');
const { test } = require('node:test');
const { api, url } = require('../server.cjs');

const token = process.env.TENON_TOKEN;

function git(folder, ...args) {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  return execFileSync('git', args, { cwd: folder, env, encoding: 'utf8' });
}

function commit(folder, message) {
  writeFileSync(join(folder, 'horn.txt'), message);
  git(folder, 'add', '.');
  git(folder, 'commit', '--quiet', '--message', message);
}

// A clone of a new project with one commit on its default branch.
async function cloned(name) {
  const group = await api('POST', '/groups', { name: `${name}-works`, path: `${name}-works` });
  const project = await api('POST', '/projects', { name, namespace_id: group.id });
  const folder = mkdtempSync(join(tmpdir(), 'semantic-release-'));
  const remote = `${url.replace('://', `://oauth2:${token}@`)}/${project.path_with_namespace}.git`;
  git(folder, 'init', '--quiet', '--initial-branch', 'main');
  for (const [key, value] of [['name', 'Ada'], ['email', 'ada@example.com']]) {
    git(folder, 'config', `user.${key}`, value);
  }
  git(folder, 'remote', 'add', 'origin', remote);
  commit(folder, 'feat: a horn');
  git(folder, 'push', '--quiet', 'origin', 'main');
  return { project, folder, remote };
}

async function release({ folder, remote }, assets) {
  const main = join(process.env.NODE_PATH, 'semantic-release', 'index.js');
  const { default: semanticRelease } = await import(pathToFileURL(main));
  const said = new PassThrough();
  let log = '';
  said.on('data', (chunk) => { log += chunk; });
  const module_of = (name) => join(process.env.NODE_PATH, name);
  const options = {
    branches: ['main'],
    repositoryUrl: remote,
    ci: false,
    plugins: [
      module_of('@semantic-release/commit-analyzer'),
      module_of('@semantic-release/release-notes-generator'),
      [module_of('@semantic-release/gitlab'), { gitlabUrl: url, assets, successCommentCondition: false }],
    ],
  };
  const env = {
    PATH: process.env.PATH, HOME: folder, GL_TOKEN: token, GL_URL: url,
    GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1',
  };
  try {
    return await semanticRelease(options, { cwd: folder, env, stdout: said, stderr: said });
  } catch (error) {
    throw new Error(`${error}\n${JSON.stringify(error.errors ?? [])}\n${log}`, { cause: error });
  }
}

test('a release is made of what commits say', async () => {
  const place = await cloned('semantic');
  writeFileSync(join(place.folder, 'hammer.txt'), 'iron');
  const assets = [{ path: 'hammer.txt', label: 'hammer', type: 'package', filepath: '/hammer.txt' }];
  const first = await release(place, assets);
  assert.equal(first.nextRelease.version, '1.0.0');
  const made = await api('GET', `/projects/${place.project.id}/releases/v1.0.0`);
  assert.match(made.description, /a horn/);
  const [link] = made.assets.links;
  assert.deepEqual([link.name, link.link_type], ['hammer', 'package']);
  assert.match(link.direct_asset_url, /\/-\/releases\/v1\.0\.0\/downloads\/hammer\.txt$/);
  assert.equal(git(place.folder, 'ls-remote', 'origin', 'v1.0.0').split('\t')[0], made.commit.id);

  commit(place.folder, 'fix: the horn rings');
  git(place.folder, 'push', '--quiet', 'origin', 'main');
  const second = await release(place, []);
  assert.equal(second.nextRelease.version, '1.0.1');
  const all = await api('GET', `/projects/${place.project.id}/releases`);
  assert.deepEqual(all.map((one) => one.tag_name), ['v1.0.1', 'v1.0.0']);
  assert.equal(await release(place, []), false);
});
