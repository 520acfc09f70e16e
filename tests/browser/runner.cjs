// What a runner does, for suites that show what comes of it.

const { gzipSync } = require('node:zlib');
const { url } = require('./shared.cjs');

const FILE = `stages: [build, test, deploy]
compile:
  stage: build
  script: make
  artifacts: {paths: [out/], expire_in: 1 week}
unit: {script: make test, needs: [compile]}
lint: {script: make lint, allow_failure: true}
ship: {stage: deploy, script: make ship, when: manual}
`;

// A zip archive with `out/notes.txt`.
const ARCHIVE = Buffer.from(
  'UEsDBBQAAAAAAAAAIQCGphA2BQAAAAUAAAANAAAAb3V0L25vdGVzLnR4dGhlbGxvUEsBAhQDFAAAAAAAAAAhAIamEDYFAAAABQAAAA0AAAAAAAAAAAAAAIABAAAAAG91dC9ub3Rlcy50eHRQSwUGAAAAAAEAAQA7AAAAMAAAAAAA',
  'base64',
);

async function send(method, path, headers, body) {
  const answer = await fetch(`${url}/api/v4${path}`, { method, headers, body });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.status === 204 ? null : answer.json();
}

const json = (body) => [{ 'content-type': 'application/json' }, JSON.stringify(body)];

// The next job of the runner with this token.
async function take(token) {
  for (let tries = 0; tries < 50; tries += 1) {
    const job = await send('POST', '/jobs/request', ...json({ token, system_id: 's_1' }));
    if (job) return { id: job.id, token: job.token, size: 0 };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('no job waits');
}

async function append(job, text) {
  const end = job.size + Buffer.byteLength(text);
  const range = `${job.size}-${end - 1}`;
  await send('PATCH', `/jobs/${job.id}/trace`, { 'job-token': job.token, 'content-range': range, 'content-type': 'text/plain' }, text);
  job.size = end;
}

async function bring(job, archive) {
  const form = new FormData();
  form.append('file', new Blob([archive]), 'artifacts.zip');
  const query = 'artifact_type=archive&artifact_format=zip&expire_in=1%20week';
  await send('POST', `/jobs/${job.id}/artifacts?${query}`, { 'job-token': job.token }, form);
}

// The report of some tests, of which one failed.
const REPORT = `<testsuite><testcase name="the horn is straight" classname="Anvil" time="0.2"/>
<testcase name="the face is flat" classname="Anvil" file="anvil.rs" time="1.25"><failure message="bent by 2">bent by 2
  at anvil.rs:12
  at forge.rs:7</failure></testcase><testcase name="the base is cast" time="0"><skipped/></testcase></testsuite>`;

async function report(job, text) {
  const form = new FormData();
  form.append('file', new Blob([gzipSync(text)]), 'junit.xml.gz');
  const query = 'artifact_type=junit&artifact_format=gzip';
  await send('POST', `/jobs/${job.id}/artifacts?${query}`, { 'job-token': job.token }, form);
}

const end = (job, state) => send('PUT', `/jobs/${job.id}`, ...json({ token: job.token, state }));

module.exports = { ARCHIVE, FILE, REPORT, append, bring, end, report, take };
