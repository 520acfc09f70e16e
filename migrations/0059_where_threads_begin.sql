-- Which notes begin a discussion, among all notes and among those that are not
-- for reporters alone: a page of a story walks these, however many answers there
-- are. An answer is seen by who sees what it answers.
alter table notes add column begins boolean not null default false;
alter table notes add column begins_in_public boolean not null default false;
update notes set begins = true where id in
    (select min(id) from notes group by noteable_type, noteable_id, discussion_id);
update notes set begins_in_public = true where id in
    (select min(id) from notes where not internal
     group by noteable_type, noteable_id, discussion_id);
create index notes_that_begin on notes (noteable_type, noteable_id, created_at, id) where begins;
create index notes_that_begin_in_public on notes (noteable_type, noteable_id, created_at, id) where begins_in_public;
drop index notes_by_discussion;
create index notes_by_discussion on notes (discussion_id, created_at, id);

-- What became of an issue, in the order of its story.
create index issue_events_by_time on issue_events (issue_id, created_at, id);
