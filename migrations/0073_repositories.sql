-- Git repositories: what their refs point at, and the packs that hold their objects.
create table repositories (
    id identity,
    kind text not null,                 -- project, wiki
    project_id bigint references projects (id) on delete cascade,
    group_id bigint references namespaces (id) on delete cascade,
    storage text not null,              -- the name of the place of its packs
    head text not null,                 -- the ref that HEAD stands for
    generation bigint not null,         -- counts changes of refs and packs
    epoch bigint not null,              -- counts removals of objects
    size bigint not null,               -- bytes of the packs in use
    pushed_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    check ((project_id is null) <> (group_id is null))
);
create unique index repositories_of_project on repositories (project_id, kind);
create unique index repositories_of_group on repositories (group_id, kind);

create table repository_refs (
    repository_id bigint not null references repositories (id) on delete cascade,
    name text not null,                 -- whole: refs/heads/main
    object_id text not null,            -- 40 hexadecimal digits
    peeled_id text,                     -- what an annotated tag leads to
    primary key (repository_id, name)
);

create table repository_packs (
    id identity,
    repository_id bigint not null references repositories (id) on delete cascade,
    name text not null,                 -- the digest that git names its files by
    pack_key text not null references blobs (key) on delete restrict,
    index_key text not null references blobs (key) on delete restrict,
    pack_size bigint not null,
    index_size bigint not null,
    created_at timestamptz not null,
    retired_at timestamptz              -- others hold its objects since then
);
create unique index repository_packs_once on repository_packs (repository_id, name);
create index repository_packs_retired on repository_packs (retired_at, id);
create index repository_packs_by_pack on repository_packs (pack_key);
create index repository_packs_by_index on repository_packs (index_key);
