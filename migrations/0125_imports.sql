-- Projects that are brought from elsewhere: one row for each that was, the last time, and one
-- for each part that was brought into one.
create table imports (
    id identity,
    project_id bigint not null references projects (id) on delete cascade,
    relation text,                      -- the part that is brought; all without one
    source text not null,               -- provider_a, provider_b_server, provider_b_cloud, project_file
    host text not null,                 -- of the server it comes from
    user_id bigint not null references users (id) on delete cascade,    -- who asked
    origin text not null,               -- owner/repo there
    origin_id bigint,                   -- its number there
    base_url text not null,             -- of the interface there
    upstream jsonb not null,            -- what its source noted as it began
    sealed_credentials text,            -- erased at every end
    options jsonb not null,
    user_map jsonb not null,            -- logins there with ids of users here
    status text not null,               -- scheduled, started, finished, failed, canceled
    is_live boolean not null,           -- it goes on until somebody says that it is enough
    round bigint not null,              -- how often it came through whole
    round_started_at timestamptz not null,
    synced_at timestamptz,              -- when the last whole round began
    cut_over_at timestamptz,
    stage text,                         -- where it stands, none before the first
    cursor text,
    stats jsonb not null,               -- how many of each kind were read, and came
    failures bigint not null,
    attempts bigint not null,           -- in a row, at the page where it stands
    waits_until timestamptz,
    last_error text,
    progressed_at timestamptz not null,
    correlation_id text,                -- of the request that asked
    created_at timestamptz not null,
    updated_at timestamptz not null,
    ended_at timestamptz
);
create unique index imports_of_project on imports (project_id) where relation is null;
create index imports_by_project on imports (project_id, id);
create index imports_by_user on imports (user_id);
create index imports_open on imports (progressed_at, id) where status in ('scheduled', 'started');

-- What is here already: nothing comes twice.
create table import_records (
    id identity,
    import_id bigint not null references imports (id) on delete cascade,
    kind text not null,
    key text not null,                  -- its own there among those of its kind
    number bigint,                      -- the same where it is a number
    local_id bigint not null            -- of the row here
);
create unique index import_records_once on import_records (import_id, kind, key);
create index import_records_by_number on import_records (import_id, kind, number);

-- What could not be brought.
create table import_failures (
    id identity,
    import_id bigint not null references imports (id) on delete cascade,
    stage text not null,
    kind text not null,
    key text not null,
    exception_class text not null,
    message text not null,
    object jsonb,                       -- what was to be written, where it could be read
    created_at timestamptz not null
);
create unique index import_failures_once on import_failures (import_id, kind, key);

-- Who is to be a member of a project once it is known who they are: that placeholder's person.
create table import_memberships (
    id identity,
    user_id bigint not null references users (id) on delete cascade,
    project_id bigint not null references projects (id) on delete cascade,
    access_level bigint not null,
    expires_at text,                    -- date, ends at 00:00 UTC of it
    created_by_id bigint not null references users (id) on delete cascade,  -- who asked for the import
    created_at timestamptz not null
);
create unique index import_memberships_once on import_memberships (user_id, project_id);
create index import_memberships_of_project on import_memberships (project_id);
create index import_memberships_by on import_memberships (created_by_id);
