-- Mails that were sent about something, each with a key that is in the mail alone:
-- who has it ends the mails of that one thread, or answers.
create table sent_notifications (
    id identity,
    key_digest bytea not null,
    user_id bigint not null references users (id) on delete cascade,
    project_id bigint references projects (id) on delete cascade,
    noteable_type text not null,
    noteable_id bigint not null,
    note_id bigint,                     -- what it told of; may be gone
    kind text not null,                 -- what had happened
    created_at timestamptz not null,
    expires_at timestamptz not null
);
create unique index sent_notifications_key on sent_notifications (key_digest);
create index sent_notifications_by_user on sent_notifications (user_id);
create index sent_notifications_by_project on sent_notifications (project_id);
create index sent_notifications_by_end on sent_notifications (expires_at);

-- off, daily, weekly; none is as above.
alter table notification_settings add column digest text;

-- News that wait for the mail of a day or a week.
create table digest_items (
    id identity,
    user_id bigint not null references users (id) on delete cascade,
    project_id bigint not null references projects (id) on delete cascade,
    news jsonb not null,
    due_at timestamptz not null,
    created_at timestamptz not null
);
create index digest_items_by_user on digest_items (user_id, due_at);
create index digest_items_by_project on digest_items (project_id);
create index digest_items_by_time on digest_items (due_at);

-- Days on which what is due has been told of.
create table notification_days (day text primary key);
create index issues_due on issues (due_on, id) where state = 'opened' and due_on is not null;

-- The end that the user was told of before it comes.
alter table members add column told_end text;
create index members_by_end on members (expires_at, id) where expires_at is not null;
