-- Rules by which registries take versions away by themselves, and their runs.

create table package_cleanup_rules (
    id identity,
    -- one of both: a project's rule, or a group's for all projects below it
    project_id bigint references projects (id) on delete cascade,
    namespace_id bigint references namespaces (id) on delete cascade,
    package_type text not null,
    enabled boolean not null,
    keep_last bigint,                   -- null: none is kept for being new
    keep_name_regex text,
    keep_version_regex text,
    remove_name_regex text,             -- null: all names
    remove_version_regex text,          -- null: all versions
    older_than_days bigint,
    not_downloaded_days bigint,
    never_downloaded boolean not null,
    next_run_at timestamptz,            -- null: never
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint package_cleanup_rules_have_one_owner
        check ((project_id is null) <> (namespace_id is null))
);
create index package_cleanup_rules_by_project on package_cleanup_rules (project_id, id);
create index package_cleanup_rules_by_namespace on package_cleanup_rules (namespace_id, id);
create index package_cleanup_rules_by_next_run_at on package_cleanup_rules (next_run_at, id);

create table package_cleanup_runs (
    id identity,
    rule_id bigint not null references package_cleanup_rules (id) on delete cascade,
    -- 1 until it ends, then null: nulls are distinct, so a rule has one run
    -- under way and any number behind it
    under_way bigint,
    -- where it goes on: the last project and name that it is done with
    after_project bigint not null,
    after_name text not null,
    names_done bigint not null,
    names_total bigint not null,
    removed_packages bigint not null,
    removed_size bigint not null,
    started_at timestamptz not null,
    finished_at timestamptz
);
create unique index package_cleanup_runs_once on package_cleanup_runs (rule_id, under_way);
create index package_cleanup_runs_by_rule on package_cleanup_runs (rule_id, id);
