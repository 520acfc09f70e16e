// What suites of merge requests share: the code of a lathe, branches that change it, and a
// story of merge requests of which every page shows something. All of it is written over
// REST, one thing after the other, by whose it is.

const assert = require('node:assert/strict');
const { createHash } = require('node:crypto');
const { setTimeout: pause } = require('node:timers/promises');
const runner = require('./runner.cjs');

const SPINDLE = `//! Turns the spindle, and says how fast it turns.

use crate::gear::Gear;
use std::time::Duration;

/// Turns a minute that the bearings bear.
pub const FASTEST: u32 = 2_400;
/// Turns a minute below which it counts as still.
pub const STILL: u32 = 3;
/// How often the speed is read.
const LOOK: Duration = Duration::from_millis(20);

/// What turns the work.
pub struct Spindle {
    gear: Gear,
    speed: u32,
    is_chuck_shut: bool,
}

impl Spindle {
    /// A spindle that stands still, with its chuck open.
    pub fn new(gear: Gear) -> Spindle {
        Spindle { gear, speed: 0, is_chuck_shut: false }
    }

    /// Turns a minute, as they were read last.
    pub fn speed(&self) -> u32 {
        self.speed
    }

    /// Whether it stands still.
    pub fn is_still(&self) -> bool {
        self.speed < STILL
    }

    /// Shuts the chuck around the work.
    pub fn shut_chuck(&mut self) {
        self.is_chuck_shut = true;
    }

    /// Opens the chuck.
    pub fn open_chuck(&mut self) {
        self.is_chuck_shut = false;
    }

    /// Turns this fast, if the chuck is shut.
    pub fn turn(&mut self, wanted: u32) -> Result<(), Refusal> {
        if !self.is_chuck_shut {
            return Err(Refusal::ChuckIsOpen);
        }
        if wanted > FASTEST {
            return Err(Refusal::TooFast(wanted));
        }
        self.gear.choose(wanted);
        self.speed = wanted;
        Ok(())
    }

    /// Reads the speed until it is this one.
    pub fn wait_for(&mut self, wanted: u32) {
        while self.gear.read() != wanted {
            std::thread::sleep(LOOK);
        }
        self.speed = wanted;
    }
}

/// Why the spindle does not do what it is told.
#[derive(Debug, PartialEq, Eq)]
pub enum Refusal {
    ChuckIsOpen,
    TooFast(u32),
}
`;
const BRAKED = SPINDLE
  .replace('use crate::gear::Gear;', 'use crate::brake::Brake;\nuse crate::gear::Gear;')
  .replace('    gear: Gear,\n    speed', '    gear: Gear,\n    brake: Brake,\n    speed')
  .replace('pub fn new(gear: Gear) -> Spindle', 'pub fn new(gear: Gear, brake: Brake) -> Spindle')
  .replace('Spindle { gear, speed', 'Spindle { gear, brake, speed')
  .replace(
    '    /// Opens the chuck.\n    pub fn open_chuck(&mut self) {\n        self.is_chuck_shut = false;\n    }\n',
    '    /// Opens the chuck, once the spindle stands still.\n    pub fn open_chuck(&mut self) {\n        self.brake.press(self.speed);\n        self.wait_for(0);\n        self.is_chuck_shut = false;\n    }\n',
  );
const BRAKE = `//! Brings the spindle to a stand.

use std::time::Duration;

/// How long the shoe is pressed for each hundred turns a minute.
const PRESSED: Duration = Duration::from_millis(100);

/// The shoe, and what lifts it.
pub struct Brake {
    is_down: bool,
}

impl Brake {
    /// Presses the shoe until a spindle of this speed stands.
    pub fn press(&mut self, speed: u32) {
        self.is_down = true;
        std::thread::sleep(PRESSED * speed / 100);
        self.is_down = false;
    }

    pub fn down(&self) -> bool {
        self.is_down
    }
}
`;
// With what was said of it: the shoe stays down, and is pressed longer.
const HELD = BRAKE
  .replace('const PRESSED: Duration = Duration::from_millis(100);', 'const PRESSED: Duration = Duration::from_millis(140);')
  .replace('        std::thread::sleep(PRESSED * speed / 100);\n        self.is_down = false;\n', '        std::thread::sleep(PRESSED * speed / 100);\n')
  .replace('    pub fn down', '    /// Lifts the shoe, which the chuck does as it is shut.\n    pub fn lift(&mut self) {\n        self.is_down = false;\n    }\n\n    pub fn down');
const FEED = `//! Moves the tool along the work.

/// Thousandths of an inch a turn, from the finest to the coarsest.
pub const RATES: [u32; 5] = [2, 4, 8, 12, 20];

/// How smooth a surface becomes.
pub enum Finish {
    Rough,
    Plain,
    Mirror,
}

/// How far the tool goes with so many turns, at one of the rates.
pub fn travel(turns: u32, rate: usize) -> u32 {
    turns * RATES[rate]
}

/// The rate for a surface as smooth as this.
pub fn rate_for(finish: Finish) -> usize {
    match finish {
        Finish::Rough => 4,
        Finish::Plain => 2,
        Finish::Mirror => 0,
    }
}

/// What stands beside the lever.
pub fn label(rate: usize) -> String {
    format!("{} thou", RATES[rate])
}
`;
const METRIC = FEED
  .replace('Thousandths of an inch a turn', 'Hundredths of a millimetre a turn')
  .replace('[2, 4, 8, 12, 20]', '[5, 10, 20, 30, 50]')
  .replace('"{} thou", RATES[rate]', '"{} mm", f64::from(RATES[rate]) / 100.0');
const FINER = FEED
  .replace('[u32; 5] = [2, 4, 8, 12, 20]', '[u32; 6] = [1, 2, 4, 8, 12, 20]')
  .replace('"{} thou"', '"{}/1000 in"');
const GEAR = `//! The gear between the motor and the spindle.

#[derive(Default)]
pub struct Gear {
    step: u8,
    read: u32,
}

impl Gear {
    pub fn choose(&mut self, speed: u32) {
        self.step = (speed / 300).min(8) as u8;
    }

    pub fn read(&self) -> u32 {
        self.read
    }
}
`;
const PEDAL = '//! The pedal that stopped the motor before there was a brake.\n\npub fn press() {}\n';
const TURNING = `# Turning

1. Shut the chuck around the work.
2. Choose a speed: hard iron turns slowly.
3. Bring the tool near, and let it feed.
4. Stop the motor, and wait until the spindle stands.
`;
const README = `# Lathe

Turns iron, brass and wood, up to 2400 turns a minute.

The feed is set in thousandths of an inch.

See [how to turn](docs/turning.md).
`;
const LOCK = `[[package]]
name = "lathe"
version = "0.3.0"
`;
// Pipelines are begun for one branch only, so that nothing else waits for a runner.
const PIPELINES = `workflow:
  rules: [{if: '$CI_COMMIT_BRANCH == "brake"'}]
stages: [build, test]
compile: {stage: build, script: cargo build}
unit: {stage: test, script: cargo test}
`;

const create = (file_path, content) => ({ action: 'create', file_path, content });
const update = (file_path, content) => ({ action: 'update', file_path, content });
const remove = (file_path) => ({ action: 'delete', file_path });

const BEGINNING = [
  create('README.md', README),
  create('Cargo.lock', LOCK),
  create('.gitattributes', 'Cargo.lock linguist-generated\n'),
  create('docs/turning.md', TURNING),
  create('src/spindle.rs', SPINDLE),
  create('src/feed.rs', FEED),
  create('src/gear.rs', GEAR),
  create('src/pedal.rs', PEDAL),
];
// What a branch changes, by its name.
const CHANGES = {
  brake: [
    create('src/brake.rs', BRAKE),
    update('src/spindle.rs', BRAKED),
    update('Cargo.lock', LOCK.replace('0.3.0', '0.4.0')),
    {
      action: 'move',
      previous_path: 'docs/turning.md',
      file_path: 'docs/guide/turning.md',
      content: TURNING.replace('Stop the motor, and wait until the spindle stands.', 'Open the chuck: the brake stops the spindle before.'),
    },
  ],
  feed: [
    update('src/feed.rs', METRIC),
    update('README.md', README.replace('set in thousandths of an inch', 'set in hundredths of a millimetre')),
  ],
};
// What the target changes in the meantime, which conflicts with `feed`.
const MEANWHILE = [
  update('src/feed.rs', FINER),
  update('README.md', README.replace('is set in thousandths of an inch', 'has six rates, in thousandths of an inch')),
];

// Names a line of a file on the page of what differs, or the file alone.
function lineOf(path, ...numbers) {
  return [createHash('sha1').update(path).digest('hex'), ...numbers].join('_');
}

// What `look` sees, as soon as `holds` says that it will do.
async function until(look, holds) {
  const end = Date.now() + 60_000;
  for (;;) {
    const seen = await look();
    if (holds(seen)) return seen;
    assert.ok(Date.now() < end, JSON.stringify(seen));
    await pause(50);
  }
}

// A project of the lathe: what its merge requests are made and changed with. `api` asks as
// root; a name is of whom it asks for.
class Lathe {
  constructor(api, id) {
    this.api = api;
    this.at = `/projects/${id}`;
    this.id = id;
  }

  static async make(api, namespace_id, more = {}) {
    const place = { name: 'Lathe', path: 'lathe', namespace_id, visibility: 'public' };
    const { id } = await api('POST', '/projects', { ...place, ...more });
    const lathe = new Lathe(api, id);
    await lathe.commit('main', 'Begin the lathe', BEGINNING);
    return lathe;
  }

  ask(method, path, body, by) {
    const joint = path.includes('?') ? '&' : '?';
    return this.api(method, `${this.at}${path}${by ? `${joint}sudo=${by}` : ''}`, body);
  }

  commit(branch, commit_message, actions, { start, by } = {}) {
    const body = { branch, commit_message, actions, start_branch: start };
    return this.ask('POST', '/repository/commits', body, by);
  }

  // Once it is known whether it can be merged, of this head.
  settled(iid, sha) {
    const look = () => this.ask('GET', `/merge_requests/${iid}`);
    const unknown = ['preparing', 'unchecked', 'checking', 'approvals_syncing'];
    return until(look, (it) => !unknown.includes(it.detailed_merge_status) && (!sha || it.sha === sha));
  }

  async open(source_branch, title, fields = {}, by) {
    const body = { source_branch, target_branch: 'main', title, ...fields };
    const { iid } = await this.ask('POST', '/merge_requests', body, by);
    return this.settled(iid);
  }

  // A merge request of a new branch.
  async propose(branch, actions, title, { fields, by } = {}) {
    await this.commit(branch, title.replace(/^Draft: /, ''), actions, { start: 'main', by });
    return this.open(branch, title, fields, by);
  }

  // Begins a thread, at a line of the newest version if one is named.
  thread(iid, body, position, by) {
    return this.ask('POST', `/merge_requests/${iid}/discussions`, { body, position }, by);
  }

  answer(iid, thread, body, by) {
    return this.ask('POST', `/merge_requests/${iid}/discussions/${thread.id}/notes`, { body }, by);
  }

  threads(iid) {
    return this.ask('GET', `/merge_requests/${iid}/discussions?per_page=100`);
  }
}

// Several lines of the new side of a file, as a position.
function range(request, path, from, to) {
  const end = (line) => ({ type: 'new', new_line: line });
  return {
    ...request.diff_refs,
    position_type: 'text',
    old_path: path,
    new_path: path,
    new_line: to,
    line_range: { start: end(from), end: end(to) },
  };
}

// All of a file, as a position.
const wholeFile = (request, old_path, new_path) => ({
  ...request.diff_refs, position_type: 'file', old_path, new_path,
});

// Runs the two jobs of a pipeline that has begun; the second ends like this.
async function run(token, end, trace) {
  const compile = await runner.take(token);
  await runner.append(compile, 'Compiling lathe\n\x1b[32mok\x1b[0m\n');
  await runner.end(compile, 'success');
  const unit = await runner.take(token);
  await runner.append(unit, trace);
  await runner.end(unit, end);
}

const DESCRIPTION = `The chuck can be opened while the spindle turns, and the work flies out.
Now it is opened only once the brake has stopped the spindle.

- [x] press the shoe as long as the speed asks for
- [x] keep it down until the chuck is shut
- [ ] measure it with the large chuck

| Speed | Seconds until it stands |
|------:|------------------------:|
|   300 |                     0.4 |
|  2400 |                     3.4 |

Closes #1
`;

// The merge request that is looked at most closely: two versions, a pipeline of each, threads
// of every kind, and a draft of root's.
async function review(lathe, { mira, priya, tom }, milestone_id, token) {
  const [{ id: reviewer }, { id: second }] = [mira, tom];
  await lathe.commit('brake', 'Stop the spindle before the chuck is opened', CHANGES.brake, { start: 'main', by: priya.username });
  const fields = {
    description: DESCRIPTION,
    labels: 'safety,spindle',
    milestone_id,
    assignee_ids: [priya.id],
    reviewer_ids: [reviewer, second],
    remove_source_branch: true,
  };
  let request = await lathe.open('brake', 'Brake the spindle before the chuck is opened', fields, priya.username);
  const { iid } = request;
  const one = `/merge_requests/${iid}`;
  await until(() => lathe.ask('GET', '/pipelines?ref=brake'), (all) => all.length === 1);
  await run(token, 'failed', 'running 1 test\n\x1b[31mfailed\x1b[0m: the chuck opens at 40 turns a minute\n');
  const pressed = await lathe.thread(iid, 'Is a tenth of a second enough for the **large** chuck? It weighs 40 kg.', { path: 'src/brake.rs', line: 6 }, mira.username);
  await lathe.answer(iid, pressed, 'No: 140 milliseconds, says the table of the maker.', priya.username);
  const wait = await lathe.thread(iid, 'If the belt is off, this waits for ever. Should it not give up after a while?', range(request, 'src/spindle.rs', 43, 46), mira.username);
  await lathe.answer(iid, wait, `The motor refuses to start without a belt, so no. @${mira.username}, do you agree?`, priya.username);
  await lathe.ask('PUT', `${one}/discussions/${wait.id}?resolved=true`, undefined, mira.username);

  const { id: head } = await lathe.commit('brake', 'Keep the shoe down until the chuck is shut', [update('src/brake.rs', HELD), remove('src/pedal.rs')], { by: priya.username });
  request = await lathe.settled(iid, head);
  await until(() => lathe.ask('GET', `${one}/versions`), (all) => all.length === 2);
  await until(() => lathe.ask('GET', '/pipelines?ref=brake'), (all) => all.length === 2);
  await run(token, 'success', 'running 2 tests\n\x1b[32mok\x1b[0m\n');

  const suggestion = '`down` reads as if it pressed the shoe:\n\n```suggestion:-0+0\n    pub fn is_down(&self) -> bool {\n```\n';
  const suggested = await lathe.thread(iid, suggestion, { path: 'src/brake.rs', line: 25 }, mira.username);
  const guide = await lathe.thread(iid, 'Say here, too, that the shoe has to be looked at every winter.', wholeFile(request, 'docs/turning.md', 'docs/guide/turning.md'), tom.username);
  await lathe.answer(iid, guide, 'Will do.', priya.username);
  const tried = await lathe.thread(iid, 'Did anybody try it with the four-jaw chuck?', undefined, tom.username);
  await lathe.answer(iid, tried, 'On Monday:\n\n- [x] empty\n- [ ] with a casting in it', priya.username);
  await lathe.ask('POST', `${one}/notes`, { body: 'I will look at it before Friday.' }, tom.username);
  await lathe.ask('POST', `${one}/draft_notes`, { note: 'The name does not say *whose* speed.', position: { path: 'src/brake.rs', line: 15 } });
  await lathe.ask('POST', `${one}/award_emoji`, { name: 'thumbsup' });
  await lathe.ask('POST', `${one}/time_estimate?duration=6h`);
  await lathe.ask('POST', `${one}/add_spent_time?duration=2h30m`);
  await lathe.ask('POST', `${one}/approve`, { sha: head }, tom.username);
  await lathe.settled(iid);
  return { iid, id: request.id, suggested: suggested.id };
}

// Writes the story into a new project of a group; people are those who take part, as REST
// tells of them. Answers the project, the numbers of its merge requests, and the
// thread of a suggestion.
async function story(api, namespace_id, people) {
  const { mira, priya, tom } = people;
  const lathe = await Lathe.make(api, namespace_id, { description: 'Turns iron, brass and wood.' });
  for (const [who, access_level] of [[mira, 40], [priya, 30], [tom, 30]]) {
    await lathe.ask('POST', '/members', { user_id: who.id, access_level });
  }
  for (const [name, color] of [['safety', '#c0392b'], ['spindle', '#1068bf'], ['docs', '#5a7d2a']]) {
    await lathe.ask('POST', '/labels', { name, color });
  }
  const days = { start_date: '2031-01-01', due_date: '2031-06-30' };
  const { id: milestone } = await lathe.ask('POST', '/milestones', { title: 'v0.4', ...days });
  await lathe.ask('POST', '/issues', { title: 'The chuck opens while the spindle turns', labels: 'safety' }, mira.username);

  const numbers = {};
  const fast = SPINDLE.replace('2_400', '2_600').replace('Turns a minute that the bearings bear.', 'Turns a minute that the new bearings bear.');
  const merged = await lathe.propose('bearings', [update('src/spindle.rs', fast)], 'Turn as fast as the new bearings bear', {
    fields: { labels: 'spindle', milestone_id: milestone }, by: mira.username,
  });
  numbers.merged = merged.iid;
  await lathe.ask('PUT', `/merge_requests/${merged.iid}/merge`, { sha: merged.sha }, mira.username);
  await lathe.commit('main', 'Go back to the old bearings\n\nThe new ones sing.', [update('src/spindle.rs', SPINDLE), create('.gitlab-ci.yml', PIPELINES)], { by: mira.username });

  await lathe.ask('PUT', '', { only_allow_merge_if_all_discussions_are_resolved: true });
  await lathe.ask('POST', '/approval_rules', {
    name: 'Toolmakers', approvals_required: 2, user_ids: [mira.id, tom.id],
  });
  const { token } = await api('POST', '/user/runners', { runner_type: 'project_type', project_id: lathe.id });
  const brake = await review(lathe, people, milestone, token);
  numbers.review = brake.iid;

  const hands = update('src/gear.rs', GEAR.replace('    step: u8,\n', '    step: u8,\n    is_left: bool,\n'));
  const draft = await lathe.propose('left-hand', [hands], 'Draft: Cut threads of both hands', {
    fields: { description: 'The lead screw turns the other way for those of the left hand.', labels: 'spindle' },
  });
  numbers.draft = draft.iid;
  await lathe.ask('POST', `/merge_requests/${draft.iid}/blocks`, { blocking_merge_request_id: brake.id });

  await lathe.commit('feed', 'Feed by the millimetre', CHANGES.feed, { start: 'main', by: mira.username });
  await lathe.commit('main', 'Add a finer feed', MEANWHILE, { by: mira.username });
  const feed = await lathe.open('feed', 'Feed by the millimetre', { description: 'Nobody here thinks in inches.' }, mira.username);
  numbers.conflict = feed.iid;

  const list = '\nChucks that fit: three jaws up to 160 mm, four jaws up to 200 mm.\n';
  const chucks = await lathe.propose('chucks', [create('docs/chucks.md', `# Chucks\n${list}`)], 'List the chucks that fit', {
    fields: { labels: 'docs', milestone_id: milestone, reviewer_ids: [mira.id] }, by: priya.username,
  });
  numbers.ready = chucks.iid;
  for (const who of [mira, tom]) await lathe.ask('POST', `/merge_requests/${chucks.iid}/approve`, {}, who.username);
  await lathe.settled(chucks.iid);

  const paint = await lathe.propose('paint', [create('docs/paint.md', '# Paint\n\nGreen.\n')], 'Paint the lathe green', { by: priya.username });
  numbers.closed = paint.iid;
  await lathe.ask('PUT', `/merge_requests/${paint.iid}`, { state_event: 'close' }, priya.username);

  await lathe.commit('oil', 'Oil the ways', [create('docs/oil.md', '# Oil\n\nEvery morning, a drop on each way.\n')], { start: 'main', by: priya.username });
  return { lathe, numbers, thread: brake.suggested };
}

module.exports = { CHANGES, Lathe, MEANWHILE, lineOf, story, until };
