-- What the commits of pushes must be like: of a project; of a group and the instance,
-- for projects that are made there.
create table push_rules (
    id identity,
    scope text not null,                -- project/ID, group/ID, instance
    project_id bigint references projects (id) on delete cascade,
    group_id bigint references namespaces (id) on delete cascade,
    rule jsonb not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create unique index push_rules_once on push_rules (scope);
create index push_rules_by_project on push_rules (project_id);
create index push_rules_by_group on push_rules (group_id);
