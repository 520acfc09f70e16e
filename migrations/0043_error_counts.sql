-- How many errors of each status a project has, kept with every change, so
-- that lists of ten thousands need not count them.
create table error_tracking_counts (
    project_id bigint not null references projects (id) on delete cascade,
    status text not null,
    errors_count bigint not null,
    primary key (project_id, status)
);
insert into error_tracking_counts (project_id, status, errors_count)
    select project_id, status, count(*) from error_tracking_errors group by project_id, status;
