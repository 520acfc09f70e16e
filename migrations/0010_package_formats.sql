-- What formats keep of packages beyond the common columns.

-- The name as the format compares it; its version likewise in version_key.
alter table packages add column name_key text not null default '';
update packages set name_key = name;
drop index packages_once;
create unique index packages_once
    on packages (project_id, package_type, name_key, version_key, live);
-- Lists are filtered by the version as it was published.
create index packages_by_version_text on packages (project_id, live, version, created_at, id);
-- For groups and the instance, whose clients ask by name over many projects.
create index packages_by_key on packages (package_type, name_key, live, project_id);

-- What a format read in its archives, as JSON text that goes out unchanged.
alter table packages add column metadata text;
alter table package_files add column metadata text;

-- Counts the changes of what a name of a project offers, so that documents
-- made of many rows are made once for each.
create table package_names (
    project_id bigint not null references projects (id) on delete cascade,
    package_type text not null,
    name_key text not null,
    stamp bigint not null,
    primary key (project_id, package_type, name_key)
);
