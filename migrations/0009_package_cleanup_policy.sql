-- What a project's registry takes away by itself. A project without a row
-- keeps everything.
create table package_cleanup_policies (
    project_id bigint primary key references projects (id) on delete cascade,
    keep_n_duplicated_package_files text not null,  -- all, or how many: 1, 10, 20…
    next_run_at timestamptz,                        -- null: never
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create index package_cleanup_policies_by_next_run_at
    on package_cleanup_policies (next_run_at, project_id);
