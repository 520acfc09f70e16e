-- Where each file of a conan recipe belongs: to the recipe or to one of its
-- binary packages, in a revision of each.
create table conan_files (
    file_id bigint primary key references package_files (id) on delete cascade,
    package_id bigint not null references packages (id) on delete cascade,
    recipe_revision text not null,
    -- of a binary package; both empty for files of the recipe itself
    package_reference text not null,
    package_revision text not null,
    -- the path within, as clients name it
    file_name text not null
);
create unique index conan_files_once on conan_files
    (package_id, recipe_revision, package_reference, package_revision, file_name);
-- Revisions are told by their manifests.
create index conan_files_by_name on conan_files
    (package_id, package_reference, file_name, file_id);
