-- What runners do with jobs: which token they know it by, what they wrote, what they
-- brought.

-- Of the token that its runner has, kept when the job has ended: what it is told then.
alter table ci_jobs add column runner_token_digest bytea;
-- What of a job is masked in its log is known from its start on; sealed.
alter table ci_jobs add column sealed_masks text;
-- Which machine of the runner has it.
alter table ci_jobs add column system_id text;
-- Seconds that it may take, by what its project and its runner say.
alter table ci_jobs add column effective_timeout bigint;
-- Bytes of its log.
alter table ci_jobs add column trace_size bigint not null default 0;

create index ci_jobs_queued on ci_jobs (queued_at) where status = 'pending' and kind = 'build';
create index ci_jobs_running on ci_jobs (project_id) where status = 'running';

-- The log of a job, in pieces as they came; the first begins at 0.
create table ci_trace_chunks (
    job_id bigint not null references ci_jobs (id) on delete cascade,
    begins bigint not null,
    bytes bytea not null
);
create unique index ci_trace_chunks_once on ci_trace_chunks (job_id, begins);

-- Files that jobs leave.
create table ci_artifacts (
    id identity,
    job_id bigint not null references ci_jobs (id) on delete cascade,
    project_id bigint not null references projects (id) on delete cascade,
    file_type text not null,            -- archive, metadata, junit, dotenv, ...
    file_format text not null,          -- zip, gzip, raw
    file_name text not null,
    size bigint not null,
    sha256 text not null,
    blob_key text not null references blobs (key) on delete restrict,
    expires_at timestamptz,
    created_at timestamptz not null
);
create unique index ci_artifacts_once on ci_artifacts (job_id, file_type);
create index ci_artifacts_by_project on ci_artifacts (project_id);
create index ci_artifacts_by_blob on ci_artifacts (blob_key);
create index ci_artifacts_expiring on ci_artifacts (expires_at);
