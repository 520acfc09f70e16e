-- When pipelines begin by the clock.
create table ci_schedules (
    id identity,
    project_id bigint not null references projects (id) on delete cascade,
    owner_id bigint references users (id) on delete set null,   -- whose rights it has
    description text not null,
    ref text not null,                  -- a branch or tag by its whole name
    cron text not null,
    cron_timezone text not null,
    active boolean not null,
    next_run_at timestamptz,            -- null: never
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create index ci_schedules_by_project on ci_schedules (project_id, id);
create index ci_schedules_by_owner on ci_schedules (owner_id);

create table ci_schedule_variables (
    id identity,
    schedule_id bigint not null references ci_schedules (id) on delete cascade,
    key text not null,
    sealed_value text not null,
    variable_type text not null,        -- env_var, file
    raw boolean not null
);
create unique index ci_schedule_variables_once on ci_schedule_variables (schedule_id, key);

-- The schedule that began a pipeline.
alter table ci_pipelines add column schedule_id bigint references ci_schedules (id)
    on delete set null;
create index ci_pipelines_by_schedule on ci_pipelines (schedule_id, id);
