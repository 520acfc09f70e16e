-- What is searched for: the terms of each thing under its id, one index for each
-- kind, in the words of each engine (docs/decisions/0014-search-index.md). What
-- stands here is made from the other tables, so no backup holds it: a job
-- writes it again.

on sqlite create virtual table search_projects using fts5 (terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii', prefix = '2 3 4 5 6 7 8 9 10 11 12');
on sqlite create trigger search_projects_gone after delete on projects begin delete from search_projects where rowid = old.id; end;
on postgres create table search_projects (rowid bigint primary key references projects (id) on delete cascade, terms tsvector not null);
on postgres create index search_projects_by_terms on search_projects using gin (terms);

on sqlite create virtual table search_groups using fts5 (terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii', prefix = '2 3 4 5 6 7 8 9 10 11 12');
on sqlite create trigger search_groups_gone after delete on namespaces begin delete from search_groups where rowid = old.id; end;
on postgres create table search_groups (rowid bigint primary key references namespaces (id) on delete cascade, terms tsvector not null);
on postgres create index search_groups_by_terms on search_groups using gin (terms);

on sqlite create virtual table search_people using fts5 (terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii', prefix = '2 3 4 5 6 7 8 9 10 11 12');
on sqlite create trigger search_people_gone after delete on users begin delete from search_people where rowid = old.id; end;
on postgres create table search_people (rowid bigint primary key references users (id) on delete cascade, terms tsvector not null);
on postgres create index search_people_by_terms on search_people using gin (terms);

on sqlite create virtual table search_issues using fts5 (terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii', prefix = '2 3 4 5 6 7 8 9 10 11 12');
on sqlite create trigger search_issues_gone after delete on issues begin delete from search_issues where rowid = old.id; end;
on postgres create table search_issues (rowid bigint primary key references issues (id) on delete cascade, terms tsvector not null);
on postgres create index search_issues_by_terms on search_issues using gin (terms);

on sqlite create virtual table search_notes using fts5 (terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii', prefix = '2 3 4 5 6 7 8 9 10 11 12');
on sqlite create trigger search_notes_gone after delete on notes begin delete from search_notes where rowid = old.id; end;
on postgres create table search_notes (rowid bigint primary key references notes (id) on delete cascade, terms tsvector not null);
on postgres create index search_notes_by_terms on search_notes using gin (terms);

on sqlite create virtual table search_labels using fts5 (terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii', prefix = '2 3 4 5 6 7 8 9 10 11 12');
on sqlite create trigger search_labels_gone after delete on labels begin delete from search_labels where rowid = old.id; end;
on postgres create table search_labels (rowid bigint primary key references labels (id) on delete cascade, terms tsvector not null);
on postgres create index search_labels_by_terms on search_labels using gin (terms);

on sqlite create virtual table search_milestones using fts5 (terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii', prefix = '2 3 4 5 6 7 8 9 10 11 12');
on sqlite create trigger search_milestones_gone after delete on milestones begin delete from search_milestones where rowid = old.id; end;
on postgres create table search_milestones (rowid bigint primary key references milestones (id) on delete cascade, terms tsvector not null);
on postgres create index search_milestones_by_terms on search_milestones using gin (terms);

on sqlite create virtual table search_packages using fts5 (terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii', prefix = '2 3 4 5 6 7 8 9 10 11 12');
on sqlite create trigger search_packages_gone after delete on packages begin delete from search_packages where rowid = old.id; end;
on postgres create table search_packages (rowid bigint primary key references packages (id) on delete cascade, terms tsvector not null);
on postgres create index search_packages_by_terms on search_packages using gin (terms);

on sqlite create virtual table search_alerts using fts5 (terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii', prefix = '2 3 4 5 6 7 8 9 10 11 12');
on sqlite create trigger search_alerts_gone after delete on alerts begin delete from search_alerts where rowid = old.id; end;
on postgres create table search_alerts (rowid bigint primary key references alerts (id) on delete cascade, terms tsvector not null);
on postgres create index search_alerts_by_terms on search_alerts using gin (terms);

on sqlite create virtual table search_errors using fts5 (terms, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii', prefix = '2 3 4 5 6 7 8 9 10 11 12');
on sqlite create trigger search_errors_gone after delete on error_tracking_errors begin delete from search_errors where rowid = old.id; end;
on postgres create table search_errors (rowid bigint primary key references error_tracking_errors (id) on delete cascade, terms tsvector not null);
on postgres create index search_errors_by_terms on search_errors using gin (terms);

-- How far the job has come, by index.
on sqlite create table search_fills (name text primary key, filled_to bigint not null, is_done boolean not null);
on postgres create table search_fills (name text primary key, filled_to bigint not null, is_done boolean not null);
