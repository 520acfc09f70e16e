// @gitbeaker/rest, unmodified, plans with epics: their issues, children and links.

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Gitlab } = require('@gitbeaker/rest');

const root = new Gitlab({ host: process.env.TENON_URL, token: process.env.TENON_TOKEN });

async function refused(status, call) {
  await assert.rejects(call, (error) => {
    assert.equal(error.cause?.response?.status, status, String(error));
    return true;
  });
}

async function groupWithEpics(path, ...titles) {
  const group = await root.Groups.create(path, path);
  const epics = [];
  for (const title of titles) epics.push(await root.Epics.create(group.id, title));
  return { group, epics };
}

test('epics are made, changed, found and removed', async () => {
  const { group, epics } = await groupWithEpics('doors-planned', 'Doors');
  assert.equal(epics[0].references.full, 'doors-planned&1');
  const edited = await root.Epics.edit(group.id, 1, { labels: 'oak', stateEvent: 'close' });
  assert.deepEqual([edited.labels, edited.state], [['oak'], 'closed']);
  const closed = await root.Epics.all(group.id, { state: 'closed', labels: 'oak' });
  assert.deepEqual(closed.map((epic) => epic.title), ['Doors']);
  const todo = await root.Epics.createTodo(group.id, 1);
  assert.equal(todo.target_type, 'Epic');
  const note = await root.EpicNotes.create(group.id, epics[0].id, 'Which?');
  assert.equal(note.noteable_id, epics[0].id);
  const events = await root.EpicLabelEvents.all(group.id, epics[0].id);
  assert.deepEqual(events.map((event) => event.action), ['add']);
  const begun = await root.EpicDiscussions.create(group.id, epics[0].id, 'Why?');
  assert.equal(begun.notes[0].body, 'Why?');
  await root.Epics.remove(group.id, 1);
  await refused(404, () => root.Epics.show(group.id, 1));
});

test('issues and epics stand below an epic', async () => {
  const { group, epics } = await groupWithEpics('doors-filled', 'House', 'Doors');
  const project = await root.Projects.create({ name: 'anvil', namespaceId: group.id });
  const issue = await root.Issues.create(project.id, 'Hinge');
  const put = await root.EpicIssues.assign(group.id, 2, issue.id);
  assert.equal(put.epic.iid, 2);
  await refused(409, () => root.EpicIssues.assign(group.id, 2, issue.id));
  const listed = await root.EpicIssues.all(group.id, 2);
  assert.deepEqual(listed.map((one) => one.epic_issue_id), [put.id]);
  await root.EpicIssues.remove(group.id, 2, put.id);

  await root.EpicLinks.assign(group.id, 1, epics[1].id);
  const made = await root.EpicLinks.create(group.id, 1, 'Windows');
  const order = await root.EpicLinks.reorder(group.id, 1, made.id, { moveAfterId: epics[1].id });
  assert.deepEqual(order.map((epic) => epic.title), ['Windows', 'Doors']);
  await root.EpicLinks.unassign(group.id, 1, made.id);
  const left = await root.EpicLinks.all(group.id, 1);
  assert.deepEqual(left.map((epic) => epic.title), ['Doors']);
});

test('epics are linked over groups', async () => {
  const { group } = await groupWithEpics('doors-linked', 'Doors');
  const { group: other } = await groupWithEpics('walls-linked', 'Walls');
  const link = await root.LinkedEpics.create(group.id, 1, 1, other.id, { linkType: 'blocks' });
  assert.deepEqual([link.source_epic.title, link.target_epic.title], ['Doors', 'Walls']);
  await refused(409, () => root.LinkedEpics.create(group.id, 1, 1, other.id));
  const seen = await root.LinkedEpics.all(other.id, 1);
  assert.deepEqual(seen.map((epic) => [epic.title, epic.link_type]), [['Doors', 'is_blocked_by']]);
  const gone = await root.LinkedEpics.remove(group.id, 1, link.id);
  assert.ok(gone === undefined || gone.id === link.id, gone);
  assert.deepEqual(await root.LinkedEpics.all(group.id, 1), []);
});
