// relay-compiler, graphql-codegen with the TypeScript compiler, and
// graphql-inspector, unmodified: what teams run over the schema.

const assert = require('node:assert/strict');
const { execFileSync, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { after, test } = require('node:test');
const graphql = require('graphql');
const { endpoint, headers, projects } = require('./endpoint.cjs');

const checkedIn = path.resolve('schema.graphql');
const modules = process.env.NODE_PATH;
const workshop = fs.mkdtempSync(path.join(os.tmpdir(), 'compilers-'));
// The compilers look for packages beside what they compile.
fs.symlinkSync(modules, path.join(workshop, 'node_modules'));

after(() => fs.rmSync(workshop, { recursive: true }));

function program(name) {
  return path.join(modules, '.bin', name);
}

// A file of the workshop.
function written(name, content) {
  const file = path.join(workshop, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

async function ask(query, variables = {}, more = {}) {
  const answer = await fetch(`${endpoint}${more.flag ?? ''}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(more.headers ?? headers) },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = await answer.json();
  assert.equal(errors, undefined, `${query}: ${JSON.stringify(errors)}`);
  return data;
}

const COMPONENT = `
import { graphql } from 'relay-runtime';

graphql\`
  query LeavesQuery($search: String!, $count: Int!, $cursor: String) {
    currentUser {
      ...Leaves_person
    }
    ...Leaves_page
  }
\`;

graphql\`
  fragment Leaves_person on User {
    username
    ... on CurrentUser {
      publicEmail
    }
  }
\`;

graphql\`
  fragment Leaves_page on Query @refetchable(queryName: "LeavesPageQuery") {
    projects(search: $search, first: $count, after: $cursor) @connection(key: "Leaves_projects") {
      edges {
        node {
          fullPath
        }
      }
    }
  }
\`;

graphql\`
  fragment Leaves_project on Project @refetchable(queryName: "LeavesProjectQuery") {
    name
  }
\`;

graphql\`
  mutation LeavesEchoMutation($input: EchoCreateInput!) {
    echoCreate(input: $input) {
      echoes
    }
  }
\`;
`;

test('relay-compiler compiles against the SDL, and the server runs what it made', async () => {
  const wanted = await projects('yew', 3);
  written('relay/Leaves.js', COMPONENT);
  fs.copyFileSync(checkedIn, path.join(workshop, 'schema.graphql'));
  written('relay.config.json', {
    src: './relay',
    schema: './schema.graphql',
    language: 'javascript',
    eagerEsModules: false,
  });
  execFileSync(program('relay-compiler'), ['relay.config.json'], { cwd: workshop });

  const made = (name) =>
    require(path.join(workshop, 'relay/__generated__', `${name}.graphql.js`)).params.text;
  const search = { search: 'yew-', count: 2 };
  const first = await ask(made('LeavesQuery'), search);
  assert.equal(first.currentUser.username, 'root');
  const { edges, pageInfo } = first.projects;
  assert.deepEqual(edges.map((edge) => edge.node.fullPath), wanted.slice(0, 2));
  const more = await ask(made('LeavesPageQuery'), { ...search, cursor: pageInfo.endCursor });
  assert.deepEqual(more.projects.edges.map((edge) => edge.node.fullPath), wanted.slice(2));
  // What implements Node is read again by its id.
  const { nodes } = (await ask('{ projects(search: "yew-", first: 1) { nodes { id name } } }')).projects;
  const again = await ask(made('LeavesProjectQuery'), { id: nodes[0].id });
  assert.equal(again.node.name, nodes[0].name);
  const input = { messages: ['a'] };
  const changed = await ask(made('LeavesEchoMutation'), { input });
  assert.deepEqual(changed.echoCreate.echoes, ['a']);
});

// Types of operations, and beside them in `schema.ts` those of the schema.
function generate(documents, into) {
  const config = written(`${into}/codegen.json`, {
    schema: [{ [endpoint]: { headers } }],
    documents,
    // Orders are told apart by their case: `created_asc` stands beside `CREATED_ASC`.
    config: { namingConvention: { enumValues: 'keep' } },
    generates: {
      [`${into}/types.ts`]: { plugins: ['typescript-operations', 'typed-document-node'] },
      [`${into}/schema.ts`]: { plugins: ['typescript'] },
    },
  });
  execFileSync(program('graphql-codegen-cjs'), ['--config', config], { cwd: workshop });
}

function compile(files, ...options) {
  const strict = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--types', ''];
  const compiled = spawnSync(program('tsc'), [...strict, ...options, ...files], { cwd: workshop });
  assert.equal(compiled.status, 0, String(compiled.stdout));
}

test('graphql-codegen makes types of operations, and a program over them runs', async () => {
  const wanted = await projects('fir', 3);
  generate(path.join(__dirname, 'operations.graphql'), 'typed');
  written('typed/program.ts', fs.readFileSync(path.join(__dirname, 'program.ts'), 'utf8'));
  compile(['typed/program.ts'], '--outDir', 'typed', '--lib', 'es2022,dom');
  const said = execFileSync(process.execPath, [path.join(workshop, 'typed/program.js')]);
  assert.deepEqual(JSON.parse(said), {
    username: 'root',
    state: 'active',
    paths: wanted.reverse(),
    changed: { echoes: ['a'], errors: ['no'] },
  });
});

test('graphql-codegen makes types of every query and mutation', () => {
  const schema = graphql.buildSchema(fs.readFileSync(checkedIn, 'utf8'));
  const documents = ['Query', 'Mutation'].flatMap((root) =>
    Object.values(schema.getType(root).getFields()).map((field) => operation(schema, root, field)),
  );
  written('every/operations.graphql', documents.join('\n'));
  generate('every/operations.graphql', 'every');
  compile(['every/types.ts', 'every/schema.ts'], '--noEmit');
});

// An operation that asks for all of a field, two levels deep.
function operation(schema, root, field) {
  // Clients that do not ask for deprecated arguments are not told of them.
  const args = field.args.filter((one) => !one.deprecationReason);
  const declared = args.map((one) => `$${one.name}: ${one.type}`).join(', ');
  const given = args.map((one) => `${one.name}: $${one.name}`).join(', ');
  const name = `${root}${field.name}`;
  const selections = selected(schema, graphql.getNamedType(field.type), 2);
  const asked = `${field.name}${given && `(${given})`} ${selections}`;
  return `${root.toLowerCase()} ${name}${declared && `(${declared})`} { ${asked} }`;
}

// The fields of a type that need no argument; those of each concrete type of
// an abstract one under a name of their own, since they may differ in type.
function selected(schema, type, depth, prefix) {
  if (graphql.isLeafType(type)) return '';
  const own = graphql.isUnionType(type) ? [] : Object.values(type.getFields());
  const parts = own.map((field) => {
    const named = graphql.getNamedType(field.type);
    const needy = field.args.some(graphql.isRequiredArgument);
    if (needy || (depth <= 0 && !graphql.isLeafType(named))) return '';
    const name = prefix ? `${prefix}_${field.name}: ${field.name}` : field.name;
    return `${name} ${selected(schema, named, depth - 1)}`;
  });
  const concrete = graphql.isAbstractType(type) ? schema.getPossibleTypes(type) : [];
  const spreads = concrete.map(
    (one) => `... on ${one.name} ${selected(schema, one, depth - 1, one.name)}`,
  );
  return `{ __typename ${parts.join(' ')} ${spreads.join(' ')} }`;
}

for (const [who, sent] of [['strangers', {}], ['users', headers]]) {
  test(`${who} are told the schema that is checked in`, async () => {
    const query = graphql.getIntrospectionQuery({ inputValueDeprecation: true });
    const told = await ask(query, {}, { headers: sent });
    const served = graphql.buildClientSchema(told);
    const known = graphql.buildSchema(fs.readFileSync(checkedIn, 'utf8'));
    assert.equal(printed(served), printed(known));
  });
}

// Without directives of the SDL, which introspection does not tell, and
// without descriptions of their arguments.
function printed(schema) {
  const config = schema.toConfig();
  const bare = new graphql.GraphQLSchema({ ...config, directives: [] });
  return graphql.printSchema(graphql.lexicographicSortSchema(bare));
}

test('the schema without deprecated members is whole', async () => {
  const query = graphql.getIntrospectionQuery({ inputValueDeprecation: true });
  const told = await ask(query, {}, { flag: '?remove_deprecated=true' });
  graphql.assertValidSchema(graphql.buildClientSchema(told));
  assert.ok(!JSON.stringify(told).includes('"isDeprecated":true'));
});

function inspected(old, young) {
  const { status, stdout } = spawnSync(program('graphql-inspector'), ['diff', old, young]);
  return { status, said: String(stdout) };
}

test('graphql-inspector sees no change where there is none', () => {
  const { status, said } = inspected(checkedIn, checkedIn);
  assert.equal(status, 0, said);
  assert.match(said, /No changes detected/);
});

test('graphql-inspector sees that a field is gone', () => {
  const text = fs.readFileSync(checkedIn, 'utf8');
  const without = graphql.visit(graphql.parse(text), {
    FieldDefinition: (node, _, __, ___, ancestors) =>
      node.name.value === 'username' && ancestors.at(-2)?.name?.value !== 'Query' ? null : undefined,
  });
  const { status, said } = inspected(checkedIn, written('gone.graphql', graphql.print(without)));
  assert.notEqual(status, 0, said);
  assert.match(said, /Field username was removed from object type CurrentUser/);
});
