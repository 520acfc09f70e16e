// Texts of people in a real browser: what they become on a phone and on a desk,
// boxes that are ticked without a script, and that everyone can read them.

const assert = require('node:assert/strict');
const { before, test } = require('node:test');
const { PNG, WIDTHS, api, checkAll, open, run, signedIn, url } = require('./shared.cjs');

const path = `texts-${run}`;
let page_url;

before(async () => {
  const project = await api('POST', '/projects', { name: path, path, visibility: 'public' });
  const form = new FormData();
  form.append('file', new Blob([PNG]), 'hinge.png');
  const sent = await fetch(`${url}/api/v4/projects/${project.id}/uploads`, {
    method: 'POST',
    headers: { 'PRIVATE-TOKEN': process.env.TENON_TOKEN },
    body: form,
  });
  assert.equal(sent.status, 201);
  const { markdown } = await sent.json();
  const description = [
    '# Plan\n\n- [ ] oil the hinge\n- [x] order oil\n  - [ ] pay it\n',
    '| Part | Price | Where it is from | How long it lasts | Remarks |\n|:-|--:|:-:|-|-|',
    '| hinge | 3 | Solingen, Germany | a hundred years | unbreakable |\n',
    '```rust\n/// Opens it.\npub fn open(door: &mut Door) -> Result<u32, Error> { door.turn(90, "left") }\n```\n',
    '```diff\n-old\n+new\n```\n\n> Said by a smith\n\n~~no~~ `code` :tada: <kbd>Ctrl</kbd> a[^1]\n',
    `${markdown}{width=50% height=40}\n\n[^1]: A note`,
  ].join('\n');
  const issue = await api('POST', `/projects/${project.id}/issues`, { title: 'Door', description });
  await api('POST', `/projects/${project.id}/issues/${issue.iid}/notes`, { body: '# Plan\n\na[^1]\n\n[^1]: b' });
  page_url = new URL(issue.web_url).pathname;
});

test('texts can be read by everyone', async () => {
  const { page, context, problems } = await open();
  await page.goto(`${url}${page_url}`);
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    await checkAll(page, 'texts', { widths: [width] });
    // A table is one on a phone, too: its head is seen, and columns align.
    const cell = (text) => page.getByRole('cell', { name: text });
    const head = page.getByRole('columnheader', { name: 'Price' });
    await head.waitFor();
    const [above, below] = [await head.boundingBox(), await cell('3').first().boundingBox()];
    assert.ok(Math.abs(above.x - below.x) < 2 && above.y < below.y, `a column at ${width}`);
    const align = await cell('3').first().evaluate((it) => getComputedStyle(it).textAlign);
    assert.equal(align, 'right');
  }
  const ids = await page.locator('[id]').evaluateAll((all) => all.map((it) => it.id));
  assert.equal(new Set(ids).size, ids.length, 'ids are unique');
  const size = await page.locator('.prose img').evaluate((it) => [it.naturalWidth, it.height]);
  assert.deepEqual(size, [1, 40]);
  assert.deepEqual(problems, []);
  await context.close();
});

test('boxes are ticked without JavaScript', async () => {
  const { page, context } = await signedIn({ javaScriptEnabled: false });
  await page.goto(`${url}${page_url}`);
  const box = (name) => page.getByRole('checkbox', { name });
  assert.equal(await box('oil the hinge').getAttribute('aria-checked'), 'false');
  await box('oil the hinge').click();
  await page.waitForURL(/#description$/);
  assert.equal(await box('oil the hinge').getAttribute('aria-checked'), 'true');
  await box('order oil').focus();
  await page.keyboard.press('Space');
  await page.waitForURL(/#description$/);
  await page.getByText('Task marked as not done.').waitFor();
  assert.equal(await box('order oil').getAttribute('aria-checked'), 'false');
  await context.close();
});
