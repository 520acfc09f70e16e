-- Boards: issues of a project, or of a group and what is below it, in columns.
create table boards (
    id identity,
    project_id bigint references projects (id) on delete cascade,
    group_id bigint references namespaces (id) on delete cascade,
    name text not null,
    hide_backlog_list boolean not null default false,   -- no column of other open issues
    hide_closed_list boolean not null default false,
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create index boards_by_project on boards (project_id, id);
create index boards_by_group on boards (group_id, id);

-- The columns of a board between the open and the closed issues: one for a label.
create table board_lists (
    id identity,
    board_id bigint not null references boards (id) on delete cascade,
    label_id bigint not null references labels (id) on delete cascade,
    position bigint not null,           -- from the left
    created_at timestamptz not null
);
create unique index board_lists_once on board_lists (board_id, label_id);
create index board_lists_by_label on board_lists (label_id);

-- Where somebody put an issue by hand, in one order for all boards, the greatest on
-- top. Issues that nobody put anywhere stand by their age.
alter table issues add column relative_position bigint;
create index issues_in_order on issues (coalesce(relative_position, id * 1048576), id);
