// @gitbeaker/rest, unmodified, protects tiers of groups, and keeps variables of the instance.

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

test('tiers of a group are protected', async () => {
  const group = await root.Groups.create('tiers', 'tiers');
  const { GroupProtectedEnvironments: tiers } = root;
  const made = await tiers.create(group.id, 'production', [{ accessLevel: 40 }], {
    approvalRules: [{ accessLevel: 40 }],
  });
  assert.equal(made.deploy_access_levels[0].access_level_description, 'Maintainers');
  assert.equal(made.approval_rules[0].required_approvals, 1);
  assert.deepEqual((await tiers.all(group.id)).map((one) => one.name), ['production']);
  const [level] = made.deploy_access_levels;
  const edited = await tiers.edit(group.id, 'production', {
    deployAccessLevels: [{ id: level.id, accessLevel: 60 }],
    requiredApprovalCount: 2,
  });
  assert.equal(edited.deploy_access_levels[0].access_level, 60);
  assert.equal(edited.required_approval_count, 2);
  assert.deepEqual(await tiers.show(group.id, 'production'), edited);
  await refused(409, () => tiers.create(group.id, 'production', [{ accessLevel: 40 }]));
  await tiers.remove(group.id, 'production');
  await refused(404, () => tiers.show(group.id, 'production'));
});

test('variables of the instance are kept', async () => {
  const { InstanceLevelCICDVariables: variables } = root;
  const made = await variables.create('DEPLOYED_BY', 'tenon');
  assert.deepEqual([made.key, made.value], ['DEPLOYED_BY', 'tenon']);
  const edited = await variables.edit('DEPLOYED_BY', 'hammer', { masked: false });
  assert.equal(edited.value, 'hammer');
  assert.equal((await variables.show('DEPLOYED_BY')).value, 'hammer');
  assert.ok((await variables.all()).some((one) => one.key === 'DEPLOYED_BY'));
});
