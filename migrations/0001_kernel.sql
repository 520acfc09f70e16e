-- Settings of the instance, one JSON value per key.
create table settings (
    key text primary key,
    value jsonb not null,
    updated_at timestamptz not null
);

create table audit_records (
    id identity,
    author_id bigint,
    action text not null,
    target_type text not null,
    target_id bigint not null,
    target_name text not null,
    details jsonb not null,
    ip_address text,
    created_at timestamptz not null
);
create index audit_records_by_target on audit_records (target_type, target_id, id);
create index audit_records_by_author on audit_records (author_id, id);

-- states: queued, running, failed (dead letter); finished jobs are deleted.
create table jobs (
    id identity,
    name text not null,
    payload jsonb not null,
    state text not null,
    dedupe_key text,
    attempts bigint not null default 0,
    run_at timestamptz not null,
    lease_until timestamptz,
    leased_by text,
    progress_done bigint,
    progress_total bigint,
    last_error text,
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create index jobs_due on jobs (state, run_at, id);
create unique index jobs_dedupe on jobs (name, dedupe_key);

-- One row per blob that something refers to; blobs without a row are orphans.
create table blobs (
    key text primary key,
    size bigint not null,
    md5 text not null,
    sha1 text not null,
    sha256 text not null,
    sha512 text not null,
    created_at timestamptz not null
);

-- Counters of repeated failures that must hold across nodes (sign-in, codes).
create table attempts (
    key text primary key,
    count bigint not null,
    window_started_at timestamptz not null
);
