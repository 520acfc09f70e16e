-- Moves of repositories between storages: whose, from where to where, and how far each is.
create table repository_storage_moves (
    id identity,
    kind text not null,                 -- project (code and wiki), group (its wiki), snippet
    project_id bigint references projects (id) on delete cascade,
    group_id bigint references namespaces (id) on delete cascade,
    snippet_id bigint references snippets (id) on delete cascade,
    state text not null,
    source text not null,               -- names of storages
    destination text not null,
    is_dispatched boolean not null,     -- a job was given it
    bytes_done bigint not null,
    bytes_total bigint not null,
    read_only_at timestamptz,           -- nothing is written since then, until it ends
    read_only_ms bigint,                -- how long that was
    error text,
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create index repository_storage_moves_by_kind on repository_storage_moves (kind, id);
create index repository_storage_moves_by_state on repository_storage_moves (state, id);
create index repository_storage_moves_by_project on repository_storage_moves (project_id, id);
create index repository_storage_moves_by_group on repository_storage_moves (group_id, id);
create index repository_storage_moves_by_snippet on repository_storage_moves (snippet_id, id);
create unique index repository_storage_moves_of_project on repository_storage_moves (project_id)
    where state in ('initial', 'scheduled', 'started', 'replicated');
create unique index repository_storage_moves_of_group on repository_storage_moves (group_id)
    where state in ('initial', 'scheduled', 'started', 'replicated');
create unique index repository_storage_moves_of_snippet on repository_storage_moves (snippet_id)
    where state in ('initial', 'scheduled', 'started', 'replicated');

-- Nothing may be written to it since then: a move of it is about to end.
alter table repositories add column read_only_at timestamptz;
create index repositories_by_storage on repositories (storage, id);

-- The same files in the other storage while it is moved: where it goes to, then where it was.
alter table repository_packs add column other_pack_key text references blobs (key) on delete restrict;
alter table repository_packs add column other_index_key text references blobs (key) on delete restrict;
create index repository_packs_by_other_pack on repository_packs (other_pack_key);
create index repository_packs_by_other_index on repository_packs (other_index_key);
