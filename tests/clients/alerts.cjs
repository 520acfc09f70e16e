// @gitbeaker/rest, unmodified: metric images of alerts, and settings and keys of error tracking.

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Gitlab } = require('@gitbeaker/rest');
const { api, url } = require('./server.cjs');

const root = new Gitlab({ host: url, token: process.env.TENON_TOKEN });
const stranger = new Gitlab({ host: url, token: 'wrong' });

// One red pixel.
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

let count = 0;

async function project() {
  count += 1;
  return (await root.Projects.create({ name: `smithy-${process.pid}-${count}` })).id;
}

async function refused(status, call) {
  await assert.rejects(call, (error) => {
    assert.equal(error.cause?.response?.status, status, String(error));
    return true;
  });
}

// A project with an alert; their numbers.
async function alert() {
  const id = await project();
  const path = `/projects/${id}/alert_management/http_integrations`;
  const integration = await api('POST', path, { name: 'Pager', active: true });
  const answer = await fetch(integration.url, {
    method: 'POST',
    headers: { Authorization: `Bearer ${integration.token}` },
    body: JSON.stringify({ title: 'Furnace too hot' }),
  });
  assert.equal(answer.status, 200);
  return [id, (await answer.json())[0].iid];
}

function picture(filename, content = PICTURE) {
  return { filename, content: new Blob([content], { type: 'image/png' }) };
}

test('metric images are uploaded, listed, changed and removed', async () => {
  const [id, iid] = await alert();
  const images = root.AlertManagement;
  const chart = { url: 'https://charts.example/1', urlText: 'The chart' };
  const made = await images.uploadMetricImage(id, iid, picture('heat.png'), chart);
  assert.deepEqual(made, {
    id: made.id,
    created_at: made.created_at,
    filename: 'heat',
    file_path: `/uploads/-/system/alert_metric_image/file/${made.id}/heat.png`,
    url: chart.url,
    url_text: chart.urlText,
  });
  const bare = await images.uploadMetricImage(id, iid, picture('cold.png'));
  assert.deepEqual([bare.url, bare.url_text], [null, null]);
  assert.deepEqual(await images.allMetricImages(id, iid), [made, bare]);

  const shown = await fetch(url + made.file_path, {
    headers: { 'PRIVATE-TOKEN': process.env.TENON_TOKEN },
  });
  assert.equal(shown.headers.get('content-type'), 'image/png');
  assert.deepEqual(Buffer.from(await shown.arrayBuffer()), PICTURE);
  assert.equal((await fetch(url + made.file_path)).status, 404);

  const change = { url: 'https://charts.example/2', urlText: 'Another' };
  const changed = await images.editMetricImage(id, iid, made.id, change);
  assert.deepEqual(changed, { ...made, url: change.url, url_text: change.urlText });
  await images.removeMetricImage(id, iid, made.id);
  assert.deepEqual(await images.allMetricImages(id, iid), [bare]);
  await refused(404, () => images.removeMetricImage(id, iid, made.id));
});

test('what is no picture, or for no alert, is refused', async () => {
  const [id, iid] = await alert();
  const images = root.AlertManagement;
  const markup = '<svg xmlns="http://www.w3.org/2000/svg"/>';
  await refused(400, () => images.uploadMetricImage(id, iid, picture('heat.svg', markup)));
  await refused(400, () => images.uploadMetricImage(id, iid, picture('heat.png', 'no')));
  const script = { url: 'javascript:alert(1)' };
  await refused(400, () => images.uploadMetricImage(id, iid, picture('heat.png'), script));
  await refused(404, () => images.allMetricImages(id, iid + 1));
  await refused(404, () => images.editMetricImage(id, iid, 0, { urlText: 'The chart' }));
  await refused(401, () => stranger.AlertManagement.allMetricImages(id, iid));
  assert.deepEqual(await images.allMetricImages(id, iid), []);
});

test('settings of error tracking are created, shown and changed', async () => {
  const id = await project();
  const settings = root.ErrorTrackingSettings;
  await refused(404, () => settings.show(id));
  await refused(404, () => settings.edit(id, true));
  const expected = {
    active: true,
    project_name: null,
    tracker_external_url: null,
    api_url: null,
    integrated: true,
  };
  assert.deepEqual(await settings.create(id, true, true), expected);
  assert.deepEqual(await settings.show(id), expected);
  const off = { ...expected, active: false };
  assert.deepEqual(await settings.edit(id, false), off);
  assert.deepEqual(await settings.edit(id, true, { integrated: true }), expected);
  await refused(401, () => stranger.ErrorTrackingSettings.show(id));
});

test('client keys are created and listed, and never all removed at once', async () => {
  const id = await project();
  const keys = root.ErrorTrackingClientKeys;
  const made = [await keys.create(id), await keys.create(id)];
  for (const key of made) {
    assert.deepEqual(Object.keys(key), ['id', 'active', 'public_key', 'tracker_dsn']);
    assert.ok(key.active && key.tracker_dsn.includes(`//${key.public_key}@`), key);
  }
  // It names no key.
  await assert.rejects(keys.remove(id), (error) => {
    assert.ok([404, 405].includes(error.cause?.response?.status), String(error));
    return true;
  });
  const listed = await keys.all(id);
  assert.deepEqual(new Set(listed.map((key) => key.id)), new Set(made.map((key) => key.id)));
});
