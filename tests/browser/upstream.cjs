// A small server of Provider A, with a few repositories that are imported from it: for
// suites that show what comes of that. Git is served by its own program.

const { execFileSync, spawn } = require('node:child_process');
const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');

const ADA = { id: 7, login: 'ada', name: 'Ada', type: 'User' };
const AT = '2020-01-02T03:04:05Z';

const issue = (number, title, more = {}) => ({
  id: 100 + number, number, title, body: 'As *said*.', state: 'open', user: ADA, labels: [{ name: 'bug' }],
  assignees: [], milestone: null, locked: false, comments: 0, created_at: AT, updated_at: AT, closed_at: null,
  ...more,
});

// A repository of git with one commit, to be served below this folder.
function makeGit(root, name) {
  const work = fs.mkdtempSync(path.join(root, 'work-'));
  const git = (...words) => execFileSync('git', ['-C', work, ...words], { stdio: 'pipe' });
  git('init', '--quiet', '-b', 'main');
  fs.writeFileSync(path.join(work, 'README.md'), `# ${name}\n`);
  git('add', '.');
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '--quiet', '-m', 'Begin');
  execFileSync('git', ['clone', '--quiet', '--bare', work, path.join(root, `${name}.git`)], { stdio: 'pipe' });
}

// One request of git, by `git http-backend`.
function serveGit(root, request, response) {
  const [at, query = ''] = request.url.split('?');
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      GIT_PROTOCOL: request.headers['git-protocol'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      REQUEST_METHOD: request.method,
      PATH_INFO: at.replace('/ada/', '/'),
      QUERY_STRING: query,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      CONTENT_LENGTH: request.headers['content-length'] ?? '',
    },
  });
  request.pipe(backend.stdin);
  backend.stdin.on('error', () => {});
  const chunks = [];
  backend.stdout.on('data', (chunk) => chunks.push(chunk));
  backend.on('close', () => {
    const whole = Buffer.concat(chunks);
    const end = whole.indexOf('\r\n\r\n');
    const headers = {};
    let status = 200;
    for (const line of whole.subarray(0, end).toString().split('\r\n')) {
      const [name, value] = line.split(/: (.*)/);
      if (name === 'Status') status = Number.parseInt(value, 10);
      else headers[name] = value;
    }
    response.writeHead(status, headers);
    response.end(whole.subarray(end + 4));
  });
}

// Begins the server; `close` ends it. The token `lost` is of nobody.
async function begin() {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'upstream-'));
  for (const name of ['anvil', 'bellows']) makeGit(root, name);
  let origin;
  const repository = (id, name, more = {}) => ({
    id, name, full_name: `ada/${name}`, owner: ADA, private: false, visibility: 'public', description: `The ${name}.`,
    clone_url: `${origin}/ada/${name}.git`, has_wiki: false, default_branch: 'main', size: 1, archived: false,
    html_url: `${origin}/ada/${name}`, ...more,
  });
  const all = () => [
    repository(1, 'anvil'),
    repository(2, 'bellows', { private: true, visibility: 'private' }),
    repository(3, 'crane', { archived: true, clone_url: `${origin}/ada/gone.git` }),
  ];
  const lists = {
    labels: [{ name: 'bug', color: 'd73a4a', description: 'Something is broken' }],
    milestones: [{
      number: 1, title: '1.0', description: null, state: 'open', due_on: null, created_at: AT, updated_at: AT,
    }],
    issues: [issue(1, 'The horn is bent'), issue(2, 'It rings', { state: 'closed', closed_at: AT, user: null })],
    'issues/comments': [],
  };
  function answer(at) {
    if (at === '/user') return ADA;
    if (at === '/user/repos') return all();
    const one = at.match(/^\/repositories\/(\d+)$/);
    if (one) return all().find((it) => it.id === Number(one[1]));
    const own = at.match(/^\/repos\/ada\/(\w+)(?:\/(.*))?$/);
    const found = own && all().find((it) => it.name === own[1]);
    if (!found || own[2] === undefined) return found || (at === '/user/orgs' ? [] : undefined);
    if (own[2].endsWith('/protection')) return undefined;
    const issues = own[2].match(/^issues\/(\d+)$/);
    if (issues) return lists.issues.find((it) => it.number === Number(issues[1]));
    return lists[own[2]] ?? [];
  }
  const server = http.createServer((request, response) => {
    if (!request.url.startsWith('/api/v3')) return serveGit(root, request, response);
    const isKnown = !/lost/.test(request.headers.authorization ?? 'lost');
    const body = isKnown ? answer(request.url.slice('/api/v3'.length).split('?')[0]) : { message: 'Bad credentials' };
    response.writeHead(isKnown ? (body ? 200 : 404) : 401, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body ?? { message: 'Not Found' }));
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  origin = `http://127.0.0.1:${server.address().port}`;
  return {
    origin,
    close() {
      server.close();
      server.closeAllConnections();
      fs.rmSync(root, { recursive: true, force: true });
    },
  };
}

module.exports = { begin };
