// What the GraphQL suites in Node share: the endpoint, and what is in it.

const { api, url } = require('../server.cjs');

const endpoint = `${url}/api/graphql`;
const headers = { Authorization: `Bearer ${process.env.TENON_TOKEN}` };

// Makes projects with this in their names; answers their paths, the newest first.
async function projects(prefix, count) {
  const paths = [];
  for (let number = 0; number < count; number += 1) {
    const made = await api('POST', '/projects', { name: `${prefix}-${number}` });
    paths.unshift(made.path_with_namespace);
  }
  return paths;
}

// `fetch` that keeps what was asked and the status of its answer, for a look at
// how a client asks.
function watched() {
  const asked = [];
  const watching = async (address, options = {}) => {
    const one = { address: String(address), method: options.method ?? 'GET', body: options.body };
    asked.push(one);
    const answer = await fetch(address, options);
    one.status = answer.status;
    return answer;
  };
  return { asked, fetch: watching };
}

module.exports = { endpoint, headers, projects, watched };
