-- The environment that an alert names, whether or not the project has one of
-- that name.
alter table alerts add column environment_name text;

-- How often alerts were sent, hour by hour, for charts; of the last month.
create table alert_hours (
    alert_id bigint not null references alerts (id) on delete cascade,
    began_at timestamptz not null,
    project_id bigint not null references projects (id) on delete cascade,
    events bigint not null,
    primary key (alert_id, began_at)
);
create index alert_hours_by_project on alert_hours (project_id, began_at);
create index alert_hours_by_hour on alert_hours (began_at);

-- How far people are with an incident; of no meaning for other issues.
alter table issues add column escalation_status text not null default 'triggered';

-- Another tool in which a project looks after its incidents, and whether it is
-- in use.
alter table alert_settings add column external_tool_enabled boolean not null default false;
alter table alert_settings add column external_tool_url text;
