//! Issues, epics, notes, labels and milestones as they are indexed and listed by a
//! search.

use kernel::search::Source;

pub static ISSUES: Source = Source {
    index: "search_issues",
    id: "issues.id",
    select: "select issues.id, issues.project_id, issues.iid as number, issues.title as name,
            issues.description as body
        from issues where ",
    hit: "issues.id, issues.iid as number, issues.title,
        substr(issues.description, 1, 5000) as body, projects.full_path as place,
        issues.state as word, issues.updated_at as at",
};

pub static EPICS: Source = Source {
    index: "search_epics",
    id: "epics.id",
    select: "select epics.id, cast(null as bigint) as project_id, epics.iid as number,
            epics.title as name, epics.description as body
        from epics where ",
    hit: "epics.id, epics.iid as number, epics.title,
        substr(epics.description, 1, 5000) as body, 'groups/' || namespaces.full_path as place,
        epics.state as word, epics.updated_at as at",
};

/// Stands for the project of what is in none, where the index is asked for some alone.
pub(crate) const NO_PROJECT: i64 = 0;

/// What people wrote. The word and the number of a hit name what it is about.
pub static NOTES: Source = Source {
    index: "search_notes",
    id: "notes.id",
    select: "select notes.id, coalesce(notes.project_id, 0) as project_id,
            cast(null as bigint) as number, cast('' as text) as name, notes.body
        from notes where not notes.is_system and ",
    hit: "notes.id, notes.noteable_id as number, cast('' as text) as title,
        substr(notes.body, 1, 5000) as body, cast('' as text) as place,
        notes.noteable_type as word, notes.created_at as at",
};

pub static LABELS: Source = Source {
    index: "search_labels",
    id: "labels.id",
    select: "select labels.id, labels.project_id, cast(null as bigint) as number,
            labels.title as name, labels.description as body
        from labels where ",
    hit: "labels.id, cast(null as bigint) as number, labels.title, labels.description as body,
        coalesce(projects.full_path, 'groups/' || namespaces.full_path) as place,
        cast(null as text) as word, labels.updated_at as at",
};

pub static MILESTONES: Source = Source {
    index: "search_milestones",
    id: "milestones.id",
    select: "select milestones.id, milestones.project_id, milestones.iid as number,
            milestones.title as name, milestones.description as body
        from milestones where ",
    hit: "milestones.id, milestones.iid as number, milestones.title,
        substr(milestones.description, 1, 5000) as body,
        coalesce(projects.full_path, 'groups/' || namespaces.full_path) as place,
        milestones.state as word, milestones.updated_at as at",
};
