create table packages (
    id identity,
    project_id bigint not null references projects (id) on delete cascade,
    package_type text not null,
    type_order bigint not null,         -- stored order of types, for order_by=type
    name text not null,
    name_folded text not null,
    version text,
    status text not null,
    status_message text,
    creator_id bigint references users (id) on delete set null,
    conan_name text,
    -- 1 while the name and version are taken, null once destroyed: nulls are
    -- distinct in a unique index, so a destroyed package blocks nobody
    live bigint,
    -- the version, or U+10FFFF without one: nulls would not be unique, and a
    -- package without a version comes last
    version_key text not null,
    download_count bigint not null default 0,
    last_downloaded_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create unique index packages_once on packages (project_id, package_type, name, version_key, live);
create index packages_by_created_at on packages (project_id, live, created_at, id);
create index packages_by_name on packages (project_id, live, name, id);
create index packages_by_version on packages (project_id, live, version_key, created_at, id);
create index packages_by_type on packages (project_id, live, type_order, created_at, id);
create index packages_by_creator on packages (creator_id);
create index packages_destroyed on packages (status, id);

create table package_files (
    id identity,
    package_id bigint not null references packages (id) on delete cascade,
    file_name text not null,
    size bigint not null,
    md5 text not null,
    sha1 text not null,
    sha256 text not null,
    sha512 text not null,
    blob_key text not null references blobs (key) on delete restrict,
    status text not null,               -- default, pending_destruction
    download_count bigint not null default 0,
    last_downloaded_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create index package_files_by_package on package_files (package_id, file_name, id);
create index package_files_by_blob on package_files (blob_key);
create index package_files_by_sha256 on package_files (sha256);
create index package_files_destroyed on package_files (status, id);

create table package_tags (
    id identity,
    package_id bigint not null references packages (id) on delete cascade,
    name text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create unique index package_tags_once on package_tags (package_id, name);

-- How many packages the default list of a project has (displayable, with a
-- version), kept with every change, so that
-- a list of a million rows need not count them.
create table package_counts (
    project_id bigint primary key references projects (id) on delete cascade,
    displayable bigint not null
);

create table package_protection_rules (
    id identity,
    project_id bigint not null references projects (id) on delete cascade,
    package_type text not null,
    package_name_pattern text not null,
    minimum_access_level_for_push text,
    minimum_access_level_for_delete text,
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create unique index package_protection_rules_once
    on package_protection_rules (project_id, package_type, package_name_pattern);

create table package_downloads (
    package_id bigint not null references packages (id) on delete cascade,
    day text not null,
    count bigint not null,
    primary key (package_id, day)
);
