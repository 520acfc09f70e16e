-- Who has to approve merge requests: of a project, or of one merge request. Those of a
-- merge request take the place of those of its project, or were made of what it changes.
create table approval_rules (
    id identity,
    project_id bigint references projects (id) on delete cascade,
    merge_request_id bigint references merge_requests (id) on delete cascade,
    -- The rule of the project that it was copied from.
    source_rule_id bigint references approval_rules (id) on delete set null,
    name text not null,
    rule_type text not null,            -- regular, any_approver, code_owner, report_approver
    report_type text,
    section text,                       -- of code owners: the part of their file
    approvals_required bigint not null,
    applies_to_all_protected_branches boolean not null,
    is_snapshot boolean not null,       -- as it was when the merge request was merged
    created_at timestamptz not null,
    updated_at timestamptz not null
);
create unique index approval_rules_of_project on approval_rules (project_id, name)
    where project_id is not null;
create unique index approval_rules_anybody_of_project on approval_rules (project_id)
    where project_id is not null and rule_type = 'any_approver';
create unique index approval_rules_anybody_of_request on approval_rules (merge_request_id)
    where merge_request_id is not null and rule_type = 'any_approver';
create index approval_rules_by_request on approval_rules (merge_request_id, id);
create index approval_rules_by_source on approval_rules (source_rule_id);

-- Those named by a rule, and groups whose members are.
create table approval_rule_users (
    rule_id bigint not null references approval_rules (id) on delete cascade,
    user_id bigint not null references users (id) on delete cascade,
    primary key (rule_id, user_id)
);
create index approval_rule_users_by_user on approval_rule_users (user_id);

create table approval_rule_groups (
    rule_id bigint not null references approval_rules (id) on delete cascade,
    group_id bigint not null references namespaces (id) on delete cascade,
    primary key (rule_id, group_id)
);
create index approval_rule_groups_by_group on approval_rule_groups (group_id);

-- The protected branches that a rule of a project is for; without one it is for all.
create table approval_rule_branches (
    rule_id bigint not null references approval_rules (id) on delete cascade,
    protected_ref_id bigint not null references protected_refs (id) on delete cascade,
    primary key (rule_id, protected_ref_id)
);
create index approval_rule_branches_by_ref on approval_rule_branches (protected_ref_id);

-- Of a merged merge request: whose approvals counted for a rule.
create table approval_rule_approvers (
    rule_id bigint not null references approval_rules (id) on delete cascade,
    user_id bigint not null references users (id) on delete cascade,
    primary key (rule_id, user_id)
);
create index approval_rule_approvers_by_user on approval_rule_approvers (user_id);

create table merge_request_approvals (
    id identity,
    merge_request_id bigint not null references merge_requests (id) on delete cascade,
    user_id bigint not null references users (id) on delete cascade,
    created_at timestamptz not null
);
create unique index merge_request_approvals_once on merge_request_approvals
    (merge_request_id, user_id);
create index merge_request_approvals_by_user on merge_request_approvals (user_id, merge_request_id);

-- Users whose confirmed addresses committers of its commits have.
create table merge_request_committers (
    merge_request_id bigint not null references merge_requests (id) on delete cascade,
    user_id bigint not null references users (id) on delete cascade,
    primary key (merge_request_id, user_id)
);
create index merge_request_committers_by_user on merge_request_committers (user_id);

-- How merge requests of a project are approved; one without a row has the usual settings.
create table approval_settings (
    project_id bigint not null references projects (id) on delete cascade,
    reset_approvals_on_push boolean not null,
    selective_code_owner_removals boolean not null,
    disable_overriding boolean not null,        -- merge requests keep the project's rules
    author_approval boolean not null,
    disable_committers_approval boolean not null,
    require_reauthentication boolean not null
);
create unique index approval_settings_once on approval_settings (project_id);
