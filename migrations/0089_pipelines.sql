-- What is run for a commit, and its jobs.
create table ci_pipelines (
    id identity,
    project_id bigint not null references projects (id) on delete cascade,
    iid bigint not null,
    source text not null,               -- push, web, api, schedule, trigger, ...
    status text not null,
    ref text not null,                  -- the name of a branch or tag, or refs/merge-requests/...
    tag boolean not null,
    sha text not null,
    before_sha text not null,
    protected boolean not null,         -- its branch or tag was when it began
    user_id bigint references users (id) on delete set null,
    name text,
    config_source text not null,        -- where its file came from
    yaml_errors text,
    failure_reason text,                -- config_error, ...
    auto_cancel jsonb not null,         -- what a newer commit and a failed job do to it
    auto_canceled_by_id bigint,         -- the pipeline that took its place
    parent_pipeline_id bigint references ci_pipelines (id) on delete cascade,
    depth bigint not null,              -- how many pipelines of its project stand above it
    duration bigint,                    -- seconds in which at least one of its jobs ran
    created_at timestamptz not null,
    updated_at timestamptz not null,
    started_at timestamptz,
    finished_at timestamptz,
    committed_at timestamptz
);
create unique index ci_pipelines_once on ci_pipelines (project_id, iid);
create index ci_pipelines_by_ref on ci_pipelines (project_id, ref, id);
create index ci_pipelines_by_sha on ci_pipelines (project_id, sha, id);
create index ci_pipelines_by_status on ci_pipelines (project_id, status, id);
create index ci_pipelines_listed on ci_pipelines (project_id, id);
create index ci_pipelines_by_user on ci_pipelines (user_id);
create index ci_pipelines_by_parent on ci_pipelines (parent_pipeline_id);

-- The number of the latest pipeline of a project; those that went are not given again.
create table ci_pipeline_numbers (
    project_id bigint not null references projects (id) on delete cascade,
    latest bigint not null
);
create unique index ci_pipeline_numbers_once on ci_pipeline_numbers (project_id);

-- Given by who started a pipeline.
create table ci_pipeline_variables (
    id identity,
    pipeline_id bigint not null references ci_pipelines (id) on delete cascade,
    key text not null,
    sealed_value text not null,
    variable_type text not null,        -- env_var, file
    raw boolean not null
);
create unique index ci_pipeline_variables_once on ci_pipeline_variables (pipeline_id, key);

-- Names of which one job at a time runs.
create table ci_resource_groups (
    id identity,
    project_id bigint not null references projects (id) on delete cascade,
    key text not null,
    process_mode text not null,         -- unordered, oldest_first, newest_first, ...
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create unique index ci_resource_groups_once on ci_resource_groups (project_id, key);

create table ci_jobs (
    id identity,
    project_id bigint not null references projects (id) on delete cascade,
    pipeline_id bigint not null references ci_pipelines (id) on delete cascade,
    kind text not null,                 -- build, bridge, external
    name text not null,
    stage text not null,
    stage_index bigint not null,
    position bigint not null,           -- among the jobs of its pipeline
    status text not null,
    run_when text not null,             -- on_success, on_failure, always, manual, delayed
    start_in bigint,                    -- seconds that a delayed one waits
    allow_failure boolean not null,
    retried boolean not null,           -- another took its place
    attempt bigint not null,            -- how many it took the place of
    needs_mode boolean not null,        -- waits for what it needs, not for earlier stages
    protected boolean not null,
    interruptible boolean not null,
    user_id bigint references users (id) on delete set null,
    tags jsonb not null,
    queue_key text not null,            -- what a runner must be able to do: protected, tags
    runner_id bigint,                   -- may be gone
    cancels_gently boolean not null default false,  -- its runner cleans up when it is canceled
    token_digest bytea,
    timeout bigint,                     -- seconds; null as the project has it
    environment text,
    resource_group_id bigint references ci_resource_groups (id) on delete set null,
    failure_reason text,
    exit_code bigint,
    coverage double precision,
    downstream_pipeline_id bigint references ci_pipelines (id) on delete set null,
    definition jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    scheduled_at timestamptz,           -- when a delayed one starts
    queued_at timestamptz,
    started_at timestamptz,
    finished_at timestamptz,
    erased_at timestamptz,
    contacted_at timestamptz            -- its runner said something of it
);
create index ci_jobs_by_pipeline on ci_jobs (pipeline_id, id);
create index ci_jobs_by_project on ci_jobs (project_id, id);
create index ci_jobs_by_user on ci_jobs (user_id);
create index ci_jobs_by_runner on ci_jobs (runner_id, id);
create index ci_jobs_by_downstream on ci_jobs (downstream_pipeline_id);
create index ci_jobs_by_resource on ci_jobs (resource_group_id, status);
create unique index ci_jobs_token on ci_jobs (token_digest) where token_digest is not null;
create unique index ci_jobs_latest on ci_jobs (pipeline_id, name) where not retried;
-- The queue: what waits for a runner, by what the runner must be able to do.
create index ci_jobs_pending on ci_jobs (queue_key, project_id, id)
    where status = 'pending' and kind = 'build';
-- What the sweeps look at.
create index ci_jobs_unfinished on ci_jobs (status, updated_at)
    where status in ('pending', 'running', 'canceling', 'scheduled', 'waiting_for_resource');

-- The jobs of its pipeline that a job waits for, by name: a retried one counts no more.
create table ci_job_needs (
    job_id bigint not null references ci_jobs (id) on delete cascade,
    name text not null,
    artifacts boolean not null,
    optional boolean not null
);
create unique index ci_job_needs_once on ci_job_needs (job_id, name);

-- Given to one job: by who started it, or by a report of an earlier job.
create table ci_job_variables (
    id identity,
    job_id bigint not null references ci_jobs (id) on delete cascade,
    origin text not null,               -- manual, dotenv
    key text not null,
    sealed_value text not null,
    variable_type text not null,        -- env_var, file
    raw boolean not null
);
create unique index ci_job_variables_once on ci_job_variables (job_id, origin, key);
