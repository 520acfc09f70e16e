-- Epics: what many issues, and other epics, are for. They belong to groups and are
-- numbered there.
create table epics (
    id identity,
    group_id bigint not null references namespaces (id) on delete cascade,
    iid bigint not null,
    parent_id bigint references epics (id) on delete set null,
    relative_position bigint not null default 0,    -- among those of its parent
    title text not null,
    title_folded text not null,
    description text,
    description_folded text not null default '',
    state text not null,                -- opened, closed
    color text not null,                -- #rrggbb
    confidential boolean not null,
    author_id bigint references users (id) on delete set null,
    closed_by_id bigint references users (id) on delete set null,
    start_is_fixed boolean not null default false,
    start_on_fixed text,
    start_on_inherited text,            -- the earliest of what is below it
    start_on_milestones text,           -- the earliest of its issues' milestones
    due_is_fixed boolean not null default false,
    due_on_fixed text,
    due_on_inherited text,              -- the latest of what is below it
    due_on_milestones text,             -- the latest of its issues' milestones
    upvotes bigint not null default 0,
    downvotes bigint not null default 0,
    closed_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create unique index epics_once on epics (group_id, iid);
create index epics_by_created_at on epics (group_id, created_at, id);
create index epics_by_parent on epics (parent_id, relative_position, id);
create index epics_by_author on epics (author_id);
create index epics_by_closed_by on epics (closed_by_id);

-- The issues of an epic, in its order. An issue is of one epic.
create table epic_issues (
    id identity,
    epic_id bigint not null references epics (id) on delete cascade,
    issue_id bigint not null references issues (id) on delete cascade,
    relative_position bigint not null,
    created_at timestamptz not null
);
create unique index epic_issues_once on epic_issues (issue_id);
create index epic_issues_in_order on epic_issues (epic_id, relative_position, id);

create table epic_labels (
    epic_id bigint not null references epics (id) on delete cascade,
    label_id bigint not null references labels (id) on delete cascade,
    primary key (epic_id, label_id)
);
create index epic_labels_by_label on epic_labels (label_id, epic_id);

-- What became of an epic, kind by kind.
create table epic_events (
    id identity,
    epic_id bigint not null references epics (id) on delete cascade,
    user_id bigint references users (id) on delete set null,
    kind text not null,                 -- state, label
    action text not null,               -- closed, reopened, add, remove
    label_id bigint references labels (id) on delete cascade,
    created_at timestamptz not null
);
create index epic_events_by_epic on epic_events (epic_id, kind, id);
create index epic_events_by_user on epic_events (user_id);
create index epic_events_by_label on epic_events (label_id);

-- Two epics that have to do with each other; one link for a pair, whichever way it
-- points.
create table epic_links (
    id identity,
    source_id bigint not null references epics (id) on delete cascade,
    target_id bigint not null references epics (id) on delete cascade,
    lower_id bigint not null,
    higher_id bigint not null,
    link_type text not null,            -- relates_to, blocks
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create unique index epic_links_once on epic_links (lower_id, higher_id);
create index epic_links_by_source on epic_links (source_id);
create index epic_links_by_target on epic_links (target_id);

-- The epic that a note of the program names: only who sees that epic sees the note.
alter table notes add column names_epic_id bigint references epics (id) on delete cascade;
create index notes_by_named_epic on notes (names_epic_id);

-- The group of what is to be done, where that is of no project.
alter table todos add column group_id bigint references namespaces (id) on delete cascade;
create index todos_by_group on todos (group_id);

-- Whether a group, and what is below it, has epics.
alter table namespaces add column epics_enabled boolean not null default true;
create index namespaces_without_epics on namespaces (lineage) where not epics_enabled;
