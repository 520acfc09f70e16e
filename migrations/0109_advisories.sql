-- Files of advisories that administrators bring.
create table advisory_loads (
    id identity,
    user_id bigint references users (id) on delete set null,
    blob_key text references blobs (key) on delete restrict,    -- null: it has been read
    loaded bigint not null,             -- new ones, and newer ones of those there
    unchanged bigint not null,
    removed bigint not null,            -- those that were withdrawn
    refused bigint not null,            -- what was no advisory
    reason text,                        -- why it was not read, or the first was refused
    created_at timestamptz not null,
    finished_at timestamptz
);
create index advisory_loads_by_user on advisory_loads (user_id);
create index advisory_loads_by_blob on advisory_loads (blob_key);

-- What is known to be wrong with packages (OSV).
create table advisories (
    id identity,
    name text not null,                 -- the id of its database
    modified_at timestamptz not null,
    severity text not null,             -- unknown, none, low, medium, high, critical
    vector text,                        -- of CVSS 3
    summary text,
    url text,
    aliases jsonb not null,
    created_at timestamptz not null
);
create unique index advisories_named on advisories (name);

-- Which versions of which packages an advisory is about.
create table advisory_packages (
    id identity,
    advisory_id bigint not null references advisories (id) on delete cascade,
    package_key text not null,          -- the type of its purl, and its name, folded
    affected jsonb not null
);
create index advisory_packages_of on advisory_packages (advisory_id);
create index advisory_packages_by_key on advisory_packages (package_key, id);

-- Which dependencies advisories are about.
create table dependency_advisories (
    dependency_id bigint not null references dependencies (id) on delete cascade,
    advisory_id bigint not null references advisories (id) on delete cascade
);
create unique index dependency_advisories_once
    on dependency_advisories (dependency_id, advisory_id);
create index dependency_advisories_of on dependency_advisories (advisory_id);

-- Which licences the dependencies of a project, or of all projects of a group, may have.
create table license_policies (
    id identity,
    project_id bigint references projects (id) on delete cascade,
    group_id bigint references namespaces (id) on delete cascade,
    mode text not null,                 -- allow: no others; deny: not these
    licenses jsonb not null,            -- ids of the SPDX list
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create unique index license_policies_of_project on license_policies (project_id)
    where project_id is not null;
create unique index license_policies_of_group on license_policies (group_id)
    where group_id is not null;
