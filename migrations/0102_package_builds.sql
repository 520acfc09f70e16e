-- The pipelines whose jobs published the files of packages.
create table package_builds (
    id identity,
    package_id bigint not null references packages (id) on delete cascade,
    package_file_id bigint not null references package_files (id) on delete cascade,
    pipeline_id bigint not null references ci_pipelines (id) on delete cascade
);
create unique index package_builds_once on package_builds (package_file_id);
create index package_builds_by_package on package_builds (package_id, pipeline_id);
create index package_builds_by_pipeline on package_builds (pipeline_id);
