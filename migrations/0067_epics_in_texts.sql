-- Epics are found by the words that stand in them (docs/decisions/0014-search-index.md).
on sqlite create virtual table search_epics using fts5 (terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii', prefix = '2 3 4 5 6 7 8 9 10 11 12');
on sqlite create trigger search_epics_gone after delete on epics begin delete from search_epics where rowid = old.id; end;
on postgres create table search_epics (rowid bigint primary key references epics (id) on delete cascade, terms tsvector not null);
on postgres create index search_epics_by_terms on search_epics using gin (terms);

-- The group of what a mail was about, where that is of no project.
alter table sent_notifications add column group_id bigint references namespaces (id) on delete cascade;
create index sent_notifications_by_group on sent_notifications (group_id);

-- News that wait for the mail of a day or a week, of a project or of a group.
create table digest_news (
    id identity,
    user_id bigint not null references users (id) on delete cascade,
    project_id bigint references projects (id) on delete cascade,
    group_id bigint references namespaces (id) on delete cascade,
    news jsonb not null,
    due_at timestamptz not null,
    created_at timestamptz not null
);
insert into digest_news (user_id, project_id, news, due_at, created_at)
    select user_id, project_id, news, due_at, created_at from digest_items order by id;
drop table digest_items;
create index digest_news_by_user on digest_news (user_id, due_at);
create index digest_news_by_project on digest_news (project_id);
create index digest_news_by_group on digest_news (group_id);
create index digest_news_by_time on digest_news (due_at);

-- Mails that somebody got of a project or group on a day; those of days that are over
-- are forgotten, so none is lost here that counts.
drop table notification_counts;
create table notification_counts (
    user_id bigint not null references users (id) on delete cascade,
    source_type text not null,          -- Group, Project
    source_id bigint not null,
    day text not null,
    mails bigint not null,
    primary key (user_id, source_type, source_id, day)
);
create index notification_counts_by_day on notification_counts (day);

-- The epic that an issue became.
alter table issues add column promoted_to_epic_id bigint references epics (id) on delete set null;
create index issues_by_promoted_to_epic on issues (promoted_to_epic_id);
