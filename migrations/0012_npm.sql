-- Tags of npm: one of a kind for each name of a project, so that a tag moves
-- between versions in one statement.

alter table package_tags add column project_id bigint;
alter table package_tags add column name_key text not null default '';
update package_tags set
    project_id = (select p.project_id from packages p where p.id = package_id),
    name_key = (select p.name_key from packages p where p.id = package_id);
delete from package_tags where exists (
    select 1 from package_tags newer
    where newer.project_id = package_tags.project_id and newer.name_key = package_tags.name_key
        and newer.name = package_tags.name and newer.id > package_tags.id);
drop index package_tags_once;
create unique index package_tags_once on package_tags (project_id, name_key, name);
create index package_tags_by_package on package_tags (package_id, name);
