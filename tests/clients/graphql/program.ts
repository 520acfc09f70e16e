// A program over the types that graphql-codegen makes of operations.graphql.

import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { print } from 'graphql';
import { EchoesDocument, LeavesDocument, WhoDocument } from './types.js';

declare const process: { env: Record<string, string> };

async function run<Result, Variables>(
  document: TypedDocumentNode<Result, Variables>,
  variables: Variables,
): Promise<Result> {
  const answer = await fetch(`${process.env.TENON_URL}/api/graphql`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${process.env.TENON_TOKEN}`,
    },
    body: JSON.stringify({ query: print(document), variables }),
  });
  const { data, errors } = (await answer.json()) as { data: Result; errors?: unknown };
  if (errors !== undefined) throw new Error(JSON.stringify(errors));
  return data;
}

async function main(): Promise<void> {
  const { currentUser } = await run(WhoDocument, {});
  const username: string = currentUser!.username;
  const state: 'active' | 'blocked' | 'deactivated' = currentUser!.state;
  // @ts-expect-error A name is no number, and the types know it.
  const wrong: number = currentUser!.username;

  const paths: string[] = [];
  for (let after: string | null = null, more = true; more; ) {
    const leaves: { hasNextPage: boolean; endCursor: string | null } = await page(after, paths);
    [after, more] = [leaves.endCursor, leaves.hasNextPage];
  }

  // @ts-expect-error The search must be given.
  const unsearched = () => run(LeavesDocument, { first: 1 });
  const changed = await run(EchoesDocument, { input: { messages: ['a'], errors: ['no'] } });
  console.log(JSON.stringify({ username, state, paths, changed: changed.echoCreate }));
}

async function page(after: string | null, paths: string[]) {
  const { projects } = await run(LeavesDocument, { search: 'fir-', first: 2, after });
  for (const project of projects!.nodes!) paths.push(project!.fullPath);
  return projects!.pageInfo;
}

main();
