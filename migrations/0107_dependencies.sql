-- A bill of materials that somebody sent without a pipeline.
create table dependency_uploads (
    id identity,
    project_id bigint not null references projects (id) on delete cascade,
    user_id bigint references users (id) on delete set null,
    token text not null,                -- what the sender asks by how far it is
    sha256 text not null,
    blob_key text references blobs (key) on delete restrict,    -- null: it has been read
    reason text,                        -- why it was not taken
    created_at timestamptz not null,
    finished_at timestamptz
);
create unique index dependency_uploads_token on dependency_uploads (token);
create index dependency_uploads_same on dependency_uploads (project_id, sha256);
create index dependency_uploads_by_user on dependency_uploads (user_id);
create index dependency_uploads_by_blob on dependency_uploads (blob_key);
create index dependency_uploads_by_age on dependency_uploads (created_at);

-- What a project depends on, as one pipeline or one upload said it. A list is written row
-- by row and becomes current in one step; the one before it is then taken away.
create table dependency_lists (
    id identity,
    project_id bigint not null references projects (id) on delete cascade,
    pipeline_id bigint references ci_pipelines (id) on delete set null,
    upload_id bigint references dependency_uploads (id) on delete set null,
    sha text,                           -- the commit of the pipeline
    is_current boolean not null,
    said_at timestamptz not null,       -- when the pipeline began, or the upload came
    created_at timestamptz not null,
    ends_at timestamptz                 -- when it may be taken away; null: it is current
);
create unique index dependency_lists_current on dependency_lists (project_id) where is_current;
create index dependency_lists_by_project on dependency_lists (project_id);
create index dependency_lists_by_pipeline on dependency_lists (pipeline_id);
create index dependency_lists_by_upload on dependency_lists (upload_id);
create index dependency_lists_ending on dependency_lists (ends_at);

create table dependencies (
    id identity,
    list_id bigint not null references dependency_lists (id) on delete cascade,
    project_id bigint not null references projects (id) on delete cascade,
    document bigint not null,           -- which report of its list it is of, from 0
    reference text not null,            -- what that report calls it
    depends_on jsonb not null,          -- references of the same report
    kind text not null,                 -- library, application, container, ...
    group_name text,
    name text not null,
    name_key text not null,             -- group and name, folded
    version text,
    purl text,
    packager text,
    language text,
    category text not null,             -- production, development, test
    input_file text,                    -- the lock file it was found in
    source_file text,                   -- the file that people edit
    image text,
    operating_system text,
    reachability text,
    hashes jsonb not null,
    licenses jsonb not null,
    top_level boolean not null,
    ancestors jsonb not null,           -- name and version of what leads to it, the root first
    severity bigint not null default 0  -- of its worst known vulnerability; 0: none
);
create index dependencies_listed on dependencies (list_id, id);
create index dependencies_by_name on dependencies (list_id, name_key, id);
create index dependencies_counted on dependencies (list_id, packager, category);
create index dependencies_by_project on dependencies (project_id);
create index dependencies_by_purl on dependencies (purl);

-- Licences by which dependencies are found and counted; `unknown` of those that have none.
create table dependency_licenses (
    dependency_id bigint not null references dependencies (id) on delete cascade,
    list_id bigint not null references dependency_lists (id) on delete cascade,
    license text not null
);
create unique index dependency_licenses_once on dependency_licenses (dependency_id, license);
create index dependency_licenses_listed on dependency_licenses (list_id, license, dependency_id);

-- Why a report of a job was left out.
create table sbom_problems (
    id identity,
    pipeline_id bigint not null references ci_pipelines (id) on delete cascade,
    job_id bigint not null references ci_jobs (id) on delete cascade,
    text text not null,
    created_at timestamptz not null
);
create index sbom_problems_by_pipeline on sbom_problems (pipeline_id, id);
create index sbom_problems_by_job on sbom_problems (job_id);

-- Whether projects have lists of dependencies and exports of them.
alter table namespaces add column dependency_exports_enabled boolean not null default true;
alter table ci_project_settings add column dependency_exports boolean not null default true;
