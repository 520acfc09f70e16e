// Takes pictures of pages that are the same on every machine and in every run:
// fonts of our own, and what changes by nature put to rest.

const { mkdirSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

// How much of a page is looked at: about two screens.
const SCREENS = [
  { width: 1440, height: 900, most: 1800 },
  { width: 360, height: 800, most: 1600 },
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
  .plot, .spark, .roster > svg, svg[aria-label="Picture of the secret for your app"] { visibility: hidden !important; }
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
    [/\b\d\d:\d\d(:\d\d)?\b/g, '12:00'],
    [/\b(just now|\d+ (second|minute|hour|day)s? ago)\b/g, 'a while ago'],
    [/\b\d+(\.\d+)? (ms|s)\b/g, '1 s'],
    [/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/g, '01234567-89ab-cdef-0123-456789abcdef'],
    [/\b[0-9a-f]{12,}\b/g, '0123456789abcdef'],
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

// A picture of the upper part of a page as it stands, as bytes of a PNG file.
async function shoot(page, screen) {
  await page.setViewportSize({ width: screen.width, height: screen.height });
  const tall = await page.evaluate(() => document.documentElement.scrollHeight);
  const clip = { x: 0, y: 0, width: screen.width, height: Math.min(tall, screen.most) };
  return page.screenshot({ clip, fullPage: true, scale: 'css' });
}

// Runs in a page: the colours of a picture, averaged over squares.
async function averaged([base64, side]) {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  context.drawImage(bitmap, 0, 0);
  const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
  const width = Math.floor(bitmap.width / side);
  const height = Math.floor(bitmap.height / side);
  const sums = new Float64Array(width * height * 3);
  for (let y = 0; y < height * side; y += 1) {
    for (let x = 0; x < width * side; x += 1) {
      const from = (y * bitmap.width + x) * 4;
      const to = (Math.floor(y / side) * width + Math.floor(x / side)) * 3;
      for (let channel = 0; channel < 3; channel += 1) sums[to + channel] += data[from + channel];
    }
  }
  let letters = '';
  for (const sum of sums) letters += String.fromCharCode(Math.round(sum / (side * side)));
  return { width, height, letters: btoa(letters) };
}

// What is in a PNG file, each `side` × `side` points as one: RGB, three bytes a
// point. `lab` is a page of the browser, which reads the file.
async function read(lab, file, side) {
  const { width, height, letters } = await lab.evaluate(averaged, [file.toString('base64'), side]);
  return { width, height, points: Buffer.from(letters, 'base64') };
}

module.exports = { SCREENS, SIDE, read, rest, shoot, useOwnFonts };
