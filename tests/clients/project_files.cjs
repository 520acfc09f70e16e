// @gitbeaker/rest, unmodified, has projects written into files and made of them.

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { setTimeout: pause } = require('node:timers/promises');
const { Gitlab } = require('@gitbeaker/rest');

const root = new Gitlab({ host: process.env.TENON_URL, token: process.env.TENON_TOKEN });
const files = root.ProjectImportExports;

async function refused(status, call) {
  await assert.rejects(call, (error) => {
    assert.equal(error.cause?.response?.status, status, String(error));
    return true;
  });
}

// Asks until what is answered is well.
async function until(ask, is) {
  for (let tries = 0; tries < 300; tries += 1) {
    const answer = await ask();
    if (is(answer)) return answer;
    await pause(100);
  }
  throw new Error('it does not end');
}

test('a project is written and made again', async () => {
  const group = await root.Groups.create('shelved', 'shelved');
  const project = await root.Projects.create({
    name: 'anvil', namespaceId: group.id, initializeWithReadme: true,
  });
  await root.Issues.create(project.id, 'Rings');
  const accepted = await files.scheduleExport(project.id, undefined, { description: 'From a file' });
  assert.equal(accepted.message, '202 Accepted');
  await until(() => files.showExportStatus(project.id), (it) => it.export_status === 'finished');
  const content = await files.download(project.id);
  const made = await files.import({ content, filename: 'anvil.tar.gz' }, 'copied', { namespace: 'shelved' });
  assert.equal(made.path_with_namespace, 'shelved/copied');
  const shown = await until(
    () => files.showImportStatus(made.id), (it) => ['finished', 'failed'].includes(it.import_status),
  );
  assert.equal(shown.import_status, 'finished', shown.import_error);
  const issues = await root.Issues.all({ projectId: made.id });
  assert.deepEqual(issues.map((one) => one.title), ['Rings']);
  const copy = await root.Projects.show(made.id);
  assert.equal(copy.description, 'From a file');
});

test('files elsewhere are fetched over https alone', async () => {
  await refused(400, () => files.importRemote('http://files.example/a.tar.gz', 'never'));
  // It asks for those in buckets where those at addresses are.
  await refused(400, () => files.importRemoteS3('key', 'a/b', 'a.tar.gz', 'never', 'eu-west-1', 'secret'));
});
