// graphql-yoga as a server to measure beside tenon: one user in memory, who
// is found by a bearer token.
//
//   node graphql_yoga.mjs PORT
//
// prints one line of JSON when it listens.
import { createServer } from "node:http";
import { createSchema, createYoga } from "graphql-yoga";

const port = Number(process.argv[2]);
const users = new Map([["bench", { name: "Bench" }]]);

const yoga = createYoga({
  schema: createSchema({
    typeDefs: "type User { name: String! } type Query { currentUser: User }",
    resolvers: { Query: { currentUser: (_, __, context) => context.user } },
  }),
  context: ({ request }) => {
    const [, token] = (request.headers.get("authorization") ?? "").split(" ");
    return { user: users.get(token) };
  },
  graphiql: false,
  landingPage: false,
  logging: false,
});
createServer(yoga).listen(port, "127.0.0.1", () => console.log(JSON.stringify({ port })));
