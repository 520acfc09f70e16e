-- Pages far down a project's list are found without reading what lies before them.
drop index activity_events_of_project;
create index activity_events_of_project on activity_events (project_id, id, target_type);
