-- CI/CD variables: of a project, of a group, or of the instance, which has neither.
create table ci_variables (
    id identity,
    project_id bigint references projects (id) on delete cascade,
    group_id bigint references namespaces (id) on delete cascade,
    key text not null,
    environment_scope text not null,    -- a pattern with * for any text
    sealed_value text not null,
    variable_type text not null,        -- env_var, file
    protected boolean not null,         -- only for protected branches and tags
    masked boolean not null,
    hidden boolean not null,            -- nobody reads its value any more
    raw boolean not null,               -- $ stays as it is
    description text,
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create unique index ci_variables_of_project on ci_variables (project_id, key, environment_scope)
    where project_id is not null;
create unique index ci_variables_of_group on ci_variables (group_id, key, environment_scope)
    where group_id is not null;
create unique index ci_variables_of_instance on ci_variables (key, environment_scope)
    where project_id is null and group_id is null;

-- Who may give variables to a pipeline: no_one_allowed, developer, maintainer, owner.
alter table projects add column ci_pipeline_variables_minimum_override_role text not null
    default 'maintainer';
