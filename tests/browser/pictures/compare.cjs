// Whether two pictures show the same, and pictures as files.

const { crc32, deflateSync } = require('node:zlib');

// A channel that differs by no more is the same to the eye: edges of letters
// are drawn a little differently by each release of a browser.
const TOLERANCE = 60;

// So many points may differ: a square of 40 × 40 pixels on the screen.
const BOUND = 100;

// The levels of a channel that a reference keeps, so that its file is small.
const STEP = 17;

const isInside = (picture, x, y) => x < picture.width && y < picture.height;
const offset = (picture, x, y) => (y * picture.width + x) * 3;

function isSame(one, other, x, y) {
  if (!isInside(one, x, y) || !isInside(other, x, y)) return false;
  const [from, to] = [offset(one, x, y), offset(other, x, y)];
  return [0, 1, 2].every(
    (channel) => Math.abs(one.points[from + channel] - other.points[to + channel]) <= TOLERANCE,
  );
}

// How many points differ, and where: a picture of the second in pale, with red
// for what differs.
function compare(one, other) {
  const width = Math.max(one.width, other.width);
  const height = Math.max(one.height, other.height);
  const shown = { width, height, points: Buffer.alloc(width * height * 3) };
  let count = 0;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const same = isSame(one, other, x, y);
      if (!same) count += 1;
      const pale = same ? [0, 1, 2].map((n) => 170 + other.points[offset(other, x, y) + n] / 3) : [];
      shown.points.set(same ? pale : [200, 0, 0], offset(shown, x, y));
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
