// The programs of the guide's page «Sign in with tenon», as they are printed
// there, with a person in Chromium who uses them.

const assert = require('node:assert/strict');
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { after, before, test } = require('node:test');
const { Person, listen, register, url } = require('./oauth_user.cjs');

const examples = path.join(__dirname, 'examples');
// Node finds modules in directories above the program.
const modules = process.env.NODE_PATH;
const running = [];
let person;

before(async () => {
  person = await Person.start();
});

after(() => {
  for (const program of running) program.kill();
  return person.stop();
});

// A program of the guide; `said` waits for a line that it prints.
function run(program, file, environment) {
  const child = spawn(program, [file], {
    env: { ...process.env, TENON_URL: url, BROWSER: 'true', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  let text = '';
  const ended = new Promise((resolve) => child.on('close', resolve));
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (more) => {
      text += more;
      child.emit('said');
    });
  }
  async function said(pattern) {
    while (!pattern.test(text)) {
      const next = await Promise.race([
        new Promise((resolve) => child.once('said', () => resolve('more'))),
        ended.then(() => 'end'),
      ]);
      if (next === 'end' && !pattern.test(text)) throw new Error(`${file} printed: ${text}`);
    }
    return text.match(pattern);
  }
  return { said, ended };
}

test('a web app', async () => {
  const free = await listen();
  free.close();
  const app = await register(`${free.origin}/callback`, 'openid profile email', true);
  const folder = fs.mkdtempSync(path.join(path.dirname(modules), 'example-'));
  const program = path.join(folder, 'web-app.mjs');
  fs.copyFileSync(path.join(examples, 'web-app.mjs'), program);
  const { said } = run(process.execPath, program, {
    CLIENT_ID: app.application_id,
    CLIENT_SECRET: app.secret,
    APP_URL: free.origin,
  });
  await said(/listening/);
  const page = await person.visit(`${free.origin}/`);
  assert.equal(await page.textContent('body'), 'Signed in as root');
  const other = await fetch(`${free.origin}/callback?code=guessed&state=guessed`);
  assert.equal(other.status, 400);
  fs.rmSync(folder, { recursive: true });
});

test('a single-page app', async () => {
  const script = require.resolve('oidc-client-ts').replace(/dist\/.*/, 'dist/browser/');
  let html;
  const site = await listen((request, response) => {
    const found = request.url === '/oidc-client-ts.min.js';
    response.setHeader('Content-Type', found ? 'text/javascript' : 'text/html');
    response.end(found ? fs.readFileSync(`${script}oidc-client-ts.min.js`) : html);
  });
  const app = await register(`${site.origin}/`, 'openid profile', false);
  html = fs
    .readFileSync(path.join(examples, 'single-page-app.html'), 'utf8')
    .replace('https://tenon.example', url)
    .replace("'CLIENT_ID'", `'${app.application_id}'`);

  const page = await person.open(`${site.origin}/`);
  await page.getByText('Nobody is signed in').waitFor();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL((now) => now.origin === url);
  await person.decide(page);
  await page.getByText('Signed in as root').waitFor();
  const token = () => page.evaluate('tenon.getUser().then((user) => user?.access_token)');
  const first = await token();
  const renewed = page.waitForResponse((answer) => answer.url().endsWith('/oauth/userinfo'));
  await page.getByRole('button', { name: 'Renew' }).click();
  await renewed;
  await page.waitForFunction(
    `tenon.getUser().then((user) => user.access_token !== '${first}')`,
  );
  const last = await token();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('Nobody is signed in').waitFor();
  const gone = await fetch(`${url}/oauth/userinfo`, {
    headers: { Authorization: `Bearer ${last}` },
  });
  assert.equal(gone.status, 401);
  site.close();
});

test('a command-line program', async () => {
  const app = await register('http://127.0.0.1/', 'read_user', false);
  const file = path.join(examples, 'command-line.py');
  const { said, ended } = run(process.env.PYTHON, file, { CLIENT_ID: app.application_id });
  const [, address] = await said(/Sign in at (\S+)/);
  const page = await person.visit(address);
  assert.match(await page.textContent('body'), /You are signed in/);
  await said(/Signed in as root/);
  assert.equal(await ended, 0);
});

test('a device', async () => {
  const app = await register('http://127.0.0.1/', 'read_user', false);
  const file = path.join(examples, 'device.py');
  const connect = async (button, outcome, status) => {
    const { said, ended } = run(process.env.PYTHON, file, { CLIENT_ID: app.application_id });
    const [, address, code] = await said(/Open (\S+) and type (\S+)/);
    await person.connectDevice(address, code, button);
    await said(outcome);
    assert.equal(await ended, status);
  };
  await connect('Authorize', /Connected as root/, 0);
  await connect('Deny', /Not connected: access_denied/, 1);
});
