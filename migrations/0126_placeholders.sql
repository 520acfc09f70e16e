-- People elsewhere whose things were imported, each once for a server and a top-level group.
create table import_source_users (
    id identity,
    namespace_id bigint not null references namespaces (id) on delete cascade,  -- at the top
    source text not null,               -- provider_a, provider_b_server, provider_b_cloud, project_file
    host text not null,                 -- of the server they are known by
    source_user_id text not null,       -- theirs there
    username text not null,             -- there
    name text,                          -- there
    words_folded text not null,         -- both, to be searched
    placeholder_id bigint references users (id) on delete set null,     -- who stands for them
    user_id bigint references users (id) on delete set null,            -- who they are, or are asked whether they are
    reassigned_by_id bigint references users (id) on delete set null,
    status text not null,               -- pending_reassignment, awaiting_approval, …
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create unique index import_source_users_once on import_source_users
    (namespace_id, source, host, source_user_id);
create index import_source_users_by_placeholder on import_source_users (placeholder_id);
create index import_source_users_by_user on import_source_users (user_id, status, id);
create index import_source_users_by_reassigner on import_source_users (reassigned_by_id);

-- What issues and merge requests came from: provider_a, …; null of those that are from here.
alter table issues add column imported_from text;
alter table merge_requests add column imported_from text;

-- Who stands for people elsewhere that have no placeholder.
create unique index users_import_user on users (kind) where kind = 'import_user';
