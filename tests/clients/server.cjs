// What the Node suites share: the server, and what its administrator may do.

const assert = require('node:assert/strict');

const url = process.env.TENON_URL;

// What the administrator is answered by REST.
async function api(method, path, body) {
  const answer = await fetch(`${url}/api/v4${path}`, {
    method,
    headers: { 'PRIVATE-TOKEN': process.env.TENON_TOKEN, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert.ok(answer.ok, `${method} ${path}: ${answer.status}`);
  return answer.json();
}

module.exports = { api, url };
