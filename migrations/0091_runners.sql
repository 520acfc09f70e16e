-- Who runs jobs: of the instance, of a group, or of projects.
create table ci_runners (
    id identity,
    runner_type text not null,          -- instance_type, group_type, project_type
    group_id bigint references namespaces (id) on delete cascade,
    token_digest bytea not null,
    short_token text not null,          -- the beginning of the token, which tells runners apart
    description text,
    maintenance_note text,
    tags text not null,                 -- each between commas: ,linux,rust,
    run_untagged boolean not null,
    locked boolean not null,            -- takes no further projects
    paused boolean not null,
    access_level text not null,         -- not_protected, ref_protected
    maximum_timeout bigint,             -- seconds
    creator_id bigint references users (id) on delete set null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    contacted_at timestamptz
);
create unique index ci_runners_token on ci_runners (token_digest);
create index ci_runners_by_group on ci_runners (group_id);
create index ci_runners_by_creator on ci_runners (creator_id);
create index ci_runners_by_type on ci_runners (runner_type, id);

-- The projects of a project runner; the first is its own.
create table ci_runner_projects (
    id identity,
    runner_id bigint not null references ci_runners (id) on delete cascade,
    project_id bigint not null references projects (id) on delete cascade
);
create unique index ci_runner_projects_once on ci_runner_projects (runner_id, project_id);
create index ci_runner_projects_by_project on ci_runner_projects (project_id);

-- The machines that use a runner's token.
create table ci_runner_managers (
    id identity,
    runner_id bigint not null references ci_runners (id) on delete cascade,
    system_id text not null,
    version text,
    revision text,
    platform text,
    architecture text,
    executor text,
    ip_address text,
    created_at timestamptz not null,
    contacted_at timestamptz
);
create unique index ci_runner_managers_once on ci_runner_managers (runner_id, system_id);

-- What runners register with by the old way; where both are null, with the instance.
create table ci_registration_tokens (
    id identity,
    project_id bigint references projects (id) on delete cascade,
    group_id bigint references namespaces (id) on delete cascade,
    token_digest bytea not null,
    created_at timestamptz not null
);
create unique index ci_registration_tokens_digest on ci_registration_tokens (token_digest);
create unique index ci_registration_tokens_of_project on ci_registration_tokens (project_id)
    where project_id is not null;
create unique index ci_registration_tokens_of_group on ci_registration_tokens (group_id)
    where group_id is not null;
