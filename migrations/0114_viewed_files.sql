-- Files of merge requests that somebody has looked at, until they change.
create table merge_request_viewed_files (
    merge_request_id bigint not null references merge_requests (id) on delete cascade,
    user_id bigint not null references users (id) on delete cascade,
    path_digest text not null,          -- SHA-1 of the path
    change_digest text not null,        -- SHA-1 of what both sides of it were
    created_at timestamptz not null,
    primary key (merge_request_id, user_id, path_digest)
);
create index merge_request_viewed_files_by_user on merge_request_viewed_files (user_id);
