-- Queries that an operator lets everybody ask where no others may be.
create table graphql_allowed_queries (
    id identity,
    name text not null,
    sha256 text not null,               -- of the query, in hex
    query text not null,
    created_by_id bigint references users (id) on delete set null,
    created_at timestamptz not null
);
create unique index graphql_allowed_queries_sha256 on graphql_allowed_queries (sha256);
create index graphql_allowed_queries_by_created_by on graphql_allowed_queries (created_by_id);

-- Who still uses which deprecated member of GraphQL.
create table graphql_deprecated_uses (
    member text not null,
    user_id bigint not null references users (id) on delete cascade,
    uses bigint not null,
    last_used_at timestamptz not null,
    reason text not null,
    replacement text,
    removed_in text,
    primary key (member, user_id)
);
create index graphql_deprecated_uses_by_user on graphql_deprecated_uses (user_id);

-- Until when an administrator's session has an administrator's rights, where
-- admin mode is asked for.
alter table sessions add column admin_until timestamptz;
