-- How the pipelines of a project run; a project without a row has the defaults.
create table ci_project_settings (
    project_id bigint not null references projects (id) on delete cascade,
    config_path text,                   -- null: the usual names
    auto_cancel_pending boolean not null,
    build_timeout bigint not null,      -- seconds
    default_git_depth bigint,
    build_git_strategy text not null,   -- fetch, clone
    separated_caches boolean not null,
    keep_latest_artifact boolean not null,
    public_jobs boolean not null,
    forward_deployment_enabled boolean not null,
    forward_deployment_rollback_allowed boolean not null
);
create unique index ci_project_settings_once on ci_project_settings (project_id);
