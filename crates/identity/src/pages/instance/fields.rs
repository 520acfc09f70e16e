//! The form's sections: every setting has its field here, and a test holds
//! them against the settings there are.

/// What a field is filled in with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// Yes or no.
    Box,
    Number,
    Text,
    /// One line that is never shown again.
    Secret,
    /// One of these: value and label.
    Choice(&'static [(&'static str, &'static str)]),
}

#[derive(Debug, Clone, Copy)]
pub struct Field {
    pub key: &'static str,
    /// How it is filled in.
    pub control: Control,
    pub label: &'static str,
    /// More about it, or empty.
    pub hint: &'static str,
}

#[derive(Debug, Clone, Copy)]
pub struct Section {
    pub title: &'static str,
    /// A sentence below it, or empty.
    pub text: &'static str,
    pub fields: &'static [Field],
}

const fn field(key: &'static str, control: Control, label: &'static str) -> Field {
    Field {
        key,
        control,
        label,
        hint: "",
    }
}

const fn yes_no(key: &'static str, label: &'static str) -> Field {
    field(key, Control::Box, label)
}

const fn number(key: &'static str, label: &'static str) -> Field {
    field(key, Control::Number, label)
}

const fn text(key: &'static str, label: &'static str) -> Field {
    field(key, Control::Text, label)
}

const fn secret(key: &'static str, label: &'static str) -> Field {
    field(key, Control::Secret, label).hint("Stored encrypted. Left blank, it stays as it is.")
}

impl Field {
    const fn hint(mut self, hint: &'static str) -> Field {
        self.hint = hint;
        self
    }
}

const LIST: &str = "With commas between them.";

const SIGN_IN: &[Field] = &[
    number("max_login_attempts", "Failed sign-ins that lock an account"),
    number(
        "failed_login_attempts_unlock_period_in_minutes",
        "Minutes it stays locked",
    ),
    number(
        "sign_in_limit_per_minute",
        "Sign-ins a minute from one address",
    ),
    number(
        "session_expire_delay",
        "Minutes without use that end a session",
    ),
    yes_no(
        "remember_me_enabled",
        "People may stay signed in on a device",
    ),
    yes_no(
        "notify_on_unknown_sign_in",
        "Tell people by mail of sign-ins from a new place",
    ),
];

const ADMINISTRATION: &[Field] = &[
    yes_no("maintenance_mode", "Nobody may change anything")
        .hint("For maintenance: people sign in and read. These settings can still be changed."),
    yes_no(
        "admin_mode",
        "Administrators turn their rights on when they need them",
    )
    .hint("Their sessions have them for six hours then; tokens need the scope admin_mode."),
    yes_no(
        "unique_ips_limit_enabled",
        "Users may come from so many IP addresses only",
    ),
    number("unique_ips_limit_per_user", "Addresses"),
    number("unique_ips_limit_time_window", "in seconds"),
];

const SIGN_UP: &[Field] = &[
    yes_no("signup_enabled", "Anyone may sign up"),
    yes_no(
        "require_admin_approval_after_user_signup",
        "An administrator lets them in",
    )
    .hint("Who waits stands under Users, and administrators get a mail."),
    field(
        "email_confirmation_setting",
        Control::Choice(&[
            ("hard", "Before they sign in"),
            ("soft", "Within three days"),
            ("off", "Never"),
        ]),
        "People confirm their e-mail address",
    )
    .hint("Holds for every account, also those administrators make."),
    text("domain_allowlist", "The only domains of addresses")
        .hint("With commas between them; *.example.com is all below it. Empty for any."),
    yes_no(
        "domain_denylist_enabled",
        "Refuse addresses of some domains",
    ),
    text("domain_denylist", "Those domains").hint(LIST),
    yes_no(
        "delete_unconfirmed_users",
        "Delete accounts that nobody confirmed",
    )
    .hint("And to which nobody signed in. Administrators' accounts stay."),
    number(
        "unconfirmed_users_delete_after_days",
        "Days after which they go",
    ),
];

const TWO_FACTOR: &[Field] = &[
    yes_no(
        "require_two_factor_authentication",
        "Everyone needs a second factor",
    )
    .hint("Passwords alone then work on the sign-in page only. Tokens go on working."),
    number("two_factor_grace_period", "Hours to set one up")
        .hint("They run from the first visit on which somebody is asked."),
];
const NEW_USERS: &[Field] = &[
    yes_no("user_default_external", "New users are external")
        .hint("They see only what they are members of and what is public."),
    yes_no(
        "user_defaults_to_private_profile",
        "New users have a private profile",
    ),
    yes_no("can_create_group", "New users may create groups"),
    number("default_projects_limit", "Projects a new user may have"),
];

const SPAM: &[Field] = &[
    number("spam_link_limit", "Links in one text").hint("More are challenged; 0 for any number."),
    number(
        "spam_rate_limit_per_minute",
        "Things made in a minute by one user, and from one address",
    )
    .hint("More are challenged; 0 for any number."),
    text("spam_blocked_domains", "Domains that no text may name").hint(LIST),
    yes_no("spam_check_endpoint_enabled", "Ask an external checker"),
    text("spam_check_endpoint_url", "Its address"),
    secret("spam_check_api_key", "Its key"),
    yes_no(
        "spam_check_fail_open",
        "Let things pass when it does not answer",
    ),
];

const CAPTCHA: &[Field] = &[
    yes_no("captcha_enabled", "Use a challenge"),
    text("captcha_site_key", "Site key"),
    secret("captcha_private_key", "Private key"),
    text("captcha_verify_url", "Address that verifies a solution"),
    text("captcha_script_url", "Script that shows the challenge")
        .hint("Pages with a challenge load it from there, and nothing from elsewhere."),
    text("captcha_origins", "Further origins it loads from").hint(LIST),
    text("captcha_widget_class", "Class of the element it fills"),
    text(
        "captcha_response_field",
        "Form field it puts the solution into",
    ),
];

const TOKENS: &[Field] = &[
    yes_no(
        "require_personal_access_token_expiry",
        "Every token has a last day",
    ),
    number("max_personal_access_token_lifetime", "Most days until then").hint("1 to 365."),
    text("personal_access_token_prefix", "What tokens begin with")
        .hint("So that scanners recognise a token that leaked. Tokens that exist keep theirs."),
    yes_no(
        "impersonation_enabled",
        "Administrators may act as other users with impersonation tokens",
    ),
];

const OAUTH: &[Field] = &[
    yes_no(
        "user_oauth_applications",
        "Users may register applications of their own",
    ),
    number(
        "oauth_refresh_token_lifetime",
        "Days a refresh token works after its last use",
    )
    .hint("0 is for ever."),
    yes_no(
        "oauth_password_grant_enabled",
        "Applications may take passwords",
    )
    .hint("The password grant: for old clients only."),
    yes_no(
        "ropc_without_client_credentials",
        "They may do so without credentials of their own",
    ),
    yes_no(
        "password_authentication_enabled_for_git",
        "Passwords open Git over HTTPS, and so the password grant",
    ),
    yes_no(
        "disable_admin_oauth_scopes",
        "Administrators give powerful scopes only to applications they trust",
    ),
    yes_no(
        "oauth_allow_http_redirects",
        "Redirect addresses may be unencrypted",
    )
    .hint("For development."),
    yes_no(
        "dynamic_client_registration_enabled",
        "Applications may register themselves",
    ),
    text(
        "dynamic_client_registration_scopes",
        "The scopes such applications get",
    )
    .hint(LIST),
];

const LIMITS: &[Field] = &[
    yes_no(
        "throttle_unauthenticated_web_enabled",
        "Limit pages for who is not signed in",
    ),
    number(
        "throttle_unauthenticated_web_requests_per_period",
        "Requests",
    ),
    number(
        "throttle_unauthenticated_web_period_in_seconds",
        "in seconds",
    ),
    yes_no(
        "throttle_unauthenticated_api_enabled",
        "Limit the API for who is not signed in",
    ),
    number(
        "throttle_unauthenticated_api_requests_per_period",
        "Requests",
    ),
    number(
        "throttle_unauthenticated_api_period_in_seconds",
        "in seconds",
    ),
    yes_no(
        "throttle_authenticated_web_enabled",
        "Limit pages for each user",
    ),
    number("throttle_authenticated_web_requests_per_period", "Requests"),
    number("throttle_authenticated_web_period_in_seconds", "in seconds"),
    yes_no(
        "throttle_authenticated_api_enabled",
        "Limit the API for each user",
    ),
    number("throttle_authenticated_api_requests_per_period", "Requests"),
    number("throttle_authenticated_api_period_in_seconds", "in seconds"),
];

const OUTBOUND: &[Field] = &[
    yes_no(
        "allow_local_requests_from_web_hooks_and_services",
        "The server may call its own network",
    ),
    yes_no(
        "deny_all_requests_except_allowed",
        "The server may call nothing but what is listed",
    ),
    text("outbound_local_requests_allowlist", "Always allowed")
        .hint("Names, addresses and networks, with commas between them."),
];

const GRAPHQL: &[Field] = &[
    yes_no(
        "graphql_persisted_queries_enabled",
        "Signed-in programs may send a query by its digest",
    )
    .hint("Each server keeps the last 1,000 such queries in memory."),
    yes_no(
        "graphql_allowed_queries_only",
        "Answer only the queries on the list",
    )
    .hint("The list is kept by the API, under /application/graphql_queries."),
];

const PACKAGES: &[Field] = &[
    text(
        "npm_package_forwarding_url",
        "npm registry that has what this one has not",
    )
    .hint("Empty for none. Names that are published here are never looked for there."),
    text("pypi_package_forwarding_url", "The same for PyPI")
        .hint("Its simple index, such as https://python.example/simple."),
    text("maven_package_forwarding_url", "The same for Maven")
        .hint("The top of its repository, such as https://java.example/maven2."),
];

const ERRORS: &[Field] = &[
    yes_no(
        "integrated_error_tracking_enabled",
        "Projects may receive errors of their programs here",
    ),
    number(
        "error_tracking_events_per_five_minutes",
        "Events a project may receive in five minutes",
    ),
    number("error_tracking_events_per_hour", "The same in an hour")
        .hint("Programs are told to wait when it is full."),
    number("error_tracking_retention_days", "Days an event is kept"),
    number(
        "error_tracking_max_sent_size",
        "Largest envelope as it is sent, in MiB",
    ),
    number(
        "error_tracking_max_decompressed_size",
        "The same once decompressed",
    ),
];

const ALERTS: &[Field] = &[
    yes_no(
        "multiple_alert_integrations_enabled",
        "Projects may have several alert integrations of a kind, and map payloads",
    ),
    yes_no(
        "generic_alert_fingerprinting_enabled",
        "Group alerts without a fingerprint by what they say",
    ),
    yes_no(
        "project_alerts_rate_limit_enabled",
        "Limit the requests with alerts that a project receives",
    )
    .hint("Some monitoring tools drop what is refused for this."),
    number("project_alerts_requests_per_period", "Requests in a period"),
    number("project_alerts_period_seconds", "Seconds of a period"),
    number(
        "alerts_stale_hours",
        "Hours after which an alert that is sent no more is resolved",
    )
    .hint("0 for never."),
    number("alerts_retention_days", "Days a resolved alert is kept").hint("0 for ever."),
];

/// All of them, in the order shown.
pub const SECTIONS: &[Section] = &[
    Section {
        title: "Sign-in and sessions",
        text: "",
        fields: SIGN_IN,
    },
    Section {
        title: "Administration and safety",
        text: "",
        fields: ADMINISTRATION,
    },
    Section {
        title: "Sign-up",
        text: "",
        fields: SIGN_UP,
    },
    Section {
        title: "Two-factor authentication",
        text: "",
        fields: TWO_FACTOR,
    },
    Section {
        title: "New users",
        text: "These hold for users made from now on.",
        fields: NEW_USERS,
    },
    Section {
        title: "Spam",
        text: "What people make is looked at first. What is refused stands under Spam above.",
        fields: SPAM,
    },
    Section {
        title: "Challenge",
        text: "Tells people from programs: version 2 challenges of any maker.",
        fields: CAPTCHA,
    },
    Section {
        title: "Access tokens",
        text: "",
        fields: TOKENS,
    },
    Section {
        title: "Applications",
        text: "Programs that act for users.",
        fields: OAUTH,
    },
    Section {
        title: "Request limits",
        text: "Who asks more often is told to wait.",
        fields: LIMITS,
    },
    Section {
        title: "GraphQL",
        text: "",
        fields: GRAPHQL,
    },
    Section {
        title: "Packages from elsewhere",
        text: "Clients are sent on to these addresses for packages this server does not have.",
        fields: PACKAGES,
    },
    Section {
        title: "Error tracking",
        text: "",
        fields: ERRORS,
    },
    Section {
        title: "Alerts",
        text: "",
        fields: ALERTS,
    },
    Section {
        title: "Outgoing calls",
        text: "",
        fields: OUTBOUND,
    },
];
