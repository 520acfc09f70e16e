// @gitbeaker/rest, unmodified, opens, discusses, approves and merges merge requests, also by
// the methods and paths that only this client uses.

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Gitlab } = require('@gitbeaker/rest');
const { LIST, UNKNOWN, until } = require('./proposals.cjs');

const host = process.env.TENON_URL;
const root = new Gitlab({ host, token: process.env.TENON_TOKEN });
const { MergeRequests: requests } = root;

async function refused(status, call) {
  await assert.rejects(call, (error) => {
    assert.equal(error.cause?.response?.status, status, String(error));
    return true;
  });
}

// Once it is known whether it can be merged.
function settled(project, iid) {
  return until(() => requests.show(project.id, iid), (it) => !UNKNOWN.includes(it.detailed_merge_status));
}

// A project with a list of twenty lines on `main`.
async function forge(name) {
  const group = await root.Groups.create(name, name);
  const project = await root.Projects.create({ name: 'anvil', namespaceId: group.id });
  await root.Commits.create(project.id, 'main', 'Begin', [
    { action: 'create', filePath: 'list.txt', content: LIST },
  ]);
  return project;
}

// A merge request that changes the seventh line.
async function proposed(project, branch, options = {}) {
  const content = LIST.replace('7\n', `${branch}\n`);
  await root.Commits.create(project.id, branch, 'Change the list', [
    { action: 'update', filePath: 'list.txt', content },
  ], { startBranch: 'main' });
  const made = await requests.create(project.id, branch, 'main', `Add ${branch}`, options);
  return settled(project, made.iid);
}

// A developer of the project, and the client as that user.
async function developer(project, name) {
  const user = await root.Users.create({
    username: name, name, email: `${name}@example.org`, password: 'correct-horse-battery', skipConfirmation: true,
  });
  await root.ProjectMembers.add(project.id, 30, { userId: user.id });
  const { token } = await root.UserImpersonationTokens.create(user.id, 't', ['api']);
  return { user, own: new Gitlab({ host, token }) };
}

test('merge requests are opened, listed, changed and merged', async () => {
  const project = await forge('beaker-lifecycle');
  const issue = await root.Issues.create(project.id, 'Seven is wrong');
  const made = await proposed(project, 'seven', {
    description: `Closes #${issue.iid}`, labels: 'iron,heavy', removeSourceBranch: true,
  });
  assert.deepEqual([made.labels, made.force_remove_source_branch], [['heavy', 'iron'], true]);
  await refused(409, () => requests.create(project.id, 'seven', 'main', 'Twin'));
  const edited = await requests.edit(project.id, made.iid, { title: 'Seven', addLabels: 'new', removeLabels: 'heavy' });
  assert.deepEqual([edited.title, edited.labels], ['Seven', ['iron', 'new']]);

  for (const where of [{ projectId: project.id }, { groupId: 'beaker-lifecycle' }, { scope: 'all', search: 'Seven' }]) {
    const listed = await requests.all({ ...where, state: 'opened', labels: 'iron' });
    assert.deepEqual(listed.map((one) => one.id), [made.id]);
  }
  const [diff] = await requests.allDiffs(project.id, made.iid);
  assert.match(diff.diff, /^@@ -4,7 \+4,7 @@/);
  assert.deepEqual((await requests.showChanges(project.id, made.iid)).changes, [diff]);
  assert.deepEqual((await requests.allCommits(project.id, made.iid)).map((one) => one.id), [made.sha]);
  const [version] = await requests.allDiffVersions(project.id, made.iid);
  const whole = await requests.showDiffVersion(project.id, made.iid, version.id);
  assert.deepEqual([whole.head_commit_sha, whole.diffs.length], [made.sha, 1]);
  assert.deepEqual((await requests.allIssuesClosed(project.id, made.iid)).map((one) => one.iid), [issue.iid]);
  assert.deepEqual((await requests.allIssuesRelated(project.id, made.iid)).map((one) => one.iid), [issue.iid]);
  assert.deepEqual((await requests.allParticipants(project.id, made.iid)).map((one) => one.username), ['root']);
  assert.deepEqual(await requests.allPipelines(project.id, made.iid), []);
  assert.deepEqual(await requests.showReviewers(project.id, made.iid), []);

  const tried = await requests.mergeToDefault(project.id, made.iid);
  assert.match(tried.commit_id, /^[0-9a-f]{40}$/);
  await requests.merge(project.id, made.iid, { sha: made.sha, squash: false });
  const merged = await requests.show(project.id, made.iid);
  assert.equal(merged.state, 'merged');
  await refused(405, () => requests.accept(project.id, made.iid));
  await until(() => root.Branches.all(project.id), (it) => it.length === 1);
});

test('branches are rebased and automatic merges called off', async () => {
  const project = await forge('beaker-waits');
  const made = await proposed(project, 'seven');
  await root.Commits.create(project.id, 'main', 'Add coal', [
    { action: 'create', filePath: 'coal.txt', content: 'black' },
  ]);
  assert.deepEqual(await requests.rebase(project.id, made.iid, { skipCI: true }), { rebase_in_progress: true });
  const look = () => requests.show(project.id, made.iid, { includeRebaseInProgress: true, includeDivergedCommitsCount: true });
  const rebased = await until(look, (it) => !it.rebase_in_progress);
  assert.deepEqual([rebased.merge_error, rebased.diverged_commits_count], [null, 0]);
  await requests.edit(project.id, made.iid, { title: 'Draft: Seven' });
  await settled(project, made.iid);
  const waiting = await requests.merge(project.id, made.iid, { autoMerge: true });
  assert.deepEqual([waiting.state, waiting.merge_when_pipeline_succeeds], ['opened', true]);
  assert.deepEqual(await requests.cancelOnPipelineSuccess(project.id, made.iid), { status: 'success' });
  await refused(406, () => requests.cancelOnPipelineSuccess(project.id, made.iid));
  await refused(405, () => requests.merge(project.id, made.iid));
  await requests.remove(project.id, made.iid);
  await refused(404, () => requests.show(project.id, made.iid));
});

test('threads stand on lines and are resolved', async () => {
  const project = await forge('beaker-threads');
  const made = await proposed(project, 'seven');
  const { MergeRequestDiscussions: threads } = root;
  const { base_sha: baseSha, head_sha: headSha, start_sha: startSha } = made.diff_refs;
  const position = {
    positionType: 'text', baseSha, headSha, startSha, oldPath: 'list.txt', newPath: 'list.txt', newLine: '7',
  };
  const thread = await threads.create(project.id, made.iid, 'Why seven?', { position });
  const [note] = thread.notes;
  assert.deepEqual([note.type, note.position.new_line, note.position.old_line], ['DiffNote', 7, null]);
  const answer = await threads.addNote(project.id, made.iid, thread.id, 'It rhymes.');
  await threads.editNote(project.id, made.iid, thread.id, answer.id, { body: 'It counts.' });
  const seen = await threads.show(project.id, made.iid, thread.id);
  assert.deepEqual(seen.notes.map((one) => one.body), ['Why seven?', 'It counts.']);
  const done = await threads.resolve(project.id, made.iid, thread.id, true, { resolved: true });
  assert.ok(done.notes.every((one) => one.resolved));
  await threads.removeNote(project.id, made.iid, thread.id, answer.id);
  const plain = await threads.create(project.id, made.iid, 'All in all');
  const all = await threads.all(project.id, made.iid);
  assert.deepEqual(all.filter((one) => !one.notes[0].system).map((one) => one.id), [thread.id, plain.id]);

  const { MergeRequestNotes: notes, MergeRequestAwardEmojis: awards } = root;
  const single = await notes.create(project.id, made.iid, 'Good.');
  assert.equal((await notes.edit(project.id, made.iid, single.id, { body: 'Better.' })).body, 'Better.');
  assert.equal((await notes.show(project.id, made.iid, single.id)).body, 'Better.');
  await notes.remove(project.id, made.iid, single.id);
  const award = await awards.award(project.id, made.iid, 'thumbsup');
  assert.deepEqual((await awards.all(project.id, made.iid)).map((one) => one.name), ['thumbsup']);
  await awards.remove(project.id, made.iid, award.id);
});

test('drafts are written, changed and published', async () => {
  const project = await forge('beaker-drafts');
  const made = await proposed(project, 'seven');
  const { MergeRequestDraftNotes: drafts, MergeRequestNotes: notes } = root;
  const first = await drafts.create(project.id, made.iid, 'First');
  const second = await drafts.create(project.id, made.iid, 'Second', { commitId: made.sha });
  await drafts.create(project.id, made.iid, 'Third');
  assert.equal((await drafts.edit(project.id, made.iid, first.id, { note: 'The first' })).note, 'The first');
  assert.equal((await drafts.show(project.id, made.iid, first.id)).note, 'The first');
  await drafts.remove(project.id, made.iid, second.id);
  await drafts.publish(project.id, made.iid, first.id);
  assert.deepEqual((await drafts.all(project.id, made.iid)).map((one) => one.note), ['Third']);
  await drafts.publishBulk(project.id, made.iid);
  assert.deepEqual(await drafts.all(project.id, made.iid), []);
  const said = await notes.all(project.id, made.iid, { sort: 'asc', activityFilter: 'only_comments' });
  assert.deepEqual(said.map((one) => one.body), ['The first', 'Third']);
});

test('approvals are given, ruled and taken back', async () => {
  const project = await forge('beaker-approvals');
  const { MergeRequestApprovals: approvals } = root;
  const { user, own } = await developer(project, 'beaker-smith');
  const made = await proposed(project, 'seven');
  const configured = await approvals.editConfiguration(project.id, { resetApprovalsOnPush: false });
  assert.equal(configured.reset_approvals_on_push, false);
  assert.deepEqual(await approvals.showConfiguration(project.id), configured);
  const rule = await approvals.createApprovalRule(project.id, 'Smiths', 2, { userIds: [user.id] });
  const edited = await approvals.editApprovalRule(project.id, rule.id, 'Smiths', 1, { userIds: [user.id] });
  assert.deepEqual(await approvals.showApprovalRule(project.id, rule.id), edited);
  assert.deepEqual((await approvals.allApprovalRules(project.id)).map((one) => one.id), [rule.id]);
  assert.equal((await settled(project, made.iid)).detailed_merge_status, 'not_approved');

  await refused(409, () => own.MergeRequestApprovals.approve(project.id, made.iid, { sha: 'f'.repeat(40) }));
  const given = await own.MergeRequestApprovals.approve(project.id, made.iid, { sha: made.sha });
  assert.deepEqual([given.approved, given.user_has_approved], [true, true]);
  const [seen] = (await approvals.showApprovalState(project.id, made.iid)).rules;
  assert.deepEqual([seen.name, seen.approved, seen.approved_by[0].id], ['Smiths', true, user.id]);
  await own.MergeRequestApprovals.unapprove(project.id, made.iid);
  const taken = await approvals.showConfiguration(project.id, { mergerequestIId: made.iid });
  assert.deepEqual([taken.approved, taken.approved_by], [false, []]);

  const at = { mergerequestIId: made.iid };
  const single = await approvals.createApprovalRule(project.id, 'Anybody of us', 1, { ...at, userIds: [user.id] });
  assert.deepEqual((await approvals.allApprovalRules(project.id, at)).map((one) => one.name), ['Anybody of us']);
  await approvals.editApprovalRule(project.id, single.id, 'Nobody', 0, at);
  await approvals.removeApprovalRule(project.id, single.id, at);
  await approvals.removeApprovalRule(project.id, rule.id);
  assert.deepEqual(await approvals.allApprovalRules(project.id), []);
});

test('time is spent and estimated, and to-dos are made', async () => {
  const project = await forge('beaker-times');
  const made = await proposed(project, 'seven');
  assert.equal((await requests.setTimeEstimate(project.id, made.iid, '3h')).human_time_estimate, '3h');
  assert.equal((await requests.addSpentTime(project.id, made.iid, '1h')).human_total_time_spent, '1h');
  assert.equal((await requests.showTimeStats(project.id, made.iid)).time_estimate, 10800);
  assert.equal((await requests.resetSpentTime(project.id, made.iid)).total_time_spent, 0);
  assert.equal((await requests.resetTimeEstimate(project.id, made.iid)).time_estimate, 0);
  assert.equal((await requests.createTodo(project.id, made.iid)).target_type, 'MergeRequest');
  assert.equal((await requests.unsubscribe(project.id, made.iid)).subscribed, false);
  assert.equal((await requests.subscribe(project.id, made.iid)).subscribed, true);
  await requests.edit(project.id, made.iid, { labels: 'iron' });
  const [event] = await root.MergeRequestLabelEvents.all(project.id, made.iid);
  assert.deepEqual([event.action, event.label.name], ['add', 'iron']);
});

test('commits of before are put beside the changes', async () => {
  const project = await forge('beaker-context');
  const made = await proposed(project, 'seven');
  const before = await root.Branches.show(project.id, 'main');
  const { MergeRequestContextCommits: context } = root;
  const at = { mergerequestIId: made.iid };
  const added = await context.create(project.id, [before.commit.id], at);
  assert.deepEqual(added.map((one) => one.id), [before.commit.id]);
  assert.deepEqual((await context.all(project.id, made.iid)).map((one) => one.title), ['Begin']);
  await context.remove(project.id, made.iid, { commits: [before.commit.id] });
  assert.deepEqual(await context.all(project.id, made.iid), []);
});

test('there are no trains', async () => {
  const project = await forge('beaker-trains');
  const made = await proposed(project, 'seven');
  assert.equal((await root.Projects.show(project.id)).merge_trains_enabled, false);
  const { MergeTrains: trains } = root;
  await refused(403, () => trains.all(project.id));
  await refused(403, () => trains.showStatus(project.id, made.iid));
  await refused(403, () => trains.addMergeRequest(project.id, made.iid));
});
