-- More of how the pipelines of a project run, and who enters it with the token of a job.
alter table ci_project_settings add column shared_runners boolean not null default true;
alter table ci_project_settings add column group_runners boolean not null default true;
alter table ci_project_settings add column fork_pipelines_in_parent boolean not null default true;
-- Jobs of other projects enter only if these, or a group above them, are listed.
alter table ci_project_settings add column limits_job_tokens boolean not null default true;

-- Projects, and groups with all below them, whose jobs enter a project by their tokens.
create table ci_job_token_entries (
    id identity,
    project_id bigint not null references projects (id) on delete cascade,
    target_project_id bigint references projects (id) on delete cascade,
    target_group_id bigint references namespaces (id) on delete cascade,
    created_at timestamptz not null
);
create unique index ci_job_token_entries_projects
    on ci_job_token_entries (project_id, target_project_id) where target_project_id is not null;
create unique index ci_job_token_entries_groups
    on ci_job_token_entries (project_id, target_group_id) where target_group_id is not null;
create index ci_job_token_entries_by_target on ci_job_token_entries (target_project_id);
create index ci_job_token_entries_by_group on ci_job_token_entries (target_group_id);
