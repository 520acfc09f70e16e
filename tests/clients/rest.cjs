// @gitbeaker/rest, unmodified, manages groups, projects, members, tokens, packages and issues.

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { randomBytes } = require('node:crypto');
const { Gitlab } = require('@gitbeaker/rest');

const host = process.env.TENON_URL;
const root = new Gitlab({ host, token: process.env.TENON_TOKEN });

async function refused(status, call) {
  await assert.rejects(call, (error) => {
    assert.equal(error.cause?.response?.status, status, String(error));
    return true;
  });
}

function nextWeek() {
  return new Date(Date.now() + 7 * 86400e3).toISOString().slice(0, 10);
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
    expiresAt: nextWeek(),
  });
  return { user, client: new Gitlab({ host, token: token.token }) };
}

test('the administrator is who the token says', async () => {
  const user = await root.Users.showCurrentUser();
  assert.equal(user.username, 'root');
  await refused(401, () => new Gitlab({ host, token: 'wrong' }).Users.showCurrentUser());
});

test('groups hold projects', async () => {
  const group = await root.Groups.create('Workshop', 'workshop');
  const project = await root.Projects.create({ name: 'bench', namespaceId: group.id });
  assert.equal(project.path_with_namespace, 'workshop/bench');
  const listed = await root.Groups.allProjects(group.id);
  assert.deepEqual(listed.map((one) => one.id), [project.id]);
  const edited = await root.Projects.edit(project.id, { description: 'of oak' });
  assert.equal(edited.description, 'of oak');
  await root.Projects.remove(project.id);
  await refused(404, () => root.Projects.show(project.id));
  await root.Groups.remove(group.id);
  await refused(404, () => root.Groups.show(group.id));
});

test('somebody chooses what they are told of', async () => {
  const { client } = await userWithToken('listener');
  const group = await client.Groups.create('Echo', 'echo');
  const project = await client.Projects.create({ name: 'bell', namespaceId: group.id });
  assert.equal((await client.NotificationSettings.show()).level, 'participating');
  const own = await client.NotificationSettings.edit({ level: 'mention' });
  assert.deepEqual([own.level, own.notification_email], ['mention', 'listener@example.org']);
  for (const place of [{ projectId: project.id }, { groupId: group.id }]) {
    assert.equal((await client.NotificationSettings.show(place)).level, 'global');
    const custom = await client.NotificationSettings.edit({ ...place, level: 'custom', newNote: true });
    assert.deepEqual([custom.level, custom.events.new_note, custom.events.close_issue], ['custom', true, false]);
  }
  await refused(400, () => client.NotificationSettings.edit({ level: 'loud' }));
});

test('a member of a group reaches its projects', async () => {
  const group = await root.Groups.create('Guild hall', 'guild-hall', { visibility: 'private' });
  const project = await root.Projects.create({ name: 'inner', namespaceId: group.id });
  const { user, client } = await userWithToken('gina');
  await refused(404, () => client.Projects.show(project.id));
  await root.GroupMembers.add(group.id, 20, { userId: user.id });
  assert.equal((await client.Projects.show('guild-hall/inner')).id, project.id);
  const inherited = await root.ProjectMembers.all(project.id, { includeInherited: true });
  assert.deepEqual(inherited.map((one) => one.username).sort(), ['gina', 'root']);
  await root.GroupMembers.edit(group.id, user.id, 30);
  assert.equal((await root.GroupMembers.show(group.id, user.id)).access_level, 30);
  await root.GroupMembers.remove(group.id, user.id);
  await refused(404, () => client.Projects.show(project.id));
});

test('a member sees a private project, an outsider does not', async () => {
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

test('a project token reads and is revoked', async () => {
  const project = await newProject('robots');
  const token = await root.ProjectAccessTokens.create(project.id, 'robot', ['read_api'], nextWeek());
  const robot = new Gitlab({ host, token: token.token });
  assert.equal((await robot.Projects.show(project.id)).id, project.id);
  await root.ProjectAccessTokens.revoke(project.id, token.id);
  await refused(401, () => robot.Projects.show(project.id));
});

test('tokens of groups and of persons are rotated, listed and revoked', async () => {
  const group = await root.Groups.create('Key ring', 'key-ring');
  const token = await root.GroupAccessTokens.create(group.id, 'robot', ['api'], nextWeek());
  const robot = new Gitlab({ host, token: token.token });
  assert.equal((await robot.Groups.show(group.id)).full_path, 'key-ring');
  const renewed = await root.GroupAccessTokens.rotate(group.id, token.id);
  await refused(401, () => robot.Groups.show(group.id));
  const again = new Gitlab({ host, token: renewed.token });
  assert.equal((await again.Groups.show(group.id)).id, group.id);
  await root.GroupAccessTokens.revoke(group.id, renewed.id);
  await refused(401, () => again.Groups.show(group.id));

  const { user, client } = await userWithToken('kira');
  const own = await root.PersonalAccessTokens.create(user.id, 'laptop', ['read_api']);
  const listed = await client.PersonalAccessTokens.all({ userId: user.id });
  assert.ok(listed.some((one) => one.id === own.id && one.name === 'laptop'));
  await root.PersonalAccessTokens.remove({ tokenId: own.id });
  await refused(401, () => new Gitlab({ host, token: own.token }).Users.showCurrentUser());
});

test('projects are paged by offset and by keyset', async () => {
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

test('generic packages go up, are listed, come down and go', async () => {
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

  const { data, paginationInfo } = await root.Packages.all({
    projectId: project.id, orderBy: 'version', perPage: 2, page: 2, maxPages: 1, showExpanded: true,
  });
  assert.deepEqual(data.map((one) => one.version), ['1.2.0']);
  assert.deepEqual([paginationInfo.total, paginationInfo.totalPages], [3, 2]);

  await root.Packages.remove(project.id, listed[0].id);
  const left = await root.Packages.all({ projectId: project.id });
  assert.equal(left.length, 2);
});

test('groups are paged by offset and by keyset', async () => {
  const made = [];
  for (let number = 0; number < 5; number += 1) {
    made.push((await root.Groups.create(`Step ${number}`, `step-${number}`)).id);
  }
  const options = { search: 'step-', orderBy: 'name', perPage: 2 };
  const { data, paginationInfo } = await root.Groups.all({
    ...options, page: 3, maxPages: 1, showExpanded: true,
  });
  assert.deepEqual(data.map((one) => one.id), made.slice(4));
  assert.deepEqual([paginationInfo.total, paginationInfo.totalPages], [5, 3]);
  const all = await root.Groups.all(options);
  assert.deepEqual(all.map((one) => one.id), made);
  const keyset = await root.Groups.all({ ...options, pagination: 'keyset' });
  assert.deepEqual(keyset.map((one) => one.id), made);
});

test('issues are labelled, planned, discussed and closed', async () => {
  const project = await newProject('forge');
  await root.ProjectLabels.create(project.id, 'squeaky', '#8899aa');
  const goal = await root.ProjectMilestones.create(project.id, '1.0', { dueDate: '2031-02-01' });
  const made = await root.Issues.create(project.id, 'Hinge', { description: 'It **squeaks**.' });
  const issue = await root.Issues.edit(project.id, made.iid, {
    addLabels: 'squeaky', milestoneId: goal.id,
  });
  assert.deepEqual([issue.iid, issue.labels, issue.milestone.title], [1, ['squeaky'], '1.0']);
  const planned = await root.ProjectMilestones.allAssignedIssues(project.id, goal.id);
  assert.deepEqual(planned.map((one) => one.title), ['Hinge']);

  const note = await root.IssueNotes.create(project.id, issue.iid, 'Oil it');
  const edited = await root.IssueNotes.edit(project.id, issue.iid, note.id, { body: 'Oil it twice' });
  assert.equal(edited.body, 'Oil it twice');
  await root.Issues.edit(project.id, issue.iid, { stateEvent: 'close', removeLabels: 'squeaky', weight: 3 });
  const shown = await root.Issues.show(issue.iid, { projectId: project.id });
  assert.deepEqual([shown.state, shown.labels, shown.weight], ['closed', [], 3]);
  const states = await root.IssueStateEvents.all(project.id, issue.iid);
  assert.deepEqual(states.map((one) => [one.state, one.user.username]), [['closed', 'root']]);
  const labels = await root.IssueLabelEvents.all(project.id, issue.iid);
  assert.deepEqual(labels.map((one) => [one.action, one.label.name]),
    [['add', 'squeaky'], ['remove', 'squeaky']]);
  const goals = await root.IssueMilestoneEvents.all(project.id, issue.iid);
  assert.deepEqual(goals.map((one) => [one.action, one.milestone.title]), [['add', '1.0']]);
  // Its IssueWeightEvents asks for events of states, so weights are not told here.

  await root.IssueNotes.remove(project.id, issue.iid, note.id);
  const left = await root.IssueNotes.all(project.id, issue.iid);
  assert.deepEqual(left.filter((one) => !one.system), []);
  await root.Issues.remove(project.id, issue.iid);
  await refused(404, () => root.Issues.show(issue.iid, { projectId: project.id }));
});

test('issues are linked, found, and put on a list of things to do', async () => {
  const project = await newProject('anvils');
  const { user, client } = await userWithToken('tove');
  await root.ProjectMembers.add(project.id, 20, { userId: user.id });
  const wall = await root.Issues.create(project.id, 'Wall', { assigneeIds: [user.id] });
  const door = await root.Issues.create(project.id, 'Door');
  await client.IssueLinks.create(project.id, wall.iid, project.id, door.iid, { linkType: 'blocks' });
  const linked = await client.IssueLinks.all(project.id, wall.iid);
  assert.deepEqual(linked.map((one) => [one.title, one.link_type]), [['Door', 'blocks']]);

  const mine = await client.Issues.all({ projectId: project.id, assigneeUsername: ['tove'] });
  assert.deepEqual(mine.map((one) => one.title), ['Wall']);
  const all = await client.Issues.all({
    projectId: project.id, pagination: 'keyset', orderBy: 'created_at', sort: 'asc', perPage: 1,
  });
  assert.deepEqual(all.map((one) => one.title), ['Wall', 'Door']);

  const todos = await client.TodoLists.all();
  assert.deepEqual(todos.map((one) => [one.action_name, one.target.title]), [['assigned', 'Wall']]);
  await client.TodoLists.done({ todoId: todos[0].id });
  assert.deepEqual(await client.TodoLists.all(), []);
  const award = await client.IssueAwardEmojis.award(project.id, door.iid, 'thumbsup');
  assert.equal(award.name, 'thumbsup');
  await refused(403, () => client.Issues.remove(project.id, door.iid));
});
