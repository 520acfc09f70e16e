//! Packages as they are indexed and listed by a search.

use kernel::search::Source;

pub static PACKAGES: Source = Source {
    index: "search_packages",
    id: "packages.id",
    select: "select packages.id, packages.project_id, cast(null as bigint) as number,
            packages.name, packages.version as body
        from packages where packages.live = 1 and ",
    hit: "packages.id, cast(null as bigint) as number, packages.name as title,
        packages.version as body, projects.full_path as place, packages.package_type as word,
        packages.created_at as at",
};
