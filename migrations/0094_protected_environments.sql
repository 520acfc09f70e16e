-- Environments that not everybody deploys to: of a project by their name, of all projects
-- of a group by their tier.
create table protected_environments (
    id identity,
    project_id bigint references projects (id) on delete cascade,
    group_id bigint references namespaces (id) on delete cascade,
    name text not null,                 -- of a group: a tier
    required_approval_count bigint not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create unique index protected_environments_of_project on protected_environments (project_id, name)
    where project_id is not null;
create unique index protected_environments_of_group on protected_environments (group_id, name)
    where group_id is not null;

-- Who deploys there, and who has to approve: of a role, a user, or a group.
create table protected_environment_levels (
    id identity,
    protected_environment_id bigint not null
        references protected_environments (id) on delete cascade,
    purpose text not null,              -- deploy, approve
    access_level bigint,
    user_id bigint references users (id) on delete cascade,
    group_id bigint references namespaces (id) on delete cascade,
    group_inheritance_type bigint not null,     -- 0 its own members, 1 those of groups above too
    required_approvals bigint not null          -- how many of them approve; 0 of who deploys
);
create index protected_environment_levels_by_rule
    on protected_environment_levels (protected_environment_id, id);
create index protected_environment_levels_by_user on protected_environment_levels (user_id);
create index protected_environment_levels_by_group on protected_environment_levels (group_id);

-- What people decided of deployments that wait for it: once each.
create table deployment_approvals (
    id identity,
    deployment_id bigint not null references deployments (id) on delete cascade,
    user_id bigint not null references users (id) on delete cascade,
    -- As whom; null as one of those who deploy.
    level_id bigint references protected_environment_levels (id) on delete set null,
    status text not null,               -- approved, rejected
    comment text,
    created_at timestamptz not null
);
create unique index deployment_approvals_once on deployment_approvals (deployment_id, user_id);
create index deployment_approvals_by_user on deployment_approvals (user_id);
create index deployment_approvals_by_level on deployment_approvals (level_id);

-- Who started a pipeline may approve its deployments.
alter table projects add column allow_pipeline_trigger_approve_deployment boolean not null
    default false;
