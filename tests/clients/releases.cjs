// @gitbeaker/rest, unmodified, makes releases and their links.

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { Gitlab } = require('@gitbeaker/rest');

const root = new Gitlab({ host: process.env.TENON_URL, token: process.env.TENON_TOKEN });

async function refused(status, call) {
  await assert.rejects(call, (error) => {
    assert.equal(error.cause?.response?.status, status, String(error));
    return true;
  });
}

test('releases are made, found, changed and removed', async () => {
  const group = await root.Groups.create('released', 'released');
  const project = await root.Projects.create({
    name: 'anvil', namespaceId: group.id, initializeWithReadme: true,
  });
  const made = await root.ProjectReleases.create(project.id, {
    tagName: 'v1', ref: 'main', name: 'One', description: 'It rings.',
    assets: { links: [{ name: 'hammer', url: 'https://files.example/h' }] },
  });
  assert.deepEqual([made.tag_name, made.assets.count], ['v1', 5]);
  const shown = await root.ProjectReleases.show(project.id, 'v1', { includeHtmlDescription: true });
  assert.match(shown.description_html, /<p>It rings\.<\/p>/);
  const edited = await root.ProjectReleases.edit(project.id, 'v1', { name: 'First' });
  assert.equal(edited.name, 'First');
  const all = await root.ProjectReleases.all(project.id);
  assert.deepEqual(all.map((one) => one.name), ['First']);
  const ofGroup = await root.GroupReleases.all(group.id);
  assert.deepEqual(ofGroup.map((one) => one.tag_name), ['v1']);
  await root.ProjectReleases.createEvidence(project.id, 'v1');
  const proved = await root.ProjectReleases.show(project.id, 'v1');
  assert.equal(proved.evidences.length, 2);
  await root.ProjectReleases.remove(project.id, 'v1');
  await refused(404, () => root.ProjectReleases.show(project.id, 'v1'));
});

test('links of a release are added, changed and removed', async () => {
  const project = await root.Projects.create({ name: 'release-links', initializeWithReadme: true });
  await root.ProjectReleases.create(project.id, { tagName: 'v1', ref: 'main' });
  const link = await root.ReleaseLinks.create(project.id, 'v1', 'hammer', 'https://files.example/h', {
    filePath: '/h', linkType: 'image',
  });
  assert.equal(link.link_type, 'image');
  const edited = await root.ReleaseLinks.edit(project.id, 'v1', link.id, { name: 'Hammer' });
  assert.equal(edited.name, 'Hammer');
  assert.equal((await root.ReleaseLinks.show(project.id, 'v1', link.id)).name, 'Hammer');
  assert.equal((await root.ReleaseLinks.all(project.id, 'v1')).length, 1);
  await root.ReleaseLinks.remove(project.id, 'v1', link.id);
  assert.deepEqual(await root.ReleaseLinks.all(project.id, 'v1'), []);
});
