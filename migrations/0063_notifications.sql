-- What people want mail of: one row for all they see, one for a group, one for a
-- project. Where there is none, the one above it says.
create table notification_settings (
    id identity,
    user_id bigint not null references users (id) on delete cascade,
    source_type text not null,          -- Global, Group, Project
    source_id bigint not null,          -- 0 of Global
    level text not null,
    email text,                         -- one of the user's confirmed addresses
    events jsonb not null,              -- by name, those that were switched
    own_activity boolean not null default false,
    updated_at timestamptz not null
);
create unique index notification_settings_of_user
    on notification_settings (user_id, source_type, source_id);
create index notification_settings_by_source
    on notification_settings (source_type, source_id, level);

-- Mails that somebody got of a project on a day.
create table notification_counts (
    user_id bigint not null references users (id) on delete cascade,
    project_id bigint not null references projects (id) on delete cascade,
    day text not null,
    mails bigint not null,
    primary key (user_id, project_id, day)
);
create index notification_counts_by_project on notification_counts (project_id);
create index notification_counts_by_day on notification_counts (day);
