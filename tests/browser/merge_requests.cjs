// Merge requests in a real browser: made, read, commented on by keyboard and by pointer,
// reviewed, suggested to, freed of conflicts, approved and merged; and the main path without
// a script. Run by `cargo xtask test --only browser`.

const assert = require('node:assert/strict');
const { before, test } = require('node:test');
const {
  SECRET,
  api,
  checkAll,
  checkFocus,
  open,
  person,
  run,
  said,
  signIn,
  signedIn,
  url,
  visit,
} = require('./shared.cjs');
const { CHANGES, Lathe, MEANWHILE, lineOf, story, until } = require('./requests.cjs');

const group = `lathes-${run}`;
const people = {};
let namespace;
let count = 0;

before(async () => {
  namespace = (await api('POST', '/groups', { name: group, path: group, visibility: 'public' })).id;
  for (const [name, full] of [['mira', 'Mira Lindqvist'], ['priya', 'Priya Nair'], ['tom', 'Tom Ebele']]) {
    people[name] = await person(`${name}-${run}`, full);
  }
});

// A project of a test's own, in which mira maintains and priya develops.
async function forge() {
  count += 1;
  const path = `lathe-${count}`;
  const lathe = await Lathe.make(api, namespace, { name: path, path });
  for (const [who, access_level] of [[people.mira, 40], [people.priya, 30]]) {
    await lathe.ask('POST', '/members', { user_id: who.id, access_level });
  }
  return { lathe, at: `${url}/${group}/${path}/-/merge_requests` };
}

// The same with a merge request of the branch `brake`, by priya.
async function proposed(title = 'Brake the spindle') {
  const { lathe, at } = await forge();
  const request = await lathe.propose('brake', CHANGES.brake, title, { by: people.priya.username });
  return { lathe, request, one: `${at}/${request.iid}` };
}

// A page of somebody else than root.
async function as(who, options) {
  const opened = await open(options);
  await signIn(opened.page, who.username, SECRET);
  return opened;
}

const SPINDLE = 'src/spindle.rs';
const file = (page, path) => page.locator(`[id="${lineOf(path)}"]`);
// The link that comments on the line with these counters.
const plus = (page, path, ...numbers) => page.locator(`[id="${lineOf(path, ...numbers)}"] > .say`);
const bar = (page, text) => page.locator('#review-bar').getByText(text, { exact: true });
const comment = (page) => page.getByRole('textbox', { name: /^Comment/ });
const focused = (page) => page.evaluate(() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent);

// What stands in the notes of a merge request that people wrote.
async function notes(lathe, iid) {
  const all = await lathe.threads(iid);
  return all.flatMap((thread) => thread.notes).filter((note) => !note.system);
}

test('a merge request is made from the list by keys and fields', async () => {
  const { lathe, at } = await forge();
  await lathe.commit('brake', 'Brake the spindle\n\nBefore the chuck is opened.', CHANGES.brake, { start: 'main' });
  await lathe.ask('POST', '/labels', { name: 'safety', color: '#c0392b' });
  const { page, context, problems } = await signedIn();
  await page.goto(at);
  await page.getByText('No open merge requests').waitFor();
  await checkAll(page, 'no merge requests');
  await page.keyboard.press('c');
  await page.waitForURL(`${at}/new`);
  await checkAll(page, 'both branches of a merge request');
  await page.getByLabel('Source branch').fill('breaks');
  await page.getByRole('button', { name: 'Compare branches and continue' }).click();
  await page.getByText('Is no branch of this project').waitFor();
  await checkAll(page, 'a branch that is none');
  assert.equal(await page.getByLabel('Source branch').inputValue(), 'breaks');
  await page.getByLabel('Source branch').fill('brake');
  await page.getByRole('button', { name: 'Compare branches and continue' }).click();
  await page.getByRole('button', { name: 'Create merge request' }).waitFor();
  assert.equal(await page.getByLabel('Title').inputValue(), 'Brake the spindle');
  assert.equal(await page.getByRole('textbox', { name: 'Description' }).inputValue(), 'Before the chuck is opened.');
  await page.getByRole('region', { name: `Changes of ${SPINDLE}` }).waitFor();
  await checkAll(page, 'a new merge request');
  const reviewers = page.getByRole('combobox', { name: 'Reviewers' });
  await reviewers.fill('Mira');
  await page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option', { name: /Mira Lindqvist/ }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('combobox', { name: 'Labels' }).fill('safety');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Create merge request' }).click();
  await said(page, 'Merge request !1 created.');
  await page.getByRole('heading', { level: 1, name: /Brake the spindle/ }).waitFor();
  const made = await lathe.ask('GET', '/merge_requests/1');
  assert.deepEqual(
    [made.labels, made.reviewers.map((one) => one.username), made.source_branch],
    [['safety'], [people.mira.username], 'brake'],
  );
  await page.getByRole('link', { name: 'Edit', exact: true }).click();
  await page.waitForURL(`${at}/1/edit`);
  await page.getByLabel('It is a draft').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('It is a draft.').waitFor();
  await page.getByRole('button', { name: 'Mark as ready' }).first().click();
  await page.getByText('It is a draft.').waitFor({ state: 'detached' });
  await page.goto(`${at}?labels=safety`);
  await page.getByRole('link', { name: 'Brake the spindle' }).waitFor();
  // The refused branch is answered 422, which the browser notes.
  assert.deepEqual(problems.filter((problem) => !problem.includes('422')), []);
  await context.close();
});

test('lines are commented on by keyboard', async () => {
  const { lathe, one } = await proposed();
  const { page, context, problems } = await signedIn();
  await page.goto(`${one}/diffs`);
  const lines = file(page, SPINDLE).locator('.diff-lines');
  await lines.focus();
  await page.keyboard.press('ArrowDown');
  assert.equal(await focused(page), 'Comment on line 1');
  for (const step of ['line 2', 'added line 3', 'line 4']) {
    await page.keyboard.press('ArrowDown');
    assert.equal(await focused(page), `Comment on ${step}`);
  }
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await comment(page).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.name), 'body');
  await checkAll(page, 'a comment that is begun');
  await page.keyboard.press('Escape');
  assert.equal(await comment(page).count(), 0);
  assert.equal(await focused(page), 'Comment on added line 3');
  await page.keyboard.press('Enter');
  await page.keyboard.type('Why its **own** module?');
  await page.keyboard.press('Control+Enter');
  await page.getByText('Why its own module?').waitFor();
  await bar(page, '1 open thread').waitFor();
  // Several lines, with Shift.
  await plus(page, SPINDLE, 4, 5).focus();
  await page.keyboard.press('Shift+ArrowUp');
  await page.keyboard.press('Shift+ArrowUp');
  assert.equal(await page.locator('.diff-lines .picked').count(), 3);
  await page.keyboard.press('Enter');
  await page.getByText('added line 3 to line 5').waitFor();
  await page.keyboard.type('All of these.');
  await page.keyboard.press('Control+Enter');
  await page.getByText('All of these.').waitFor();
  const [first, second] = await notes(lathe, 1);
  assert.deepEqual([first.type, first.position.new_line, first.position.old_line], ['DiffNote', 3, null]);
  assert.deepEqual([second.position.line_range.start.new_line, second.position.new_line], [3, 5]);
  await checkAll(page, 'threads on lines');
  assert.deepEqual(problems, []);
  await context.close();
});

test('a range is picked by pointer, a review begun, published and answered', async () => {
  const { lathe, one } = await proposed();
  const { page, context, problems } = await as(people.mira);
  await page.goto(`${one}/diffs`);
  const [from, to] = [plus(page, SPINDLE, 42, 43), plus(page, SPINDLE, 43, 46)];
  await from.scrollIntoViewIfNeeded();
  await from.hover();
  const end = await to.boundingBox();
  await page.mouse.down();
  await page.mouse.move(end.x + 200, end.y + end.height / 2, { steps: 6 });
  await page.mouse.up();
  await page.getByText('added line 43 to added line 46').waitFor();
  await page.getByRole('button', { name: 'Suggest a change' }).click();
  const area = comment(page);
  assert.match(await area.inputValue(), /^```suggestion:-3\+0\n[^]*self\.wait_for\(0\);\n```\n$/);
  await area.fill(`Lift it first:\n\n${(await area.inputValue()).replace('wait_for(0)', 'wait_for(STILL)')}`);
  await page.getByRole('button', { name: 'Start a review' }).click();
  await page.getByRole('article', { name: 'Your draft' }).waitFor();
  await page.locator('#review-bar').getByRole('link', { name: 'Finish review (1)' }).waitFor();
  await checkAll(page, 'a draft on lines');
  assert.deepEqual(await notes(lathe, 1), []);

  // A file as a whole.
  await file(page, 'Cargo.lock').getByRole('link', { name: 'Comment on Cargo.lock' }).click();
  await comment(page).fill('Is it a minor release?');
  await page.getByRole('button', { name: 'Add to review' }).click();
  await page.locator('#review-bar').getByRole('link', { name: 'Finish review (2)' }).click();
  await page.waitForURL(`${one}#review`);
  await page.getByRole('textbox', { name: 'Summary' }).fill('Nearly there.');
  await page.getByLabel('What you say of the whole').selectOption('requested_changes');
  await checkAll(page, 'a review to be finished');
  await page.getByRole('button', { name: 'Submit review' }).click();
  await said(page, 'Your review is published.');
  await page.getByText('Mira Lindqvist asked for changes.').waitFor();
  const bodies = (await notes(lathe, 1)).map((note) => note.body.split('\n')[0]);
  assert.deepEqual(bodies.sort(), ['Is it a minor release?', 'Lift it first:', 'Nearly there.']);
  const [reviewer] = await lathe.ask('GET', '/merge_requests/1/reviewers');
  assert.deepEqual([reviewer.user.username, reviewer.state], [people.mira.username, 'requested_changes']);
  await checkAll(page, 'a merge request that is to be changed');
  assert.deepEqual(problems, []);
  await context.close();

  // Whose it is answers, and resolves.
  const theirs = await as(people.priya);
  await theirs.page.goto(`${one}/diffs`);
  const thread = theirs.page.locator('.thread').filter({ hasText: 'Lift it first' });
  await thread.getByText('Reply…').click();
  await thread.getByRole('textbox', { name: 'Reply' }).fill('Good point.');
  await thread.getByRole('button', { name: 'Reply', exact: true }).click();
  await thread.getByText('Good point.').waitFor();
  await thread.getByRole('button', { name: 'Resolve thread' }).click();
  await thread.getByText(/^Resolved by Priya Nair/).waitFor();
  await bar(theirs.page, '1 open thread').waitFor();
  assert.ok(await thread.getByText('Good point.').isHidden());
  await checkAll(theirs.page, 'a resolved thread on lines');
  await theirs.page.keyboard.press('n');
  assert.ok(await theirs.page.evaluate(() => document.activeElement.closest('.thread').textContent.includes('minor release')));
  // The rest in the conversation.
  await theirs.page.goto(one);
  const other = theirs.page.locator('.thread').filter({ hasText: 'minor release' });
  await other.getByRole('button', { name: 'Resolve thread' }).click();
  await said(theirs.page, 'Thread resolved.');
  assert.deepEqual(theirs.problems, []);
  await theirs.context.close();
});

test('files are marked as viewed, and the mark stands', async () => {
  const { one } = await proposed();
  const { page, context, problems } = await signedIn();
  await page.goto(`${one}/diffs`);
  await bar(page, '0 of 4 viewed').waitFor();
  const mark = page.getByRole('button', { name: `Viewed ${SPINDLE}` });
  await mark.click();
  await bar(page, '1 of 4 viewed').waitFor();
  assert.equal(await mark.getAttribute('aria-pressed'), 'true');
  assert.ok(await file(page, SPINDLE).locator('.diff-lines').isHidden());
  await checkAll(page, 'a file that was viewed');
  await page.reload();
  await bar(page, '1 of 4 viewed').waitFor();
  await file(page, SPINDLE).getByText('You viewed this file.').waitFor();
  assert.equal(await mark.getAttribute('aria-pressed'), 'true');
  await checkAll(page, 'a file that was viewed before');
  await file(page, SPINDLE).getByRole('link', { name: 'Show this file' }).click();
  await file(page, SPINDLE).locator('.diff-lines').waitFor();
  // By keys: the next file, and its mark.
  await page.goto(`${one}/diffs`);
  await page.keyboard.press('j');
  await page.keyboard.press('v');
  await bar(page, '2 of 4 viewed').waitFor();
  await mark.click();
  await bar(page, '1 of 4 viewed').waitFor();
  await file(page, SPINDLE).locator('.diff-lines').waitFor();
  await page.getByRole('searchbox', { name: 'Filter files' }).fill('brake');
  assert.equal(await page.locator('.file-tree [data-file]:visible').count(), 1);
  assert.deepEqual(problems, []);
  await context.close();
});

test('more lines are shown, and both sides beside each other', async () => {
  const { lathe, one } = await proposed();
  const { page, context, problems } = await signedIn();
  await page.goto(`${one}/diffs`);
  const of = file(page, SPINDLE);
  const rows = of.locator('.diff-lines .same');
  const few = await rows.count();
  const gap = of.getByRole('link', { name: /^Show \d+ more lines?$/ }).first();
  const [, more] = /(\d+)/.exec(await gap.textContent());
  await gap.click();
  await page.waitForFunction(
    ([id, wanted]) => document.getElementById(id).querySelectorAll('.diff-lines .same').length === wanted,
    [lineOf(SPINDLE), few + Number(more)],
  );
  await checkAll(page, 'lines around what differs');
  // What was fetched is commented on, too.
  await plus(page, SPINDLE, 10, 11).click();
  await comment(page).fill('Often enough?');
  await page.getByRole('button', { name: 'Add comment now' }).click();
  await page.getByText('Often enough?').waitFor();
  const [note] = await notes(lathe, 1);
  assert.deepEqual([note.position.old_line, note.position.new_line], [10, 11]);

  await page.getByRole('link', { name: 'Side by side' }).click();
  await page.waitForURL(/view=parallel/);
  await of.locator('.pair').first().waitFor();
  await checkAll(page, 'both sides beside each other');
  await plus(page, SPINDLE, 24, 25).click();
  await comment(page).fill('Who makes the brake?');
  await page.getByRole('button', { name: 'Add comment now' }).click();
  await page.getByText('Who makes the brake?').waitFor();
  assert.match(page.url(), /view=parallel/);
  await page.getByRole('link', { name: 'Hide white space changes' }).click();
  await page.waitForURL(/view=parallel&w=1|w=1&view=parallel/);
  await page.getByRole('link', { name: 'Inline' }).click();
  await page.waitForURL((now) => !now.search.includes('parallel'));
  assert.deepEqual(problems, []);
  await context.close();
});

test('on a phone little stands above what differs', async () => {
  const { one } = await proposed('Brake the spindle before the chuck is opened');
  const { page, context, problems } = await signedIn();
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`${one}/diffs`);
  const tall = await page.locator('#review-bar').evaluate((bar) => bar.offsetHeight);
  assert.ok(tall < 220, `${tall} pixels`);
  assert.ok(await page.getByRole('button', { name: 'Close merge request' }).isHidden());
  // The number stands behind the title, not in a line of its own.
  const added = await page.locator('h1').evaluate((title) => {
    const before = title.offsetHeight;
    title.querySelector('.reference').remove();
    return before - title.offsetHeight;
  });
  assert.equal(added, 0);
  await page.goto(one);
  await page.getByRole('button', { name: 'Close merge request' }).waitFor();
  assert.deepEqual(problems, []);
  await context.close();
});

// White, 400 pixels wide and 300 high.
const PLAN = 'iVBORw0KGgoAAAANSUhEUgAAAZAAAAEsAQAAAADFzNhvAAAAR0lEQVR42u3LoQEAAAwCIP9/Wi9YWIdO+hZFURRFURRFURRFURRFURRFURRFURRFURRFURRFURRFURRFURRFURRFUW4DsSNgz1w6JtQAAAAASUVORK5CYII=';

test('a point of a picture is commented on by a click, and by fields', async () => {
  const { lathe, at } = await forge();
  const actions = [{ action: 'create', file_path: 'plan.png', content: PLAN, encoding: 'base64' }];
  const { iid } = await lathe.propose('plan', actions, 'Draw the plan');
  const { page, context, problems } = await signedIn();
  await page.goto(`${at}/${iid}/diffs`);
  const of = file(page, 'plan.png');
  await of.locator('img').scrollIntoViewIfNeeded();
  await page.waitForFunction((id) => document.getElementById(id).querySelector('img').naturalWidth === 400, lineOf('plan.png'));
  const wide = await of.locator('img').evaluate((picture) => picture.clientWidth);
  await of.locator('img').click({ position: { x: wide / 4, y: 30 } });
  await of.getByText('Comment on a point of the picture').waitFor();
  await checkAll(page, 'a comment on a point that is begun');
  await comment(page).fill('Wider here?');
  await page.getByRole('button', { name: 'Add comment now' }).click();
  const first = of.getByRole('link', { name: 'Point 1 of the picture' });
  await first.waitFor();
  await checkAll(page, 'a point of a picture');
  const [{ position }] = await notes(lathe, iid);
  assert.deepEqual([position.position_type, position.width, position.height], ['image', 400, 300]);
  assert.ok(Math.abs(position.x - 100) <= 2, `${position.x}`);
  await first.click();
  await page.waitForURL(/#discussion_[0-9a-f]+$/);

  // By keys: the fields stand in the form of the file.
  await of.getByRole('link', { name: 'Comment on plan.png' }).focus();
  await page.keyboard.press('Enter');
  await of.getByLabel('From the left').fill('200');
  await of.getByLabel('From the top').fill('150');
  assert.equal(await of.getByLabel('Width of the picture').inputValue(), '400');
  await comment(page).fill('And here?');
  await page.getByRole('button', { name: 'Add comment now' }).click();
  await of.getByRole('link', { name: 'Point 2 of the picture' }).waitFor();
  assert.deepEqual(problems, []);
  await context.close();
});

test('suggestions are applied, one and several', async () => {
  const { lathe, one } = await proposed();
  const suggest = (line, text) => `Better:\n\n\`\`\`suggestion:-0+0\n${text}\n\`\`\`\n`;
  for (const [line, text] of [[6, 'const PRESSED: Duration = Duration::from_millis(140);'], [21, '    pub fn is_down(&self) -> bool {'], [14, '    /// Presses the shoe.']]) {
    await lathe.thread(1, suggest(line, text), { path: 'src/brake.rs', line }, people.mira.username);
  }
  const { page, context, problems } = await as(people.priya);
  await page.goto(one);
  await page.getByRole('button', { name: 'Apply the suggestion for line 6' }).waitFor();
  await checkAll(page, 'suggestions in the conversation');
  await page.getByRole('button', { name: 'Apply the suggestion for line 6' }).click();
  await page.getByText('applied', { exact: true }).first().waitFor();
  const held = async () => Buffer.from((await lathe.ask('GET', '/repository/files/src%2Fbrake.rs?ref=brake')).content, 'base64').toString();
  assert.match(await held(), /from_millis\(140\)/);
  assert.equal(await page.getByText('changed in a more recent version').count(), 0);
  // The others follow their lines into the new version.
  const { commit } = await lathe.ask('GET', '/repository/branches/brake');
  const isHere = (note) => note.position.head_sha === commit.id;
  await until(() => notes(lathe, 1), (all) => all.filter(isHere).length >= 2);
  await page.goto(one);
  await page.getByRole('link', { name: /^Add to batch.* line 21$/ }).click();
  await page.waitForURL(/\/suggestions\?ids/);
  const boxes = page.getByRole('checkbox');
  assert.deepEqual(await boxes.evaluateAll((all) => all.map((box) => box.checked)), [true, false]);
  await checkAll(page, 'suggestions to choose from');
  await boxes.last().check();
  await page.getByLabel('Commit message').fill('Name the brake better');
  await page.getByRole('button', { name: 'Apply the chosen ones' }).click();
  await said(page, '2 suggestions applied.');
  assert.match(await held(), /Presses the shoe\.\n[^]*is_down\(&self\)/);
  const [head] = await lathe.ask('GET', '/repository/commits?ref_name=brake');
  assert.equal(head.title, 'Name the brake better');
  await page.goto(`${one}/suggestions`);
  await page.getByText('Nothing to apply').waitFor();
  assert.deepEqual(problems, []);
  await context.close();
});

test('conflicts are resolved by sides and by text', async () => {
  const { lathe, at } = await forge();
  await lathe.commit('feed', 'Feed by the millimetre', CHANGES.feed, { start: 'main' });
  await lathe.commit('main', 'Add a finer feed', MEANWHILE);
  const { iid } = await lathe.open('feed', 'Feed by the millimetre');
  const { page, context, problems } = await signedIn();
  await page.goto(`${at}/${iid}`);
  await page.getByText('Both branches changed the same lines.').waitFor();
  await checkAll(page, 'a merge request with conflicts');
  await page.getByRole('link', { name: 'Resolve conflicts here' }).click();
  await page.waitForURL(`${at}/${iid}/conflicts`);
  await checkAll(page, 'conflicts');
  const conflict = (number) => page.getByRole('group', { name: `Conflict ${number} in src/feed.rs` });
  await conflict(1).getByRole('radio', { name: /^Use theirs/ }).check();
  await conflict(2).getByRole('radio', { name: /^Use ours/ }).check();
  await page.getByRole('button', { name: 'Edit the text of README.md' }).click();
  const area = page.getByLabel('Text of README.md');
  assert.match(await area.inputValue(), /<<<<<<< [^]*=======\n[^]*>>>>>>> /);
  assert.ok(await conflict(1).getByRole('radio', { name: /^Use theirs/ }).isChecked());
  await checkAll(page, 'a conflict that is written');
  await page.getByRole('button', { name: 'Commit to the source branch' }).click();
  await page.getByText('Nothing was merged: look at the marked files.').waitFor();
  await checkAll(page, 'a conflict that is left');
  await area.fill('# Lathe\n\nThe feed has six rates.\n');
  await page.getByRole('button', { name: 'Commit to the source branch' }).click();
  await said(page, 'The conflicts are resolved.');
  const feed = Buffer.from((await lathe.ask('GET', '/repository/files/src%2Ffeed.rs?ref=feed')).content, 'base64').toString();
  assert.match(feed, /\[u32; 6\][^]* mm"/);
  const settled = await until(() => lathe.settled(iid), (it) => !it.has_conflicts);
  assert.equal(settled.detailed_merge_status, 'mergeable');
  await page.goto(`${at}/${iid}/conflicts`);
  await page.getByText('No conflicts').waitFor();
  assert.deepEqual(problems.filter((problem) => !problem.includes('422')), []);
  await context.close();
});

test('a merge request is approved by one and merged by another', async () => {
  const { lathe, one } = await proposed();
  await lathe.ask('POST', '/approval_rules', { name: 'Toolmakers', approvals_required: 1, user_ids: [people.mira.id] });
  await lathe.settled(1);
  const theirs = await as(people.mira);
  await theirs.page.goto(one);
  await theirs.page.getByText('It needs 1 more approval.').first().waitFor();
  await theirs.page.getByRole('button', { name: 'Approve', exact: true }).click();
  await theirs.page.getByText('Ready to merge').waitFor();
  await checkAll(theirs.page, 'a merge request that was approved');
  assert.deepEqual(theirs.problems, []);
  await theirs.context.close();

  const { page, context, problems } = await signedIn();
  await page.goto(one);
  const box = page.locator('#merge-box');
  await box.getByText('Edit the messages').click();
  await box.getByLabel('Message of the merge').fill('Brake it\n\nAt last.');
  await box.getByLabel('Delete source branch').check();
  await checkAll(page, 'a merge with words of its own');
  await box.getByRole('button', { name: 'Merge', exact: true }).click();
  await said(page, 'Merged.');
  await checkAll(page, 'a merged merge request');
  await checkFocus(page, 'a merged merge request');
  const [head] = await lathe.ask('GET', '/repository/commits?ref_name=main');
  assert.equal(head.title, 'Brake it');
  await until(() => lathe.ask('GET', '/repository/branches'), (all) => all.every(({ name }) => name !== 'brake'));
  assert.deepEqual(problems, []);
  await context.close();
});

test('the main path is there without a script', async () => {
  const { lathe, at } = await forge();
  await lathe.commit('brake', 'Brake the spindle', CHANGES.brake, { start: 'main' });
  const { page, context } = await signedIn({ javaScriptEnabled: false });
  await page.goto(at);
  await page.getByRole('link', { name: 'New merge request' }).click();
  await page.getByLabel('Source branch').fill('brake');
  await page.getByRole('button', { name: 'Compare branches and continue' }).click();
  await page.getByLabel('Reviewers').fill(people.mira.username);
  await page.getByRole('button', { name: 'Create merge request' }).click();
  await said(page, 'Merge request !1 created.');
  await lathe.settled(1);
  await page.getByRole('link', { name: /^Changes/ }).click();
  // A line, by its link; then several, by the address that has both ends.
  await plus(page, SPINDLE, 3, 3).hover();
  await plus(page, SPINDLE, 3, 3).click();
  await page.getByText('line 3', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Suggest a change' }).click();
  assert.match(await comment(page).inputValue(), /^```suggestion:-0\+0\nuse crate::brake::Brake;\n/);
  await comment(page).fill('Why its own module?');
  await page.getByRole('button', { name: 'Add comment now' }).click();
  await said(page, 'Comment added.');
  await page.getByText('Why its own module?').waitFor();
  await page.goto(`${at}/1/diffs?comment=${lineOf(SPINDLE, 43, 46)}&from=${lineOf(SPINDLE, 42, 43)}`);
  await comment(page).fill('Both are late.');
  await page.getByRole('button', { name: 'Start a review' }).click();
  await said(page, 'Draft kept.');
  await page.locator('#review-bar').getByRole('link', { name: 'Finish review (1)' }).click();
  await page.getByLabel('What you say of the whole').selectOption('comment');
  await page.getByRole('button', { name: 'Submit review' }).click();
  await said(page, 'Your review is published.');
  assert.deepEqual((await notes(lathe, 1)).map((note) => note.body).sort(), ['Both are late.', 'Why its own module?']);
  const thread = page.locator('.thread').filter({ hasText: 'Both are late.' });
  await thread.getByRole('button', { name: 'Resolve thread' }).click();
  await said(page, 'Thread resolved.');
  await page.getByRole('link', { name: /^Changes/ }).click();
  await page.getByRole('button', { name: `Viewed ${SPINDLE}` }).click();
  await page.getByText('You viewed this file.').waitFor();
  const tabs = page.getByRole('navigation', { name: 'Merge request', exact: true });
  await tabs.getByRole('link', { name: /^Pipelines/ }).click();
  await page.getByRole('button', { name: 'Run pipeline' }).click();
  await page.getByText('Missing CI config file').waitFor();
  await page.getByRole('link', { name: /^Conversation/ }).click();
  await page.locator('#merge-box').getByRole('button', { name: 'Merge', exact: true }).click();
  await said(page, 'Merged.');
  await page.getByText('Merged', { exact: true }).first().waitFor();
  assert.equal((await lathe.ask('GET', '/merge_requests/1')).state, 'merged');
  await context.close();
});

test('settings and rules of approval are set', async () => {
  const { lathe, at } = await forge();
  const { page, context, problems } = await signedIn();
  await page.goto(at.replace('merge_requests', 'settings/merge_requests'));
  await page.getByLabel('All threads must be resolved').check();
  await page.getByLabel('What a merge makes').selectOption({ index: 1 });
  await page.getByRole('region', { name: 'Merging' }).getByRole('button', { name: 'Save' }).click();
  await said(page, 'Settings saved.');
  const rule = page.getByRole('region', { name: 'New rule' });
  await rule.getByLabel('Name').fill('Toolmakers');
  await rule.getByLabel('Approvals required').fill('1');
  await rule.getByLabel('Users').fill(`${people.mira.username}, `);
  await rule.getByRole('button', { name: 'Add rule' }).click();
  await said(page, 'Rule added.');
  await page.getByRole('cell', { name: 'Toolmakers' }).waitFor();
  await checkAll(page, 'a rule of approval');
  const [made] = await lathe.ask('GET', '/approval_rules');
  assert.deepEqual([made.name, made.users.map((one) => one.username)], ['Toolmakers', [people.mira.username]]);
  const row = page.getByRole('row').filter({ hasText: 'Toolmakers' });
  await row.locator('summary', { hasText: 'Change' }).click();
  await checkAll(page, 'a rule that is changed');
  await row.getByLabel('Name').fill('');
  await row.getByLabel('Name').evaluate((field) => field.removeAttribute('required'));
  await row.getByRole('button', { name: 'Save' }).click();
  await page.getByText("Can't be blank").waitFor();
  await checkAll(page, 'a rule that is refused');
  assert.deepEqual(problems.filter((problem) => !problem.includes('422')), []);
  await context.close();
});

test('every page fits its screen and is accessible', async () => {
  const { lathe, numbers } = await story(api, namespace, people);
  const { page, context, problems } = await signedIn();
  const [first] = (await lathe.ask('GET', `/merge_requests/${numbers.review}/versions`)).slice(-1);
  await visit(page, [
    `/${group}/lathe/-/merge_requests`,
    `/${group}/lathe/-/merge_requests?state=all&labels=spindle&draft=no`,
    `/${group}/lathe/-/merge_requests?search=nothing-is-called-so`,
    `/groups/${group}/-/merge_requests?state=all`,
    `/dashboard/merge_requests?scope=created_by_me&state=all`,
    `/${group}/lathe/-/merge_requests/new`,
    `/${group}/lathe/-/merge_requests/new?merge_request[source_branch]=oil`,
    `/${group}/lathe/-/merge_requests/${numbers.review}/edit`,
    ...Object.values(numbers).map((iid) => `/${group}/lathe/-/merge_requests/${iid}`),
    `/${group}/lathe/-/merge_requests/${numbers.review}/commits`,
    `/${group}/lathe/-/merge_requests/${numbers.review}/pipelines`,
    `/${group}/lathe/-/merge_requests/${numbers.draft}/pipelines`,
    `/${group}/lathe/-/merge_requests/${numbers.review}/diffs`,
    `/${group}/lathe/-/merge_requests/${numbers.review}/diffs?view=parallel&w=1`,
    `/${group}/lathe/-/merge_requests/${numbers.review}/diffs?path=src/brake.rs`,
    `/${group}/lathe/-/merge_requests/${numbers.review}/diffs?comment=${lineOf(SPINDLE, 42, 43)}`,
    `/${group}/lathe/-/merge_requests/${numbers.review}/diffs?diff_id=${first.id}`,
    `/${group}/lathe/-/merge_requests/${numbers.review}/diffs?start_sha=${first.head_commit_sha}`,
    `/${group}/lathe/-/merge_requests/${numbers.merged}/diffs`,
    `/${group}/lathe/-/merge_requests/${numbers.conflict}/conflicts`,
    `/${group}/lathe/-/merge_requests/${numbers.merged}/conflicts`,
    `/${group}/lathe/-/merge_requests/${numbers.review}/suggestions`,
    `/${group}/lathe/-/merge_requests/${numbers.draft}/suggestions`,
    `/${group}/lathe/-/settings/merge_requests`,
  ]);
  for (const rest of ['', '/diffs', '/commits']) {
    await page.goto(`${url}/${group}/lathe/-/merge_requests/${numbers.review}${rest}`);
    await checkFocus(page, `a merge request${rest}`);
  }
  assert.deepEqual(problems, []);
  await context.close();

  // Who is not signed in, and who may not merge.
  const stranger = await open();
  const theirs = await as(people.tom);
  for (const [of, rest] of [['review', ''], ['review', '/diffs'], ['ready', ''], ['conflict', '/suggestions']]) {
    const path = `/${group}/lathe/-/merge_requests/${numbers[of]}${rest}`;
    await visit(theirs.page, [path]);
    if (rest !== '/suggestions') await visit(stranger.page, [path]);
  }
  assert.deepEqual([...stranger.problems, ...theirs.problems], []);
  await stranger.context.close();
  await theirs.context.close();
});

test('what differs is had as files', async () => {
  const { one } = await proposed();
  const { page, context } = await signedIn();
  for (const [ending, begins] of [['.diff', /^diff --git /], ['.patch', /^From [0-9a-f]{40} /]]) {
    const answer = await page.request.get(`${one}${ending}`);
    assert.equal(answer.status(), 200);
    assert.match(await answer.text(), begins);
  }
  await context.close();
});
