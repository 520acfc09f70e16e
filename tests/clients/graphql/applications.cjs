// @apollo/client and @urql/core, unmodified: what applications in browsers use.

const assert = require('node:assert/strict');
const { test } = require('node:test');
const apollo = require('@apollo/client');
const { BatchHttpLink } = require('@apollo/client/link/batch-http');
const { relayStylePagination } = require('@apollo/client/utilities');
const urql = require('@urql/core');
const { endpoint, headers, projects, watched } = require('./endpoint.cjs');

const { gql } = apollo;

const WHO = gql`
  query Who {
    currentUser {
      id
      username
    }
  }
`;
const ECHO = gql`
  query Echo($text: String!) {
    echo(text: $text)
  }
`;
const ECHOES = gql`
  mutation Echoes($input: EchoCreateInput!) {
    echoCreate(input: $input) {
      clientMutationId
      echoes
      errors
    }
  }
`;
const LEAVES = gql`
  query Leaves($search: String, $first: Int, $after: String, $last: Int, $before: String) {
    projects(search: $search, first: $first, after: $after, last: $last, before: $before) {
      edges {
        cursor
        node {
          id
          fullPath
        }
      }
      pageInfo {
        hasNextPage
        hasPreviousPage
        startCursor
        endCursor
      }
    }
  }
`;

function client(link) {
  const fields = { projects: relayStylePagination(['search']) };
  const cache = new apollo.InMemoryCache({ typePolicies: { Query: { fields } } });
  return new apollo.ApolloClient({ link, cache });
}

test('@apollo/client sends what is asked at once as one batch', async () => {
  const { asked, fetch } = watched();
  const batched = client(new BatchHttpLink({ uri: endpoint, headers, fetch, batchInterval: 20 }));
  const echo = (text) => batched.query({ query: ECHO, variables: { text } });

  const answers = await Promise.all([echo('a'), batched.query({ query: WHO }), echo('b')]);

  assert.equal(answers[0].data.echo, '"root" says: a');
  assert.equal(answers[1].data.currentUser.username, 'root');
  assert.equal(answers[2].data.echo, '"root" says: b');
  assert.equal(asked.length, 1);
  assert.equal(JSON.parse(asked[0].body).length, 3);
});

test('@apollo/client fails only the entry of a batch that is wrong', async () => {
  const batched = client(new BatchHttpLink({ uri: endpoint, headers, batchInterval: 20 }));
  const nothing = gql`
    {
      nothing
    }
  `;

  const [wrong, right] = await Promise.allSettled([
    batched.query({ query: nothing }),
    batched.query({ query: WHO }),
  ]);

  assert.equal(right.value.data.currentUser.username, 'root');
  assert.ok(apollo.CombinedGraphQLErrors.is(wrong.reason), String(wrong.reason));
  assert.equal(wrong.reason.errors[0].extensions.code, 'undefinedField');
});

test('@apollo/client goes through a connection from the front', async () => {
  const wanted = await projects('oak', 5);
  const onward = (page) => (page.hasNextPage ? { after: page.endCursor } : null);
  assert.deepEqual(await everyPage({ search: 'oak-', first: 2 }, onward), wanted);
});

test('@apollo/client goes through a connection from the back', async () => {
  const wanted = await projects('elm', 5);
  const back = (page) => (page.hasPreviousPage ? { before: page.startCursor } : null);
  assert.deepEqual(await everyPage({ search: 'elm-', last: 2 }, back), wanted);
});

// What the cache holds once every page was fetched that `next` names.
async function everyPage(variables, next) {
  const reader = client(new apollo.HttpLink({ uri: endpoint, headers }));
  const first = await reader.query({ query: LEAVES, variables });
  const query = reader.watchQuery({ query: LEAVES, variables });
  const subscription = query.subscribe(() => {});
  let turn = next(first.data.projects.pageInfo);
  while (turn) {
    const more = await query.fetchMore({ variables: turn });
    turn = next(more.data.projects.pageInfo);
  }
  subscription.unsubscribe();
  return query.getCurrentResult().data.projects.edges.map((edge) => edge.node.fullPath);
}

test('@apollo/client asks by GET and changes by POST', async () => {
  const { asked, fetch } = watched();
  const link = new apollo.HttpLink({ uri: endpoint, headers, fetch, useGETForQueries: true });
  const reader = client(link);

  const found = await reader.query({ query: ECHO, variables: { text: 'a & b' } });
  const input = { clientMutationId: 'x', messages: ['a'], errors: ['no'] };
  const changed = await reader.mutate({ mutation: ECHOES, variables: { input } });

  assert.equal(found.data.echo, '"root" says: a & b');
  assert.deepEqual(changed.data.echoCreate, {
    __typename: 'EchoCreatePayload',
    clientMutationId: 'x',
    echoes: ['a'],
    errors: ['no'],
  });
  assert.deepEqual(asked.map((one) => one.method), ['GET', 'POST']);
});

test('@apollo/client tells a bad token', async () => {
  const wrong = { Authorization: 'Bearer wrong' };
  const { asked, fetch } = watched();
  const reader = client(new apollo.HttpLink({ uri: endpoint, headers: wrong, fetch }));
  await assert.rejects(reader.query({ query: WHO }), (error) => {
    assert.ok(apollo.CombinedGraphQLErrors.is(error), String(error));
    assert.equal(error.errors[0].message, 'Invalid token');
    return true;
  });
  assert.deepEqual(asked.map((one) => one.status), [401]);
});

function urqlClient(more) {
  const exchanges = [urql.cacheExchange, urql.fetchExchange];
  return new urql.Client({ url: endpoint, exchanges, fetchOptions: { headers }, ...more });
}

for (const preferGetMethod of [false, 'force']) {
  const method = preferGetMethod ? 'GET' : 'POST';
  test(`@urql/core asks by ${method} and keeps the answer`, async () => {
    const { asked, fetch } = watched();
    const reader = urqlClient({ fetch, preferGetMethod });

    const first = await reader.query(ECHO, { text: 'é' }).toPromise();
    const again = await reader.query(ECHO, { text: 'é' }).toPromise();

    assert.equal(first.error, undefined);
    assert.equal(first.data.echo, '"root" says: é');
    assert.deepEqual(again.data, first.data);
    assert.deepEqual(asked.map((one) => one.method), [method]);
  });
}

test('@urql/core changes and shows errors', async () => {
  const reader = urqlClient({ preferGetMethod: 'force' });
  const changed = await reader.mutation(ECHOES, { input: { messages: ['a'] } }).toPromise();
  assert.equal(changed.error, undefined);
  assert.deepEqual(changed.data.echoCreate.echoes, ['a']);

  const wrong = await reader.query('{ nothing }', {}).toPromise();
  assert.equal(wrong.error.graphQLErrors[0].message, "Field 'nothing' doesn't exist on type 'Query'");
  const partly = await reader.query(LEAVES, { first: 1, last: 1 }).toPromise();
  assert.deepEqual(partly.error.graphQLErrors[0].path, ['projects']);
  assert.equal(partly.data.projects, null);
});

test('@urql/core tells a bad token', async () => {
  const reader = urqlClient({ fetchOptions: { headers: { Authorization: 'Bearer wrong' } } });
  const refused = await reader.query(WHO, {}).toPromise();
  assert.equal(refused.error.response.status, 401);
});
