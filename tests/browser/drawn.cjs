// What is drawn and grouped: errors with their events, alerts, who is on call,
// the policy, packages. In light and dark, on a phone and at a desk, with and
// without scripts. Run by `cargo xtask test --only browser`.

const assert = require('node:assert/strict');
const { before, test } = require('node:test');
const { publisher } = require('./npm.cjs');
const { api, run, signedIn, url, visit } = require('./shared.cjs');

const group = `drawn-${run}`;
const project = `${group}/anvil`;
const at = `/projects/${encodeURIComponent(project)}`;

let error;

async function reportErrors(id) {
  await api('PUT', `${at}/error_tracking/settings?active=true&integrated=true`);
  const key = (await api('POST', `${at}/error_tracking/client_keys`)).public_key;
  const frame = { function: 'heat', filename: 'forge.py', lineno: 7, context_line: 'heat(1600)' };
  for (const [n, browser] of ['fox', 'cat', 'cat'].entries()) {
    const sent = await fetch(
      `${url}/api/v4/error_tracking/collector/api/${id}/store/?sentry_key=${key}`,
      {
        method: 'POST',
        body: JSON.stringify({
          exception: [{ type: 'TooHot', value: `${n}`, stacktrace: { frames: [frame] } }],
          tags: { browser },
          breadcrumbs: [{ timestamp: 1769872245 + n, message: 'lit' }],
        }),
      },
    );
    assert.equal(sent.status, 200);
  }
  error = (await api('GET', `${at}/error_tracking/errors`))[0].id;
}

async function watch(root) {
  const area = `${at}/alert_management`;
  const integration = await api('POST', `${area}/http_integrations`, { name: 'Furnace', active: true });
  const payload = { title: 'Too hot', severity: 'high', furnace: { degrees: '1600' } };
  await api('POST', `${area}/http_integrations/${integration.id}/test`, { payload });
  await api('POST', `${area}/oncall_schedules`, { name: 'Nights', timezone: 'Europe/Berlin' });
  for (const [name, length_unit] of [['Daily turns', 'days'], ['Weekly turns', 'weeks']]) {
    await api('POST', `${area}/oncall_schedules/1/rotations`, {
      name,
      starts_at: '2020-01-01T08:00:00Z',
      length: 1,
      length_unit,
      user_ids: [root],
    });
  }
  return integration.id;
}

let integration;

before(async () => {
  const made = await api('POST', '/groups', { name: group, path: group });
  const { id } = await api('POST', '/projects', { name: 'anvil', namespace_id: made.id });
  await reportErrors(id);
  integration = await watch((await api('GET', '/user')).id);
  const publish = publisher(api, at);
  for (const minor of [0, 1, 2]) {
    await publish('hammer', `1.${minor}.0`, {
      description: 'Strikes',
      license: 'MIT',
      homepage: 'https://hammer.example/',
      keywords: ['iron'],
      dependencies: { nail: '^1.0.0' },
    });
  }
  await publish('nail', '1.0.0', {});
});

test('every page is accessible in light and dark, on a phone and at a desk', async () => {
  const { page, context, problems } = await signedIn();
  const [{ id }] = await api('GET', `${at}/packages?package_version=1.2.0`);
  await visit(page, [
    `/${project}/-/error_tracking`,
    `/${project}/-/error_tracking?span=24h&status=any`,
    `/${project}/-/error_tracking/${error}/details`,
    `/${project}/-/alert_management`,
    `/${project}/-/alert_management/1/details`,
    `/${project}/-/oncall_schedules`,
    `/${project}/-/oncall_schedules/1`,
    `/${project}/-/oncall_schedules/1?week=2031-05-05`,
    `/${project}/-/escalation_policies`,
    `/${project}/-/settings/alerts`,
    `/${project}/-/settings/alerts/${integration}`,
    `/${project}/-/packages`,
    `/${project}/-/packages/${id}`,
    `/${project}/-/packages/${id}/versions`,
  ]);
  assert.deepEqual(problems, []);
  await context.close();
});

test('a chart fills its width and stays readable', async () => {
  for (const width of [360, 1440]) {
    const { page, context } = await signedIn({ viewport: { width, height: 900 } });
    await page.goto(`${url}/${project}/-/error_tracking/${error}/details`);
    const chart = page.getByRole('img', { name: /^Events by day: 3 in all, 3 at most, in UTC/ });
    const box = await chart.boundingBox();
    assert.ok(box.width > 180 && box.height === 128, JSON.stringify(box));
    // Labels below it do not run into each other, and lie within the page.
    const labels = await chart.locator('text').evaluateAll((all) =>
      all.map((text) => {
        const { left, right } = text.getBoundingClientRect();
        return { left, right };
      }),
    );
    assert.ok(labels.length > 2);
    labels.reduce((one, next) => {
      assert.ok(one.right < next.left, `${one.right} < ${next.left} at ${width}`);
      return next;
    });
    await page.getByText('Numbers').click();
    await page.locator('.numbers dd', { hasText: '3' }).first().waitFor();
    await context.close();
  }
});

test('events are paged with scripts off', async () => {
  const { page, context } = await signedIn({ javaScriptEnabled: false });
  await page.goto(`${url}/${project}/-/error_tracking`);
  await page.locator('.spark').first().waitFor();
  await page.getByRole('link', { name: 'TooHot', exact: true }).click();
  await page.getByRole('link', { name: 'Previous' }).click();
  assert.match(page.url(), /\?event=[0-9a-f]{32}$/);
  await page.getByRole('link', { name: 'First' }).click();
  assert.equal(await page.getByRole('link', { name: 'Previous' }).count(), 0);
  await page.getByText('15:10:45').waitFor();
  await page.getByRole('link', { name: 'Last', exact: true }).click();
  assert.equal(await page.getByRole('link', { name: 'Next' }).count(), 0);
  const tags = page.getByRole('complementary').filter({ hasText: 'of the last 3 events' });
  await tags.getByText('66 %').waitFor();
  await context.close();
});

test('who is on call is drawn in time', async () => {
  const { page, context } = await signedIn({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${url}/${project}/-/oncall_schedules/1`);
  const roster = page.getByRole('img', { name: /^Who is on call by Nights/ });
  await roster.waitFor();
  // The present lies in the bar of whose turn it is.
  const now = await page.locator('line.now').boundingBox();
  const turns = await page.locator('svg.turn').evaluateAll((all) =>
    all.map((turn) => {
      const { left, right } = turn.querySelector('rect').getBoundingClientRect();
      return { left, right, name: turn.querySelector('text').textContent };
    }),
  );
  const present = turns.filter((turn) => turn.left <= now.x + 1 && now.x <= turn.right + 1);
  assert.ok(present.length >= 2 && present.every((turn) => turn.name === '@root'), turns.length);
  assert.ok((await page.locator('.day-name').count()) === 14);
  await page.getByRole('cell', { name: '@root now' }).first().waitFor();
  const heading = page.locator('.roster-head h3');
  const shown = await heading.textContent();
  await page.getByRole('link', { name: 'Week after' }).click();
  assert.notEqual(await heading.textContent(), shown);
  await page.getByRole('link', { name: 'Week before' }).click();
  assert.equal(await heading.textContent(), shown);
  await page.getByRole('link', { name: 'Week before' }).click();
  await page.getByRole('link', { name: 'Today' }).click();
  assert.equal(await heading.textContent(), shown);
  await context.close();
});

test('an alert is acknowledged and resolved at its top, with scripts off', async () => {
  const { page, context } = await signedIn({ javaScriptEnabled: false });
  await page.goto(`${url}/${project}/-/alert_management`);
  await page.locator('.on-call', { hasText: '@root' }).getByRole('link', { name: 'Nights' }).waitFor();
  await page.getByRole('link', { name: 'Too hot', exact: true }).click();
  assert.equal(await page.locator('figure.bars').count(), 1);
  await page.getByRole('button', { name: 'Acknowledge' }).click();
  await page.getByText('The alert is acknowledged.').waitFor();
  await page.getByRole('button', { name: 'Resolve' }).click();
  await page.getByText('The alert is resolved.').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Resolve' }).count(), 0);
  await context.close();
});

test('rules of a policy are added and removed with scripts off', async () => {
  const { page, context } = await signedIn({ javaScriptEnabled: false });
  await page.goto(`${url}/${project}/-/escalation_policies`);
  await page.getByLabel('Name').fill('Wake up');
  await page.getByLabel('Page who is on call by').selectOption('Nights');
  await page.getByRole('button', { name: 'Save policy' }).click();
  await page.getByText('Page who is on call by Nights, unless').waitFor();
  await page.locator('summary', { hasText: 'Add rule' }).click();
  const form = page.locator('form', { has: page.locator('input[value=add]') });
  await form.getByLabel('After minutes').fill('10');
  await form.getByLabel('Or this user').fill('root');
  await form.getByLabel('If', { exact: true }).selectOption('resolved');
  await form.getByRole('button', { name: 'Add rule' }).click();
  await page.getByText('Page @root, unless it is resolved.').waitFor();
  await page.getByText('10 minutes').waitFor();
  assert.ok((await page.locator('main').boundingBox()).height < 1400);
  const first = page.locator('ol.things > li').first();
  await first.locator('summary', { hasText: 'Remove' }).click();
  await first.getByRole('button', { name: 'Remove' }).click();
  await page.getByText('Rule removed.').waitFor();
  assert.equal(await page.locator('ol.things > li').count(), 1);
  await context.close();
});

test('a package stands once in the list and tells what it is', async () => {
  const { page, context, problems } = await signedIn();
  await page.goto(`${url}/${project}/-/packages`);
  assert.equal(await page.getByRole('link', { name: 'hammer', exact: true }).count(), 1);
  await page.getByRole('link', { name: '3 versions' }).click();
  await page.getByRole('heading', { name: 'Versions 3' }).waitFor();
  await page.getByRole('link', { name: '1.1.0' }).click();
  await page.getByRole('heading', { name: 'How to strike' }).waitFor();
  await page.getByText('MIT', { exact: true }).waitFor();
  await page.getByText('nail', { exact: true }).waitFor();
  const home = page.getByRole('link', { name: 'https://hammer.example/' });
  assert.equal(await home.getAttribute('rel'), 'nofollow noopener');
  assert.deepEqual(problems, []);
  await context.close();
});
