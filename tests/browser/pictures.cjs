// Every type of page as a picture, at a phone's width and a desk's, compared
// with a small reference in `pictures/references`. PICTURES=accept writes the
// references again. Run by `cargo xtask test --only browser`.

const assert = require('node:assert/strict');
const { existsSync, readFileSync, readdirSync, writeFileSync } = require('node:fs');
const { join, resolve } = require('node:path');
const { before, test } = require('node:test');
const { flags, open, signIn, url } = require('./shared.cjs');
const { SCREENS, SIDE, read, rest, shoot, useOwnFonts } = require('./pictures/camera.cjs');
const { BOUND, beside, coarse, compare, encode } = require('./pictures/compare.cjs');
const { PAGES, WITHOUT } = require('./pictures/pages.cjs');
const { PASSWORD, seed } = require('./pictures/seed.cjs');

const REFERENCES = join(__dirname, 'pictures/references');
// Whole: fontconfig looks for other paths where the system has its own.
const LEFT = resolve(process.env.CARGO_TARGET_DIR ?? 'target', 'pictures');
const accepting = process.env.PICTURES === 'accept';

useOwnFonts(LEFT);
flags.push('--lang=en-US', '--font-render-hinting=none', '--disable-lcd-text', '--force-color-profile=srgb');

let seeded;
let version;
// A tab of everybody who looks, and the one that reads pictures.
const tabs = {};
let lab;

before(async () => {
  seeded = await seed();
  const headers = { 'PRIVATE-TOKEN': process.env.TENON_TOKEN };
  version = (await (await fetch(`${url}/api/v4/version`, { headers })).json()).version;
  const options = { bypassCSP: true, locale: 'en-GB', timezoneId: 'UTC', reducedMotion: 'reduce' };
  for (const who of Object.keys(PAGES)) tabs[who] = (await open(options)).page;
  await signIn(tabs.root);
  await signIn(tabs.tom, 'tom', PASSWORD);
  lab = (await open()).page;
});

async function visit(page, { path, act, drawn, status = 200 }) {
  await page.setViewportSize({ width: SCREENS[0].width, height: SCREENS[0].height });
  const answer = await page.goto(url + (typeof path === 'function' ? path(seeded) : path));
  assert.equal(answer.status(), status, answer.url());
  await act?.(page);
  await rest(page, version);
  if (drawn) await page.addStyleTag({ content: `${drawn} { visibility: visible !important; }` });
}

const file = (name) => join(REFERENCES, `${name}.png`);

async function difference(name, shot) {
  assert.ok(existsSync(file(name)), `${name} has no reference; CONTRIBUTING says how it gets one`);
  const picture = await read(lab, shot, SIDE);
  const reference = await read(lab, readFileSync(file(name), 'base64'), 1);
  return { reference, picture, ...compare(reference, picture) };
}

// Makes a reference of a page as it is, and leaves the page itself to look at.
async function accept(name, shot) {
  writeFileSync(file(name), encode(coarse(await read(lab, shot, SIDE))));
  writeFileSync(join(LEFT, `${name}.png`), shot, 'base64');
}

// Fails where a page differs from its reference, and leaves both to look at.
async function check(name, shot) {
  if (accepting) return accept(name, shot);
  const { count, reference, picture, shown } = await difference(name, shot);
  if (count <= BOUND) return;
  const seen = join(LEFT, `${name}.png`);
  writeFileSync(seen, encode(beside([reference, picture, shown])));
  assert.fail(`${name} differs in ${count} points, more than ${BOUND}; reference, picture and difference: ${seen}`);
}

// The widths and colours in which a page is looked at.
async function* looks(page, { name, dark }) {
  for (const screen of SCREENS) {
    for (const colorScheme of dark ? ['light', 'dark'] : ['light']) {
      await page.emulateMedia({ colorScheme });
      const suffix = colorScheme === 'dark' ? '-dark' : '';
      yield [`${name}-${screen.width}${suffix}`, await shoot(page, screen)];
    }
    await page.emulateMedia({ colorScheme: 'light' });
  }
}

for (const [who, pages] of Object.entries(PAGES)) {
  for (const one of pages) {
    test(`${one.name} looks as before`, async () => {
      const page = tabs[who];
      await visit(page, one);
      const wrong = [];
      for await (const [name, shot] of looks(page, one)) {
        await check(name, shot).catch((error) => wrong.push(error.message));
      }
      assert.deepEqual(wrong, []);
    });
  }
}

// The tab of root with this page.
async function shown(name) {
  await visit(tabs.root, PAGES.root.find((one) => one.name === name));
  return tabs.root;
}

// The bound tells what people see from what they do not.
for (const [what, name, style, isSeen, widths = [360, 1440]] of [
  ['a lost navigation', 'issue', '.rail, .top { display: none !important; }', true],
  ['a doubled padding', 'issue', '.note { padding: 1.7rem 2rem !important; }', true],
  ['another colour of buttons', 'issues', '.button.solid { background: #962018 !important; }', true],
  ['a lost column', 'issue', '.columns { display: block !important; }', true, [1440]],
  ['edges of letters', 'issue', 'body { transform: translate(.3px, .3px); }', false],
]) {
  test(`${what} ${isSeen ? 'is' : 'is not'} seen`, async () => {
    const page = await shown(name);
    await page.addStyleTag({ content: style });
    for (const screen of SCREENS.filter(({ width }) => widths.includes(width))) {
      const { count } = await difference(`${name}-${screen.width}`, await shoot(page, screen));
      assert.equal(count > BOUND, isSeen, `${count} points at ${screen.width}`);
    }
  });
}

test('a lost style sheet is seen', async () => {
  for (const name of ['issue', 'project-empty', 'device']) {
    const page = await shown(name);
    await page.evaluate(() => document.querySelector('link[rel=stylesheet]').remove());
    for await (const [look, shot] of looks(page, { name })) {
      assert.ok((await difference(look, shot)).count > 10 * BOUND, look);
    }
  }
});

test('every type of page has a picture, and no picture is left over', () => {
  const routes = readFileSync(join(__dirname, '../../routes.txt'), 'utf8').split('\n');
  const all = Object.values(PAGES).flat();
  const shown = new Set(all.map(({ route }) => route));
  const lacking = routes
    .map((line) => line.split(/ +/))
    .filter(([method, , surface]) => method === 'GET' && surface === 'page')
    .map(([, path]) => path)
    .filter((path) => !shown.has(path) && !(path in WITHOUT));
  assert.deepEqual(lacking, []);
  const names = all.flatMap(({ name, dark }) =>
    SCREENS.flatMap(({ width }) => [`${name}-${width}.png`, ...(dark ? [`${name}-${width}-dark.png`] : [])]),
  );
  assert.deepEqual(readdirSync(REFERENCES).sort(), names.sort());
});
