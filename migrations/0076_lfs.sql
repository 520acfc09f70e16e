-- Large files (git LFS): what a project has of them, and who is at work on which path.
create table lfs_objects (
    project_id bigint not null references projects (id) on delete cascade,
    oid text not null,                  -- SHA-256 of its bytes, 64 hexadecimal digits
    size bigint not null,
    blob_key text not null references blobs (key) on delete restrict,
    created_at timestamptz not null,
    primary key (project_id, oid)
);
create index lfs_objects_by_blob on lfs_objects (blob_key);

create table lfs_locks (
    id identity,
    project_id bigint not null references projects (id) on delete cascade,
    path text not null,
    user_id bigint not null references users (id) on delete cascade,
    locked_at timestamptz not null
);
create unique index lfs_locks_once on lfs_locks (project_id, path);
create index lfs_locks_by_user on lfs_locks (user_id);

alter table projects add column lfs_enabled boolean not null default true;
