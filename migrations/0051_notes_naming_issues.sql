-- The issue that a note of the program names: only who sees that issue sees the
-- note. Notes of links and copies name one by its number in the same project.
alter table notes add column names_issue_id bigint references issues (id) on delete cascade;
create index notes_by_named_issue on notes (names_issue_id);
update notes set names_issue_id = (select issues.id from issues
    where issues.project_id = notes.project_id
        and issues.iid = cast(substr(notes.body, 34) as bigint))
where is_system and noteable_type = 'Issue'
    and substr(body, 1, 33) = 'marked this issue as related to #';
update notes set names_issue_id = (select issues.id from issues
    where issues.project_id = notes.project_id
        and issues.iid = cast(substr(notes.body, 34) as bigint))
where is_system and noteable_type = 'Issue'
    and substr(body, 1, 33) = 'marked this issue as blocked by #';
update notes set names_issue_id = (select issues.id from issues
    where issues.project_id = notes.project_id
        and issues.iid = cast(substr(notes.body, 32) as bigint))
where is_system and noteable_type = 'Issue'
    and substr(body, 1, 31) = 'marked this issue as blocking #';
update notes set names_issue_id = (select issues.id from issues
    where issues.project_id = notes.project_id
        and issues.iid = cast(substr(notes.body, 28) as bigint))
where is_system and noteable_type = 'Issue'
    and substr(body, 1, 27) = 'removed the relation with #';
update notes set names_issue_id = (select issues.id from issues
    where issues.project_id = notes.project_id
        and issues.iid = cast(substr(notes.body, 14) as bigint))
where is_system and noteable_type = 'Issue'
    and substr(body, 1, 13) = 'cloned from #';
