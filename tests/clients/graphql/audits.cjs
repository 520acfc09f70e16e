// graphql-http audits the endpoint against GraphQL over HTTP.
//
// Every audit must pass but those named here, which the interface overrules;
// one of these that passes must leave the list.

const assert = require('node:assert/strict');
const { test } = require('node:test');
const { serverAudits } = require('graphql-http');

const endpoint = `${process.env.TENON_URL}/api/graphql`;

const IS_A_STATIC_ERROR = 'a query that is no text is an error of the document, told with 200';
const UNEXPECTED = 'an operation name, variables or extensions of another type: 422 Unexpected parameter';
const EMPTY = 'no query is the empty document, whose error is told with 200';

const OVERRULED = {
  LKJ0: IS_A_STATIC_ERROR,
  LKJ1: IS_A_STATIC_ERROR,
  LKJ2: IS_A_STATIC_ERROR,
  LKJ3: IS_A_STATIC_ERROR,
  '6C00': UNEXPECTED,
  '6C01': UNEXPECTED,
  '6C02': UNEXPECTED,
  '6C03': UNEXPECTED,
  4760: UNEXPECTED,
  4761: UNEXPECTED,
  4762: UNEXPECTED,
  4763: UNEXPECTED,
  '58B0': UNEXPECTED,
  '58B1': UNEXPECTED,
  '58B2': UNEXPECTED,
  '58B3': UNEXPECTED,
  8764: EMPTY,
  '3E3A': EMPTY,
};

const audits = serverAudits({ url: endpoint });

for (const audit of audits) {
  test(`${audit.id} ${audit.name}`, async () => {
    const result = await audit.fn();
    const reason = OVERRULED[audit.id];
    if (reason === undefined) assert.equal(result.status, 'ok', result.reason);
    else assert.notEqual(result.status, 'ok', `passes, so take it from OVERRULED: ${reason}`);
  });
}

test('only what servers MAY do is overruled', () => {
  const named = audits.filter((audit) => audit.id in OVERRULED);
  assert.equal(named.length, Object.keys(OVERRULED).length, 'OVERRULED names an audit twice or none');
  for (const audit of named) assert.match(audit.name, /^MAY /);
  const count = (word) => audits.filter((audit) => audit.name.startsWith(`${word} `)).length;
  assert.deepEqual([count('MUST'), count('SHOULD'), count('MAY')], [13, 23, 25]);
});
