-- Alerts that monitoring tools send, and what becomes of them.

-- Where tools send alerts of a project, and the key that opens it.
create table alert_integrations (
    id identity,
    project_id bigint not null references projects (id) on delete cascade,
    kind text not null,                 -- http, prometheus
    name text not null,
    active boolean not null,
    endpoint_identifier text not null,  -- the last part of its address; never changes
    sealed_token text not null,
    previous_token text,                -- sealed; opens until previous_until
    previous_until timestamptz,
    payload_example jsonb not null,
    payload_mapping jsonb not null,     -- where in a payload the fields of an alert are
    identity_fields jsonb not null,     -- paths whose values alone tell alerts apart
    ignored_fields jsonb not null,      -- paths that do not tell alerts apart
    heartbeat_seconds bigint,           -- longest silence
    due_at timestamptz,                 -- when it will have been silent too long
    last_received_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create unique index alert_integrations_active_once
    on alert_integrations (project_id, endpoint_identifier) where active;
create index alert_integrations_by_project on alert_integrations (project_id, id);
create index alert_integrations_due on alert_integrations (due_at) where due_at is not null;

create table alerts (
    id identity,
    project_id bigint not null references projects (id) on delete cascade,
    iid bigint not null,
    integration_id bigint references alert_integrations (id) on delete set null,
    title text not null,
    description text,
    service text,
    monitoring_tool text,
    hosts jsonb not null,
    severity bigint not null,           -- 0 critical, 1 high, 2 medium, 3 low, 4 info, 5 unknown
    status bigint not null,             -- 0 triggered, 1 acknowledged, 2 resolved, 3 ignored
    started_at timestamptz not null,
    ended_at timestamptz,               -- set while it is resolved
    events bigint not null,
    fingerprint text,                   -- a digest; none: it never groups
    payload jsonb not null,
    folded text not null,               -- title, description, tool and service, for search
    flapping boolean not null,          -- it came back soon after it was resolved
    shelved_until timestamptz,          -- ignored until then
    assignee_id bigint references users (id) on delete set null,
    issue_id bigint references issues (id) on delete set null,
    last_received_at timestamptz not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    check ((status = 2) = (ended_at is not null))
);
create unique index alerts_once on alerts (project_id, iid);
create unique index alerts_open_once on alerts (project_id, fingerprint) where status <> 2;
create index alerts_resolved on alerts (project_id, fingerprint, ended_at) where status = 2;
create index alerts_by_started_at on alerts (project_id, started_at, id);
create index alerts_by_status on alerts (project_id, status, id);
create index alerts_by_integration on alerts (integration_id);
create index alerts_by_assignee on alerts (assignee_id);
create unique index alerts_of_issue on alerts (issue_id);
create index alerts_shelved on alerts (shelved_until) where shelved_until is not null;
create index alerts_ended on alerts (ended_at, id) where status = 2;
create index alerts_open_by_age on alerts (last_received_at, id) where status <> 2;

-- What a project wants done with its alerts; without a row, the usual.
create table alert_settings (
    project_id bigint primary key references projects (id) on delete cascade,
    create_issue boolean not null,
    issue_template_key text,
    send_email boolean not null,
    auto_close_incident boolean not null,
    updated_at timestamptz not null
);

-- Times in which what arrives is kept but troubles nobody.
create table alert_windows (
    id identity,
    project_id bigint not null references projects (id) on delete cascade,
    integration_id bigint references alert_integrations (id) on delete cascade,
    name text not null,
    starts_at timestamptz not null,
    ends_at timestamptz not null,
    created_by_id bigint references users (id) on delete set null,
    created_at timestamptz not null
);
create index alert_windows_by_project on alert_windows (project_id, ends_at);
create index alert_windows_by_integration on alert_windows (integration_id);
create index alert_windows_by_creator on alert_windows (created_by_id);

-- What integrations received of late.
create table alert_deliveries (
    id identity,
    integration_id bigint not null references alert_integrations (id) on delete cascade,
    status bigint not null,             -- as answered
    reason text,                        -- why not, in a word or two
    iids jsonb not null,                -- numbers of the alerts it was about
    created_at timestamptz not null
);
create index alert_deliveries_by_integration on alert_deliveries (integration_id, id);

-- Pictures of charts that people add to an alert.
create table alert_metric_images (
    id identity,
    alert_id bigint not null references alerts (id) on delete cascade,
    file_name text not null,            -- without its ending
    ending text not null,               -- png, jpg, gif, webp
    bytes bytea not null,
    url text,
    url_text text,
    created_at timestamptz not null
);
create index alert_metric_images_by_alert on alert_metric_images (alert_id, id);

-- The account under whose name the program writes about alerts.
create unique index users_alert_bot on users (kind) where kind = 'alert_bot';
