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

-- Until when an administrator's session has an administrator's rights, where
-- admin mode is asked for.
alter table sessions add column admin_until timestamptz;
