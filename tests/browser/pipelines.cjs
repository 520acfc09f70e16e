// Pipelines and jobs in a real browser, at a phone's width and a desk's. A program takes
// the jobs, as a runner does. Run by `cargo xtask test --only browser`.

const assert = require('node:assert/strict');
const { before, test } = require('node:test');
const { api, open, run, signedIn, url, visit } = require('./shared.cjs');
const { ARCHIVE, FILE, REPORT, append, bring, end, report, take } = require('./runner.cjs');

const group = `build-${run}`;
const project = `${group}/anvil`;
const at = `/projects/${encodeURIComponent(project)}`;
let pipeline;
let job;
let token;

before(async () => {
  await api('POST', '/groups', { name: group, path: group, visibility: 'public' });
  const { id } = await api('GET', `/groups/${group}`);
  await api('POST', '/projects', { name: 'anvil', namespace_id: id, visibility: 'public' });
  await api('POST', `${at}/repository/commits`, {
    branch: 'main',
    commit_message: 'Begin the forge [skip ci]',
    actions: [{ action: 'create', file_path: '.gitlab-ci.yml', content: FILE }],
  });
  const { id: own } = await api('GET', at);
  ({ token } = await api('POST', '/user/runners', { runner_type: 'project_type', project_id: own }));
  ({ id: pipeline } = await api('POST', `${at}/pipeline`, { ref: 'main' }));
  job = await take(token);
  await append(job, 'section_start:100:get_sources\r\x1b[0K\x1b[1mGet sources\x1b[0m\nFetched\nsection_end:104:get_sources\r\x1b[0K\n');
  await append(job, '\x1b[32mok\x1b[0m 1 \x1b[31mfailed\x1b[0m 2 \x1b[33mskipped\x1b[0m\n');
  await bring(job, ARCHIVE);
  await report(job, REPORT);
});

test('the pages fit their screen and are accessible', async () => {
  const { page, context, problems } = await signedIn();
  await visit(page, [
    `/${project}/-/pipelines`,
    `/${project}/-/pipelines?status=failed`,
    `/${project}/-/pipelines/new`,
    `/${project}/-/pipelines/charts`,
    `/${project}/-/pipelines/${pipeline}`,
    `/${project}/-/pipelines/${pipeline}/builds`,
    `/${project}/-/pipelines/${pipeline}/failures`,
    `/${project}/-/pipelines/${pipeline}/test_report`,
    `/${project}/-/pipelines/${pipeline}/test_report?suite=compile`,
    `/${project}/-/commits/main`,
    `/${project}/-/branches`,
    `/${project}/-/tree/main`,
    `/${project}/-/jobs`,
    `/${project}/-/jobs/${job.id}`,
    `/${project}/-/jobs/${job.id}?search=ok`,
    `/${project}/-/jobs/${job.id}/artifacts/browse`,
    `/${project}/-/jobs/${job.id}/artifacts/browse/out`,
    `/${project}/-/ci/editor`,
  ]);
  assert.deepEqual(problems, []);
  await context.close();
});

test('a file is looked at while it is written', async () => {
  const { page, context, problems } = await signedIn();
  await page.goto(`${url}/${project}/-/ci/editor`);
  await page.getByLabel('Pipeline file').fill('a: {script: x, stage: nowhere}');
  await page.getByText('not valid').waitFor();
  await page.getByLabel('Pipeline file').fill('a: {script: x}');
  await page.getByText('1 job').waitFor();
  assert.deepEqual(problems, []);
  await context.close();
});

test('a log goes on while somebody looks', async () => {
  const { page, context, problems } = await signedIn();
  await page.goto(`${url}/${project}/-/jobs/${job.id}`);
  await page.locator('summary').filter({ hasText: 'Get sources' }).click();
  await page.getByText('Fetched').waitFor({ state: 'hidden' });
  await append(job, 'a line of later\n');
  await page.getByText('a line of later').waitFor();
  await end(job, 'success');
  await page.getByRole('heading', { name: 'compile Passed' }).waitFor();
  assert.deepEqual(problems, []);
  await context.close();
});

test('jobs are run again without a script, and the picture leads to them', async () => {
  const { page, context } = await open({ javaScriptEnabled: false });
  await page.goto(`${url}/${project}/-/pipelines/${pipeline}`);
  await page.getByRole('link', { name: 'compile: passed' }).click();
  await page.waitForURL(/jobs/);
  await page.getByText('Get sources').waitFor();
  await context.close();
});
