-- Lists show a name once, by the version that was published last: whether one
-- was published later is told by this index.
create index packages_newest_of_name
    on packages (project_id, package_type, name_key, live, created_at, id);
-- They count names: all that there are have a row here.
insert into package_names (project_id, package_type, name_key, stamp)
    select distinct project_id, package_type, name_key, 1 from packages
    where true
    on conflict (project_id, package_type, name_key) do nothing;

-- What a package says of itself at length, as its archive holds it.
create table package_readmes (
    package_id bigint primary key references packages (id) on delete cascade,
    content text not null,
    markdown boolean not null           -- else plain text
);
