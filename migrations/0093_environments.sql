-- Where the jobs of a project deploy to.
create table environments (
    id identity,
    project_id bigint not null references projects (id) on delete cascade,
    name text not null,
    name_folded text not null,
    slug text not null,
    description text,
    external_url text,
    tier text not null,                 -- production, staging, testing, development, other
    state text not null,                -- available, stopping, stopped
    auto_stop_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create unique index environments_named on environments (project_id, name);
create index environments_due on environments (auto_stop_at) where state = 'available';

-- The number of the latest deployment of a project; those that went are not given again.
create table deployment_numbers (
    project_id bigint not null references projects (id) on delete cascade,
    latest bigint not null
);
create unique index deployment_numbers_once on deployment_numbers (project_id);

-- What was put, or is to be put, into an environment; by a job, or by who says so.
create table deployments (
    id identity,
    project_id bigint not null references projects (id) on delete cascade,
    iid bigint not null,
    environment_id bigint not null references environments (id) on delete cascade,
    job_id bigint references ci_jobs (id) on delete set null,
    user_id bigint references users (id) on delete set null,
    ref text not null,
    tag boolean not null,
    sha text not null,
    status text not null,               -- created, running, success, failed, canceled, skipped, blocked
    on_stop text,                       -- the job of its pipeline that ends the environment
    approved_at timestamptz,            -- all who have to approve it did
    created_at timestamptz not null,
    updated_at timestamptz not null,
    finished_at timestamptz
);
create unique index deployments_once on deployments (project_id, iid);
create unique index deployments_of_job on deployments (job_id) where job_id is not null;
create index deployments_listed on deployments (environment_id, status, id);
create index deployments_by_user on deployments (user_id);

-- When nothing is to be deployed.
create table freeze_periods (
    id identity,
    project_id bigint not null references projects (id) on delete cascade,
    freeze_start text not null,         -- when one begins, as in crontabs
    freeze_end text not null,           -- when it ends
    cron_timezone text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create index freeze_periods_by_project on freeze_periods (project_id, id);
