-- Merge requests: a branch of a project that is to be merged into one of the same
-- project, or of one that it was forked from. They are numbered in the target.
create table merge_requests (
    id identity,
    target_project_id bigint not null references projects (id) on delete cascade,
    iid bigint not null,
    source_project_id bigint references projects (id) on delete set null,
    source_branch text not null,        -- without refs/heads/
    target_branch text not null,
    title text not null,
    title_folded text not null,
    description text,
    description_folded text not null default '',
    state text not null,                -- opened, closed, locked, merged
    draft boolean not null,             -- as the title says
    author_id bigint references users (id) on delete set null,
    edited_by_id bigint references users (id) on delete set null,
    closed_by_id bigint references users (id) on delete set null,
    merge_user_id bigint references users (id) on delete set null,  -- merged it, or wants it merged
    milestone_id bigint references milestones (id) on delete set null,
    discussion_locked boolean,
    squash boolean not null,
    should_remove_source_branch boolean,    -- as was said at the merge
    force_remove_source_branch boolean,     -- as it wishes itself
    allow_collaboration boolean not null,
    merge_after timestamptz,
    auto_merge boolean not null default false,
    merge_params jsonb not null,        -- messages and head that a merge was ordered with
    merge_status text not null,         -- what is known of merging the files
    merge_error text,
    needs_rebase boolean not null default false,    -- the source lacks what the target has
    head_id text,                       -- where the source branch is, or was last
    merge_commit_id text,
    squash_commit_id text,
    time_estimate bigint not null default 0,        -- seconds
    time_spent bigint not null default 0,           -- seconds
    task_count bigint not null default 0,
    task_completed_count bigint not null default 0,
    notes_count bigint not null default 0,          -- by people, for everyone
    internal_notes_count bigint not null default 0, -- by people, for reporters
    rebase_started_at timestamptz,
    locked_at timestamptz,              -- since when somebody merges it
    edited_at timestamptz,
    prepared_at timestamptz,
    closed_at timestamptz,
    merged_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create unique index merge_requests_once on merge_requests (target_project_id, iid);
create unique index merge_requests_open_pair on merge_requests
    (source_project_id, source_branch, target_project_id, target_branch)
    where state in ('opened', 'locked');
create index merge_requests_by_created_at on merge_requests (target_project_id, created_at, id);
create index merge_requests_by_updated_at on merge_requests (target_project_id, updated_at, id);
create index merge_requests_open_by_created_at on merge_requests (target_project_id, created_at, id)
    where state = 'opened';
create index merge_requests_of_instance on merge_requests (created_at, id);
create index merge_requests_by_source on merge_requests (source_project_id, source_branch, state);
create index merge_requests_open_by_target on merge_requests (target_project_id, target_branch)
    where state in ('opened', 'locked');
create index merge_requests_by_merge_commit on merge_requests (target_project_id, merge_commit_id)
    where merge_commit_id is not null;
create index merge_requests_by_author on merge_requests (author_id, created_at, id);
create index merge_requests_by_edited_by on merge_requests (edited_by_id) where edited_by_id is not null;
create index merge_requests_by_closed_by on merge_requests (closed_by_id) where closed_by_id is not null;
create index merge_requests_by_merge_user on merge_requests (merge_user_id, created_at, id)
    where merge_user_id is not null;
create index merge_requests_by_milestone on merge_requests (milestone_id) where milestone_id is not null;
create index merge_requests_locked on merge_requests (locked_at) where state = 'locked';

create table merge_request_assignees (
    merge_request_id bigint not null references merge_requests (id) on delete cascade,
    user_id bigint not null references users (id) on delete cascade,
    primary key (merge_request_id, user_id)
);
create index merge_request_assignees_by_user on merge_request_assignees (user_id, merge_request_id);

create table merge_request_reviewers (
    merge_request_id bigint not null references merge_requests (id) on delete cascade,
    user_id bigint not null references users (id) on delete cascade,
    state text not null,                -- unreviewed, reviewed, requested_changes, approved, …
    created_at timestamptz not null,
    primary key (merge_request_id, user_id)
);
create index merge_request_reviewers_by_user on merge_request_reviewers (user_id, merge_request_id);

create table merge_request_labels (
    merge_request_id bigint not null references merge_requests (id) on delete cascade,
    label_id bigint not null references labels (id) on delete cascade,
    primary key (merge_request_id, label_id)
);
create index merge_request_labels_by_label on merge_request_labels (label_id, merge_request_id);

-- What a merge request was as its branches moved. What differs in it is read from git.
create table merge_request_versions (
    id identity,
    merge_request_id bigint not null references merge_requests (id) on delete cascade,
    head_id text not null,
    base_id text not null,              -- the last commit that the source and the target have
    start_id text not null,             -- where the target branch was
    state text not null,                -- collected, empty, overflow, without_files
    files_count bigint not null,
    commits_count bigint not null,
    patch_id text,                      -- the same where the same lines change
    created_at timestamptz not null
);
create index merge_request_versions_of_one on merge_request_versions (merge_request_id, id);

-- The newest commits of a version.
create table merge_request_commits (
    version_id bigint not null references merge_request_versions (id) on delete cascade,
    place bigint not null,              -- from 0, the newest first
    commit_id text not null,
    primary key (version_id, place)
);
create index merge_request_commits_by_id on merge_request_commits (commit_id, version_id);

-- Issues that go with the merge into the default branch, as texts and commits say.
create table merge_request_closing_issues (
    merge_request_id bigint not null references merge_requests (id) on delete cascade,
    issue_id bigint not null references issues (id) on delete cascade,
    by_commits boolean not null,        -- a commit says so, and not only its own text
    primary key (merge_request_id, issue_id, by_commits)
);
create index merge_request_closing_issues_by_issue on merge_request_closing_issues (issue_id);

-- What has to be merged before.
create table merge_request_blocks (
    id identity,
    blocking_id bigint not null references merge_requests (id) on delete cascade,
    blocked_id bigint not null references merge_requests (id) on delete cascade,
    created_at timestamptz not null
);
create unique index merge_request_blocks_once on merge_request_blocks (blocked_id, blocking_id);
create index merge_request_blocks_by_blocking on merge_request_blocks (blocking_id);

-- What became of a merge request, kind by kind.
create table merge_request_events (
    id identity,
    merge_request_id bigint not null references merge_requests (id) on delete cascade,
    user_id bigint references users (id) on delete set null,
    kind text not null,                 -- state, label, milestone
    action text not null,               -- closed, reopened, merged, add, remove
    label_id bigint references labels (id) on delete set null,
    milestone_id bigint references milestones (id) on delete cascade,
    source_commit text,
    created_at timestamptz not null
);
create index merge_request_events_of_one on merge_request_events (merge_request_id, kind, id);
create index merge_request_events_by_user on merge_request_events (user_id);
create index merge_request_events_by_label on merge_request_events (label_id);
create index merge_request_events_by_milestone on merge_request_events (milestone_id);

-- How merge requests go in a project; one without a row has the usual settings.
create table merge_request_settings (
    project_id bigint not null references projects (id) on delete cascade,
    remove_source_branch boolean not null default true,
    pipelines_must_succeed boolean not null default false,
    skipped_pipelines_pass boolean not null default false,
    threads_must_be_resolved boolean not null default false,
    resolve_outdated_threads boolean not null default false,
    print_links boolean not null default true,
    merge_commit_template text,
    squash_commit_template text,
    suggestion_commit_message text,
    title_pattern text
);
create unique index merge_request_settings_once on merge_request_settings (project_id);
