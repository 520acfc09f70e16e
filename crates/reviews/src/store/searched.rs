//! Merge requests as they are indexed and listed by a search.

use kernel::search::Source;

pub static REQUESTS: Source = Source {
    index: "search_merge_requests",
    id: "merge_requests.id",
    select: "select merge_requests.id, merge_requests.target_project_id as project_id,
            merge_requests.iid as number, merge_requests.title as name,
            merge_requests.description as body
        from merge_requests where ",
    hit: "merge_requests.id, merge_requests.iid as number, merge_requests.title,
        substr(merge_requests.description, 1, 5000) as body, projects.full_path as place,
        merge_requests.state as word, merge_requests.updated_at as at",
};
