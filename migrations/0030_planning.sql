-- Numbers that people see (#5): dense within what they belong to. A number is
-- taken in the transaction of what gets it, so none is lost.
create table internal_ids (
    usage text not null,                -- issues, project_milestones, group_milestones
    source_id bigint not null,          -- the project or group
    last bigint not null,
    primary key (usage, source_id)
);

-- Labels of a project, or of a group and all below it.
create table labels (
    id identity,
    project_id bigint references projects (id) on delete cascade,
    group_id bigint references namespaces (id) on delete cascade,
    title text not null,
    title_folded text not null,
    color text not null,                -- #rrggbb
    description text,
    description_folded text not null default '',
    archived boolean not null default false,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    check ((project_id is null) <> (group_id is null))
);
create unique index labels_of_project on labels (project_id, title);
create unique index labels_of_group on labels (group_id, title);
create index labels_by_title on labels (title);

-- How much a label matters in a project; small numbers come first.
create table label_priorities (
    project_id bigint not null references projects (id) on delete cascade,
    label_id bigint not null references labels (id) on delete cascade,
    priority bigint not null,
    primary key (project_id, label_id)
);
create index label_priorities_by_label on label_priorities (label_id);

create table milestones (
    id identity,
    project_id bigint references projects (id) on delete cascade,
    group_id bigint references namespaces (id) on delete cascade,
    iid bigint not null,
    title text not null,
    title_folded text not null,
    description text,
    description_folded text not null default '',
    state text not null,                -- active, closed
    start_on text,
    due_on text,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    check ((project_id is null) <> (group_id is null))
);
create unique index milestones_of_project on milestones (project_id, iid);
create unique index milestones_of_group on milestones (group_id, iid);
create unique index milestones_of_project_by_title on milestones (project_id, title);
create unique index milestones_of_group_by_title on milestones (group_id, title);
create index milestones_by_title on milestones (title);

-- Who asked to be told, or no longer to be told.
create table subscriptions (
    user_id bigint not null references users (id) on delete cascade,
    target_type text not null,          -- Label, Issue
    target_id bigint not null,
    subscribed boolean not null,
    created_at timestamptz not null,
    primary key (target_type, target_id, user_id)
);
create index subscriptions_by_user on subscriptions (user_id);

create table issues (
    id identity,
    project_id bigint not null references projects (id) on delete cascade,
    iid bigint not null,
    title text not null,
    title_folded text not null,
    description text,
    description_folded text not null default '',
    state text not null,                -- opened, closed
    kind text not null,                 -- issue, incident, task
    severity text not null,             -- unknown, low, medium, high, critical
    author_id bigint references users (id) on delete set null,
    closed_by_id bigint references users (id) on delete set null,
    milestone_id bigint references milestones (id) on delete set null,
    moved_to_id bigint references issues (id) on delete set null,
    confidential boolean not null,
    discussion_locked boolean,
    due_on text,
    weight bigint,
    time_estimate bigint not null default 0,    -- seconds
    time_spent bigint not null default 0,       -- seconds
    task_count bigint not null default 0,
    task_completed_count bigint not null default 0,
    notes_count bigint not null default 0,          -- by people, for everyone
    internal_notes_count bigint not null default 0, -- by people, for reporters
    upvotes bigint not null default 0,
    downvotes bigint not null default 0,
    closed_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create unique index issues_once on issues (project_id, iid);
create index issues_by_created_at on issues (project_id, created_at, id);
create index issues_by_updated_at on issues (project_id, updated_at, id);
create index issues_open_by_created_at on issues (project_id, created_at, id)
    where state = 'opened';
create index issues_open on issues (project_id) where state = 'opened' and not confidential;
create index issues_by_author on issues (author_id, created_at, id);
create index issues_by_closed_by on issues (closed_by_id);
create index issues_by_milestone on issues (milestone_id);
create index issues_by_moved_to on issues (moved_to_id);

create table issue_assignees (
    issue_id bigint not null references issues (id) on delete cascade,
    user_id bigint not null references users (id) on delete cascade,
    primary key (issue_id, user_id)
);
create index issue_assignees_by_user on issue_assignees (user_id, issue_id);

create table issue_labels (
    issue_id bigint not null references issues (id) on delete cascade,
    label_id bigint not null references labels (id) on delete cascade,
    primary key (issue_id, label_id)
);
create index issue_labels_by_label on issue_labels (label_id, issue_id);

-- What became of an issue, kind by kind.
create table issue_events (
    id identity,
    issue_id bigint not null references issues (id) on delete cascade,
    user_id bigint references users (id) on delete set null,
    kind text not null,                 -- state, label, milestone, weight
    action text not null,               -- closed, reopened, add, remove
    label_id bigint references labels (id) on delete cascade,
    milestone_id bigint references milestones (id) on delete cascade,
    weight bigint,
    created_at timestamptz not null
);
create index issue_events_by_issue on issue_events (issue_id, kind, id);
create index issue_events_by_user on issue_events (user_id);
create index issue_events_by_label on issue_events (label_id);
create index issue_events_by_milestone on issue_events (milestone_id);

-- Two issues that have to do with each other; one link for a pair, whichever
-- way it points.
create table issue_links (
    id identity,
    source_id bigint not null references issues (id) on delete cascade,
    target_id bigint not null references issues (id) on delete cascade,
    lower_id bigint not null,
    higher_id bigint not null,
    link_type text not null,            -- relates_to, blocks
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create unique index issue_links_once on issue_links (lower_id, higher_id);
create index issue_links_by_source on issue_links (source_id);
create index issue_links_by_target on issue_links (target_id);

-- What people, and the program (system), wrote about an issue or whatever
-- else has notes: the kind and the id of that are given, so that other rooms
-- keep theirs here as well.
create table notes (
    id identity,
    project_id bigint references projects (id) on delete cascade,
    noteable_type text not null,        -- Issue, AlertManagement::Alert
    noteable_id bigint not null,
    discussion_id text not null,        -- 40 hex digits; the same for a thread
    in_thread boolean not null,         -- begun as a thread, or an answer in one
    body text not null,
    author_id bigint references users (id) on delete set null,
    is_system boolean not null,
    internal boolean not null,          -- for reporters
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create index notes_by_noteable on notes (noteable_type, noteable_id, created_at, id);
create index notes_by_discussion on notes (discussion_id);
create index notes_by_author on notes (author_id);
create index notes_by_project on notes (project_id);

create table award_emoji (
    id identity,
    user_id bigint not null references users (id) on delete cascade,
    awardable_type text not null,       -- Issue, Note
    awardable_id bigint not null,
    name text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create unique index award_emoji_once on award_emoji (awardable_type, awardable_id, name, user_id);
create index award_emoji_by_user on award_emoji (user_id);

create table todos (
    id identity,
    user_id bigint not null references users (id) on delete cascade,
    author_id bigint references users (id) on delete set null,
    project_id bigint references projects (id) on delete cascade,
    action text not null,               -- assigned, mentioned, marked …
    target_type text not null,          -- Issue, AlertManagement::Alert
    target_id bigint not null,
    note_id bigint references notes (id) on delete set null,
    state text not null,                -- pending, done
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create index todos_by_user on todos (user_id, state, id);
create unique index todos_pending_once on todos (user_id, target_type, target_id, action)
    where state = 'pending';
create index todos_by_target on todos (target_type, target_id);
create index todos_by_author on todos (author_id);
create index todos_by_project on todos (project_id);
create index todos_by_note on todos (note_id);
