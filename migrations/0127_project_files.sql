-- Files of projects that are written here: at most one of a project at a time.
create table project_exports (
    id identity,
    project_id bigint not null references projects (id) on delete cascade,
    user_id bigint not null references users (id) on delete cascade,    -- who asked
    status text not null,               -- queued, started, finished, failed
    tries bigint not null,              -- how often it could not be written
    description text,                   -- in place of the project's own
    sealed_target text,                 -- where it is sent, too, until it was
    problem text,                       -- why it failed, or was not sent
    objects bigint not null,            -- how many are written
    file_name text,
    size bigint,
    sha256 text,
    blob_key text references blobs (key) on delete restrict,
    created_at timestamptz not null,
    finished_at timestamptz,
    expires_at timestamptz not null
);
create unique index project_exports_unfinished on project_exports (project_id)
    where status in ('queued', 'started');
create index project_exports_by_project on project_exports (project_id, id);
create index project_exports_by_user on project_exports (user_id);
create index project_exports_by_blob on project_exports (blob_key);
create index project_exports_expiring on project_exports (expires_at);

-- Files that came, until all of them is brought.
create table project_files (
    id identity,
    project_id bigint not null references projects (id) on delete cascade,
    sealed_origin text,                 -- where it is fetched, until it came
    overrides jsonb not null,           -- settings in place of those in the file
    default_branch text,                -- as the file says
    blob_key text references blobs (key) on delete restrict,
    unpacked_at timestamptz,
    created_at timestamptz not null
);
create index project_files_by_project on project_files (project_id, id);
create index project_files_by_blob on project_files (blob_key);
create index project_files_by_age on project_files (created_at);

-- What was in them.
create table project_file_members (
    file_id bigint not null references project_files (id) on delete cascade,
    name text not null,
    size bigint not null,
    blob_key text not null references blobs (key) on delete restrict,
    local_id bigint                     -- of what came of it, where nothing else tells
);
create unique index project_file_members_named on project_file_members (file_id, name);
create index project_file_members_by_blob on project_file_members (blob_key);

-- Parts of files that are brought into projects that are there: each is an import for itself.
create table relation_imports (
    id identity,
    project_id bigint not null references projects (id) on delete cascade,
    user_id bigint not null references users (id) on delete cascade,    -- who asked
    relation text not null,             -- issues, milestones, ci_pipelines, merge_requests
    status text not null,               -- created, started, finished, failed
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create index relation_imports_by_project on relation_imports (project_id, id);
create index relation_imports_by_user on relation_imports (user_id);
