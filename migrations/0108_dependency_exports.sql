-- Lists of dependencies as files, each made for one user. Of project_id, group_id and
-- pipeline_id one is set: what it is a list of.
create table dependency_exports (
    id identity,
    user_id bigint not null references users (id) on delete cascade,
    project_id bigint references projects (id) on delete cascade,
    group_id bigint references namespaces (id) on delete cascade,
    pipeline_id bigint references ci_pipelines (id) on delete cascade,
    export_type text not null,          -- dependency_list, csv, sbom, ...
    status text not null,               -- created, running, finished, failed
    send_email boolean not null,
    tries bigint not null,              -- how often it could not be written
    problem text,                       -- why it failed
    file_name text,
    size bigint,
    sha256 text,
    blob_key text references blobs (key) on delete restrict,
    created_at timestamptz not null,
    started_at timestamptz,
    finished_at timestamptz,
    expires_at timestamptz not null
);
create index dependency_exports_by_user on dependency_exports (user_id, id);
create index dependency_exports_by_project on dependency_exports (project_id);
create index dependency_exports_by_group on dependency_exports (group_id);
create index dependency_exports_by_pipeline on dependency_exports (pipeline_id);
create index dependency_exports_by_blob on dependency_exports (blob_key);
create index dependency_exports_expiring on dependency_exports (expires_at);
create index dependency_exports_unfinished on dependency_exports (created_at)
    where status in ('created', 'running');
