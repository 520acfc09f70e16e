-- The issue that was made about an error, the newest of them.
create table error_tracking_issues (
    error_id bigint primary key references error_tracking_errors (id) on delete cascade,
    issue_id bigint not null references issues (id) on delete cascade,
    created_at timestamptz not null
);
create index error_tracking_issues_by_issue on error_tracking_issues (issue_id);
