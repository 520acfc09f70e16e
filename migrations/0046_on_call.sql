-- Who is on call when, and who is told of alerts that nobody looks after.

create table on_call_schedules (
    id identity,
    project_id bigint not null references projects (id) on delete cascade,
    iid bigint not null,
    name text not null,
    description text,
    time_zone text not null,            -- an IANA name
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create unique index on_call_schedules_once on on_call_schedules (project_id, iid);
create unique index on_call_schedules_named_once on on_call_schedules (project_id, name);

-- People of a schedule who take turns.
create table on_call_rotations (
    id identity,
    schedule_id bigint not null references on_call_schedules (id) on delete cascade,
    name text not null,
    starts_at timestamptz not null,
    ends_at timestamptz,
    length bigint not null,             -- of a turn, in units
    length_unit text not null,          -- hours, days, weeks
    active_from bigint,                 -- minutes after midnight; none: all day
    active_until bigint,                -- of the next day if it is not later
    created_at timestamptz not null,
    updated_at timestamptz not null,
    check ((active_from is null) = (active_until is null))
);
create unique index on_call_rotations_named_once on on_call_rotations (schedule_id, name);

create table on_call_participants (
    id identity,
    rotation_id bigint not null references on_call_rotations (id) on delete cascade,
    user_id bigint not null references users (id) on delete cascade,
    place bigint not null
);
create unique index on_call_participants_once on on_call_participants (rotation_id, user_id);
create index on_call_participants_by_user on on_call_participants (user_id);

create table escalation_policies (
    id identity,
    project_id bigint not null references projects (id) on delete cascade,
    name text not null,
    description text,
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create unique index escalation_policies_once on escalation_policies (project_id);

create table escalation_rules (
    id identity,
    policy_id bigint not null references escalation_policies (id) on delete cascade,
    place bigint not null,
    elapsed_seconds bigint not null,    -- since the alert began
    until text not null,                -- acknowledged, resolved: then nobody is paged
    schedule_id bigint references on_call_schedules (id) on delete cascade,
    user_id bigint references users (id) on delete cascade,
    check ((schedule_id is null) <> (user_id is null))
);
create index escalation_rules_by_policy on escalation_rules (policy_id, place);
create index escalation_rules_by_schedule on escalation_rules (schedule_id);
create index escalation_rules_by_user on escalation_rules (user_id);

-- Alerts for which rules are still to come.
create table escalations (
    alert_id bigint primary key references alerts (id) on delete cascade,
    began_at timestamptz not null,
    passed_seconds bigint not null,     -- rules of so many seconds are done; -1: none is
    due_at timestamptz not null
);
create index escalations_due on escalations (due_at, alert_id);

-- Who was told of which alert by which rule, once each time it escalates.
create table escalation_pages (
    id identity,
    alert_id bigint not null references alerts (id) on delete cascade,
    user_id bigint not null references users (id) on delete cascade,
    rule_id bigint not null,            -- as it was then; rules come and go
    began_at timestamptz not null,
    mailed_at timestamptz,
    created_at timestamptz not null
);
create unique index escalation_pages_once
    on escalation_pages (alert_id, began_at, rule_id, user_id);
create index escalation_pages_by_user on escalation_pages (user_id);
