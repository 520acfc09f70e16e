// Takes pictures of pages that are the same on every machine and in every run:
// fonts of our own, and what changes by nature put to rest.

const { mkdirSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

// How much of a page is looked at: about two screens. Pages come at the first.
const SCREENS = [
  { width: 360, height: 800, most: 1600 },
  { width: 1440, height: 900, most: 1800 },
];

// A point of a reference stands for a square with this side.
const SIDE = 4;

// Chromium finds these fonts and no other, drawn alike everywhere.
function useOwnFonts(directory) {
  const places = ['inter', 'roboto-mono'].map((name) =>
    dirname(require.resolve(`@expo-google-fonts/${name}/package.json`)),
  );
  const prefer = (family, own) =>
    `<alias binding="strong"><family>${family}</family><prefer><family>${own}</family></prefer></alias>`;
  const says = [['antialias', true], ['hinting', false], ['autohint', false]]
    .map(([name, value]) => `<edit name="${name}" mode="assign"><bool>${value}</bool></edit>`)
    .join('');
  mkdirSync(directory, { recursive: true });
  const file = join(directory, 'fonts.conf');
  writeFileSync(
    file,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>
${places.map((place) => `<dir>${place}</dir>`).join('\n')}
<cachedir>${join(directory, 'fonts')}</cachedir>
${prefer('sans-serif', 'Inter')}${prefer('system-ui', 'Inter')}${prefer('monospace', 'Roboto Mono')}
<match target="font">${says}<edit name="rgba" mode="assign"><const>none</const></edit></match>
</fontconfig>\n`,
  );
  process.env.FONTCONFIG_FILE = file;
}

// Nothing moves, and what is drawn over time or at random leaves its place empty.
const STILL = `
  *, *::before, *::after { animation: none !important; transition: none !important; caret-color: transparent !important; }
  .plot, .spark, .roster > svg, .calendar-plot svg,
  svg[aria-label="Picture of the secret for your app"] { visibility: hidden !important; }
`;

// Runs in the page: texts that differ between two runs become fixed ones.
function settle(version) {
  const MONTH = '(January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
  const changes = [
    [location.origin, 'https://works.example'],
    [location.host, 'works.example'],
    [version, '1.2.3'],
    [/\d{4}-\d\d-\d\d(T[\d:.]+Z?)?/g, '2031-01-02'],
    [new RegExp(`\\b\\d{1,2} ${MONTH} \\d{4}\\b`, 'g'), '2 Jan 2031'],
    [new RegExp(`\\b${MONTH} \\d{1,2}, \\d{4}\\b`, 'g'), 'January 2, 2031'],
    [new RegExp(`\\b\\d{1,2} (?=${MONTH}\\b)(?!${MONTH} 2031)`, 'g'), '2 '],
    [/\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b/g, 'Mon'],
    [/\b\d{1,2}:\d\d(:\d\d)?\b/g, '12:00'],
    [/\b(just now|\d+ (second|minute|hour|day)s? ago)\b/g, 'a while ago'],
    [/\b\d+(\.\d+)? (ms|s)\b/g, '1 s'],
    [/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/g, '01234567-89ab-cdef-0123-456789abcdef'],
    [/\b([0-9a-f]{4}-){3}[0-9a-f]{4}\b/g, '0123-4567-89ab-cdef'],
    [/\b(SQLite, embedded|PostgreSQL[^,]*)/g, 'SQLite, embedded'],
    [/\b[0-9a-f]{12,}\b/g, '0123456789abcdef'],
    [/\b(?=[a-f]*\d)[0-9a-f]{8}\b/g, '01234567'],
    [/\b(?=[\w-]*\d)[\w-]{20,}\b/g, '0123456789abcdef'],
    [/\b[A-Z]{4}-[A-Z]{4}\b/g, 'ABCD-EFGH'],
    [/\b([A-Z2-7]{4} ){3,}[A-Z2-7]{1,4}\b/g, 'ABCD EFGH IJKL MNOP QRST'],
    [/\b(Chrom(e|ium)) [\d.]+/g, '$1 1'],
  ];
  const settled = (text) => changes.reduce((all, [from, to]) => all.replaceAll(from, to), text);
  for (const time of document.querySelectorAll('time')) time.textContent = '2 Jan 2031';
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    const now = settled(text.data);
    if (now !== text.data) text.data = now;
  }
  for (const field of document.querySelectorAll('input:not([type=hidden]), textarea')) {
    if (field.type === 'checkbox' || field.type === 'radio') continue;
    const now = settled(field.value);
    if (now !== field.value) field.value = now;
  }
}

// Waits until the page stands as its scripts and fonts make it.
async function rest(page, version) {
  await page.addStyleTag({ content: STILL });
  await page.waitForFunction(() => {
    // What is folded becomes an editor when it is opened.
    const plain =
      document.querySelector('form[action="/users/sign_out"]') &&
      document.querySelector(
        '[data-editor]:not(:has(.editor-bar), details:not([open]) *), [data-pick]:not([role])',
      );
    return !plain && document.fonts.status === 'loaded';
  }, null, { timeout: 10_000 });
  await page.evaluate(settle, version);
}

// A picture of the upper part of a page as it stands: a PNG file in base64. It
// is whole squares high.
async function shoot(page, screen) {
  await page.setViewportSize({ width: screen.width, height: screen.height });
  const tall = await page.evaluate(() => document.documentElement.scrollHeight);
  const height = Math.floor(Math.min(tall, screen.most) / SIDE) * SIDE;
  const devtools = await page.context().newCDPSession(page);
  const { data } = await devtools.send('Page.captureScreenshot', {
    clip: { x: 0, y: 0, width: screen.width, height, scale: 1 },
    captureBeyondViewport: true,
    optimizeForSpeed: true,
  });
  await devtools.detach();
  return data;
}

// Runs in a page: the colours of a picture at this size, each the mean of those
// that it stands for.
async function reduced([base64, width, height]) {
  const file = await (await fetch(`data:image/png;base64,${base64}`)).blob();
  const size = { resizeWidth: width, resizeHeight: height, resizeQuality: 'medium' };
  const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
  context.drawImage(await createImageBitmap(file, size), 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  const letters = [];
  for (let from = 0; from < data.length; from += 8192) {
    letters.push(String.fromCharCode(...data.subarray(from, from + 8192)));
  }
  return btoa(letters.join(''));
}

// What a PNG file in base64 shows, each `side` × `side` points as one: RGB,
// three bytes a point. `lab` is a page of the browser, which reads the file.
async function read(lab, file, side) {
  const head = Buffer.from(file.slice(0, 32), 'base64');
  const [width, height] = [head.readUInt32BE(16) / side, head.readUInt32BE(20) / side];
  const colours = Buffer.from(await lab.evaluate(reduced, [file, width, height]), 'base64');
  const points = Buffer.alloc(width * height * 3);
  for (let n = 0; n < width * height; n += 1) colours.copy(points, n * 3, n * 4, n * 4 + 3);
  return { width, height, points };
}

module.exports = { SCREENS, SIDE, read, rest, shoot, useOwnFonts };
