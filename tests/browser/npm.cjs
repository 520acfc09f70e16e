// Packages as npm publishes them.

const { createHash } = require('node:crypto');
const { gzipSync } = require('node:zlib');

// One file of an archive (ustar).
function tarred(path, text) {
  const bytes = Buffer.from(text);
  const head = Buffer.alloc(512);
  head.write(path, 0);
  head.write('0000644\0', 100);
  head.write(`${bytes.length.toString(8).padStart(11, '0')}\0`, 124);
  head.write('00000000000\0', 136);
  head.write('        0', 148);
  head.write('ustar\x0000', 257);
  const sum = head.reduce((all, byte) => all + byte, 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const rest = Buffer.alloc((512 - (bytes.length % 512)) % 512);
  return Buffer.concat([head, bytes, rest]);
}

// What publishes a version of a package with a README: by `api`, to the project at
// this path of it.
const publisher = (api, project) => async (name, version, said) => {
  const manifest = { name, version, ...said };
  const files = [
    tarred('package/package.json', JSON.stringify(manifest)),
    tarred('package/README.md', '## How to strike\n\n1. Lift\n2. Let go\n\n```js\nstrike()\n```\n'),
    Buffer.alloc(1024),
  ];
  const bytes = gzipSync(Buffer.concat(files));
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  await api('PUT', `${project}/packages/npm/${encodeURIComponent(name)}`, {
    _id: name,
    name,
    'dist-tags': { latest: version },
    versions: { [version]: { ...manifest, dist: { integrity } } },
    _attachments: {
      [`${name}-${version}.tgz`]: { data: bytes.toString('base64'), length: bytes.length },
    },
  });
};

module.exports = { publisher };
