-- Errors that SDKs report, grouped.

-- Whether a project receives errors itself (integrated) or shows those of a
-- tracker elsewhere, whose address and sealed token are kept.
create table error_tracking_settings (
    project_id bigint primary key references projects (id) on delete cascade,
    active boolean not null,
    integrated boolean not null,
    api_url text,
    sealed_token text,
    external_name text,                 -- what the tracker elsewhere calls the project
    created_at timestamptz not null,
    updated_at timestamptz not null
);

-- Public by their nature: they stand in programs that anybody may read.
create table error_tracking_client_keys (
    id identity,
    project_id bigint not null references projects (id) on delete cascade,
    public_key text not null,
    active boolean not null,
    created_at timestamptz not null
);
create unique index error_tracking_client_keys_once on error_tracking_client_keys (public_key);
create index error_tracking_client_keys_by_project on error_tracking_client_keys (project_id, id);

create table error_tracking_errors (
    id identity,
    project_id bigint not null references projects (id) on delete cascade,
    fingerprint text not null,          -- what makes events one error, as hex
    name text not null,
    description text not null,
    actor text not null,
    platform text not null,
    level text not null,
    logger text not null,
    folded text not null,               -- name, description and actor, for search
    status text not null,               -- unresolved, resolved, ignored
    events_count bigint not null,
    users_count bigint not null,
    first_release text not null,
    last_release text not null,
    first_seen_at timestamptz not null,
    last_seen_at timestamptz not null,
    regressed_at timestamptz            -- when it came back after it was resolved
);
create unique index error_tracking_errors_once on error_tracking_errors (project_id, fingerprint);
create index error_tracking_errors_by_last_seen
    on error_tracking_errors (project_id, status, last_seen_at, id);
create index error_tracking_errors_by_first_seen
    on error_tracking_errors (project_id, status, first_seen_at, id);
create index error_tracking_errors_by_frequency
    on error_tracking_errors (project_id, status, events_count, id);
create index error_tracking_errors_by_age on error_tracking_errors (last_seen_at, id);

create table error_tracking_events (
    id identity,
    project_id bigint not null references projects (id) on delete cascade,
    error_id bigint not null references error_tracking_errors (id) on delete cascade,
    event_id text not null,             -- 32 hex digits, set by the client
    level text not null,
    environment text not null,
    release text not null,
    occurred_at timestamptz not null,   -- as the client says, within reason
    received_at timestamptz not null,
    payload bytea not null              -- what was sent, as zlib
);
create unique index error_tracking_events_once on error_tracking_events (project_id, event_id);
create index error_tracking_events_by_error on error_tracking_events (error_id, id);
create index error_tracking_events_by_age on error_tracking_events (received_at, id);

-- Events of each error by hour, so that charts count nothing.
create table error_tracking_hours (
    error_id bigint not null references error_tracking_errors (id) on delete cascade,
    began_at timestamptz not null,
    events_count bigint not null,
    primary key (error_id, began_at)
);
create index error_tracking_hours_by_age on error_tracking_hours (began_at);

-- Whom an error happened to: digests, since only their number is shown.
create table error_tracking_users (
    error_id bigint not null references error_tracking_errors (id) on delete cascade,
    identity text not null,
    primary key (error_id, identity)
);

-- What a project received in the present windows.
create table error_tracking_quotas (
    project_id bigint primary key references projects (id) on delete cascade,
    short_from timestamptz not null,
    short_count bigint not null,
    long_from timestamptz not null,
    long_count bigint not null
);

-- What clients say they dropped.
create table error_tracking_drops (
    project_id bigint not null references projects (id) on delete cascade,
    reason text not null,
    category text not null,
    quantity bigint not null,
    primary key (project_id, reason, category)
);
