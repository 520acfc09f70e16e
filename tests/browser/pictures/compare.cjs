// Whether two pictures show the same, and pictures as files.

const { crc32, deflateSync } = require('node:zlib');

// A channel that differs by no more is the same to the eye: edges of letters
// are drawn a little differently by each release of a browser.
const TOLERANCE = 60;

// So many points may differ: a square of 40 × 40 pixels on the screen.
const BOUND = 100;

// The levels of a channel that a reference keeps, so that its file is small.
const STEP = 17;

const offset = (picture, x, y) => (y * picture.width + x) * 3;

function isSame(one, from, other, to) {
  for (let channel = 0; channel < 3; channel += 1) {
    if (Math.abs(one.points[from + channel] - other.points[to + channel]) > TOLERANCE) return false;
  }
  return true;
}

// How many points differ, and where: the second picture in pale, with red for
// what differs. What only one of them has differs, too.
function compare(one, other) {
  const width = Math.max(one.width, other.width);
  const height = Math.max(one.height, other.height);
  const shown = { width, height, points: Buffer.alloc(width * height * 3) };
  const both = (x, y) => x < Math.min(one.width, other.width) && y < Math.min(one.height, other.height);
  let count = 0;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = offset(shown, x, y);
      const from = offset(one, x, y);
      const to = offset(other, x, y);
      if (both(x, y) && isSame(one, from, other, to)) {
        for (let n = 0; n < 3; n += 1) shown.points[at + n] = 170 + other.points[to + n] / 3;
      } else {
        shown.points[at] = 200;
        count += 1;
      }
    }
  }
  return { count, shown };
}

// Pictures beside each other, on grey.
function beside(pictures) {
  const gap = 8;
  const width = pictures.reduce((all, one) => all + one.width + gap, -gap);
  const height = Math.max(...pictures.map((one) => one.height));
  const points = Buffer.alloc(width * height * 3, 128);
  let left = 0;
  for (const one of pictures) {
    for (let y = 0; y < one.height; y += 1) {
      one.points.copy(points, (y * width + left) * 3, offset(one, 0, y), offset(one, 0, y + 1));
    }
    left += one.width + gap;
  }
  return { width, height, points };
}

// The same in fewer colours.
function coarse(picture) {
  return { ...picture, points: picture.points.map((value) => Math.round(value / STEP) * STEP) };
}

function chunk(name, bytes) {
  const body = Buffer.concat([Buffer.from(name), bytes]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(bytes.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}

// A picture as a PNG file (RFC 2083); with a palette where its colours fit in one.
function encode(picture) {
  const { width, height, points } = picture;
  const numbers = new Map();
  const indices = Buffer.alloc(width * height);
  for (let n = 0; n < indices.length; n += 1) {
    const colour = points.readUIntBE(n * 3, 3);
    if (!numbers.has(colour)) numbers.set(colour, numbers.size);
    indices[n] = numbers.get(colour);
  }
  const isIndexed = numbers.size <= 256;
  const [bytes, size] = isIndexed ? [indices, 1] : [points, 3];
  const lines = [];
  for (let y = 0; y < height; y += 1) {
    lines.push(Buffer.of(0), bytes.subarray(y * width * size, (y + 1) * width * size));
  }
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, isIndexed ? 3 : 2, 0, 0, 0]);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  const palette = Buffer.alloc(numbers.size * 3);
  for (const [colour, number] of numbers) if (isIndexed) palette.writeUIntBE(colour, number * 3, 3);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', head),
    ...(isIndexed ? [chunk('PLTE', palette)] : []),
    chunk('IDAT', deflateSync(Buffer.concat(lines), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

module.exports = { BOUND, beside, coarse, compare, encode };
