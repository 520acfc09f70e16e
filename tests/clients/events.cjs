// @gitbeaker/rest, unmodified, lists what people did.

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Gitlab } = require('@gitbeaker/rest');

const host = process.env.TENON_URL;
const root = new Gitlab({ host, token: process.env.TENON_TOKEN });

const deeds = (events) => events.map((event) => [event.action_name, event.target_title]);

test('events are listed of the caller, of a user and of a project', async () => {
  const project = await root.Projects.create({ name: 'gathered' });
  const issue = await root.Issues.create(project.id, 'Hinge');
  await root.IssueNotes.create(project.id, issue.iid, 'It squeaks.');
  await root.Issues.edit(project.id, issue.iid, { stateEvent: 'close' });
  const expected = [
    ['closed', 'Hinge'],
    ['commented on', 'Hinge'],
    ['opened', 'Hinge'],
    ['created', null],
  ];
  const of = await root.Events.all({ projectId: project.id });
  assert.deepEqual(deeds(of), expected);
  assert.equal(of[1].note.body, 'It squeaks.');
  const user = await root.Users.showCurrentUser();
  for (const asked of [{ userId: user.id }, {}]) {
    const own = await root.Events.all({ ...asked, perPage: 4, maxPages: 1 });
    assert.deepEqual(deeds(own), expected);
  }
  const closed = await root.Events.all({ projectId: project.id, action: 'closed', targetType: 'issue' });
  assert.deepEqual(deeds(closed), expected.slice(0, 1));
  const all = await root.Events.all({ scope: 'all', perPage: 100, maxPages: 1 });
  assert.ok(all.some((event) => event.project_id === project.id));
  const oldest = await root.Events.all({ projectId: project.id, sort: 'asc', perPage: 1, page: 2 });
  assert.deepEqual(deeds(oldest), expected.slice(2, 3));
  await assert.rejects(root.Events.all({ projectId: project.id, before: 'abc' }));
});
