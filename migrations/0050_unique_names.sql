-- The name of a project in its namespace, or of a group in its parent, which no
-- sibling may have as well. It is null for what is being deleted, for groups at
-- the top, and for those that came to an equal name before this was so: they
-- keep it until they are renamed or moved.
alter table projects add column unique_name text;
alter table namespaces add column unique_name text;
update projects set unique_name = name
where deletion_scheduled_at is null and not exists
    (select 1 from projects first where first.namespace_id = projects.namespace_id
        and first.name_folded = projects.name_folded and first.name = projects.name
        and first.id < projects.id and first.deletion_scheduled_at is null);
update namespaces set unique_name = name
where parent_id is not null and deletion_scheduled_at is null and not exists
    (select 1 from namespaces first where first.parent_id = namespaces.parent_id
        and first.name_folded = namespaces.name_folded and first.name = namespaces.name
        and first.id < namespaces.id and first.deletion_scheduled_at is null);
create unique index projects_unique_name on projects (namespace_id, unique_name);
create unique index namespaces_unique_name on namespaces (parent_id, unique_name);
