// @gitbeaker/rest, unmodified, manages groups, projects, members, tokens and packages.

const assert = require('node:assert/strict');
const { readFileSync } = require('node:fs');
const { test } = require('node:test');
const { randomBytes } = require('node:crypto');
const { Gitlab } = require('@gitbeaker/rest');

const host = process.env.TENON_URL;
const root = new Gitlab({ host, token: process.env.TENON_TOKEN });

const routes = new Set(
  readFileSync('routes.txt', 'utf8')
    .split('\n')
    .map((line) => line.split(/ +/).slice(0, 2).join(' ').replace(/{[^}]*}/g, '{}')),
);

// The options of a test: skipped while the program lacks one of its routes.
function needs(...wanted) {
  const missing = wanted
    .map((route) => route.replace(' ', ' /api/v4'))
    .filter((route) => !routes.has(route));
  return { skip: missing.length > 0 && `without ${missing.join(', ')}` };
}

async function refused(status, call) {
  await assert.rejects(call, (error) => {
    assert.equal(error.cause?.response?.status, status, String(error));
    return true;
  });
}

function newProject(name) {
  return root.Projects.create({ name, visibility: 'private' });
}

async function userWithToken(username) {
  const user = await root.Users.create({
    username,
    name: username,
    email: `${username}@example.org`,
    password: 'plain-words-for-a-test',
    skipConfirmation: true,
  });
  const token = await root.UserImpersonationTokens.create(user.id, 'test', ['api'], {
    expiresAt: new Date(Date.now() + 7 * 86400e3).toISOString().slice(0, 10),
  });
  return { user, client: new Gitlab({ host, token: token.token }) };
}

test('the administrator is who the token says', needs('GET /user'), async () => {
  const user = await root.Users.showCurrentUser();
  assert.equal(user.username, 'root');
  await refused(401, () => new Gitlab({ host, token: 'wrong' }).Users.showCurrentUser());
});

test('groups hold projects', needs('POST /groups', 'POST /projects', 'GET /groups/{}/projects', 'PUT /projects/{}'), async () => {
  const group = await root.Groups.create('Workshop', 'workshop');
  const project = await root.Projects.create({ name: 'bench', namespaceId: group.id });
  assert.equal(project.path_with_namespace, 'workshop/bench');
  const listed = await root.Groups.allProjects(group.id);
  assert.deepEqual(listed.map((one) => one.id), [project.id]);
  const edited = await root.Projects.edit(project.id, { description: 'of oak' });
  assert.equal(edited.description, 'of oak');
});

test('a member sees a private project, an outsider does not', needs('POST /users', 'POST /users/{}/impersonation_tokens', 'POST /projects', 'POST /projects/{}/members'), async () => {
  const project = await newProject('closed');
  const { user, client } = await userWithToken('olav');
  await refused(404, () => client.Projects.show(project.id));
  await root.ProjectMembers.add(project.id, 20, { userId: user.id });
  assert.equal((await client.Projects.show(project.id)).id, project.id);
  await root.ProjectMembers.edit(project.id, user.id, 30);
  assert.equal((await root.ProjectMembers.show(project.id, user.id)).access_level, 30);
  await root.ProjectMembers.remove(project.id, user.id);
  await refused(404, () => client.Projects.show(project.id));
});

test('a project token reads and is revoked', needs('POST /projects', 'POST /projects/{}/access_tokens', 'DELETE /projects/{}/access_tokens/{}'), async () => {
  const project = await newProject('robots');
  const expiresAt = new Date(Date.now() + 7 * 86400e3).toISOString().slice(0, 10);
  const token = await root.ProjectAccessTokens.create(project.id, 'robot', ['read_api'], expiresAt);
  const robot = new Gitlab({ host, token: token.token });
  assert.equal((await robot.Projects.show(project.id)).id, project.id);
  await root.ProjectAccessTokens.revoke(project.id, token.id);
  await refused(401, () => robot.Projects.show(project.id));
});

test('projects are paged by offset and by keyset', needs('POST /projects', 'GET /projects'), async () => {
  const made = [];
  for (let number = 0; number < 5; number += 1) made.push((await newProject(`leaf-${number}`)).id);

  const { data, paginationInfo } = await root.Projects.all({
    search: 'leaf-', perPage: 2, page: 2, maxPages: 1, showExpanded: true,
  });
  assert.equal(data.length, 2);
  assert.equal(paginationInfo.total, 5);
  assert.equal(paginationInfo.totalPages, 3);

  const all = await root.Projects.all({ search: 'leaf-', perPage: 2 });
  assert.deepEqual(all.map((one) => one.id).sort((a, b) => a - b), made);
  const keyset = await root.Projects.all({
    search: 'leaf-', pagination: 'keyset', orderBy: 'id', sort: 'asc', perPage: 2,
  });
  assert.deepEqual(keyset.map((one) => one.id), made);
});

test('generic packages go up, are listed, come down and go', needs('POST /projects', 'GET /projects/{}/packages', 'DELETE /projects/{}/packages/{}', 'PUT /projects/{}/packages/generic/{}/{}/{}'), async () => {
  const project = await newProject('parcels');
  const content = randomBytes(2_000_000);
  for (const version of ['1.0.0', '1.1.0', '1.2.0']) {
    await root.PackageRegistry.publish(project.id, 'parcel', version, {
      content: new Blob([content]),
      filename: 'parcel.bin',
    });
  }
  const listed = await root.Packages.all({
    projectId: project.id, orderBy: 'version', sort: 'asc', perPage: 2,
  });
  assert.deepEqual(listed.map((one) => one.version), ['1.0.0', '1.1.0', '1.2.0']);

  const down = await root.PackageRegistry.download(project.id, 'parcel', '1.0.0', 'parcel.bin');
  const bytes = Buffer.from(await down.arrayBuffer());
  assert.ok(bytes.equals(content));

  await root.Packages.remove(project.id, listed[0].id);
  const left = await root.Packages.all({ projectId: project.id });
  assert.equal(left.length, 2);
});
