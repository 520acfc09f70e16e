//! The pages of the settings: every setting has its field on one of them, and a
//! test holds them against the settings there are.

use super::fields::Control::{Amount, Area, Box, Choice, Number, Secret, Text, Weights};
use super::fields::{Field, Section, SettingsPage};
use kernel::quantity::Unit::{Bytes, Days, Hours, Mebibytes, Minutes, Seconds};

const LIST: &str = "With commas between them.";
const KEPT: &str = "Stored encrypted. Left blank, it stays as it is.";
const CONFIRMATIONS: &[(&str, &str)] =
    &[("hard", "Before they sign in"), ("soft", "Within three days"), ("off", "Never")];

/// Fields by their keys: how each is filled in, its label, and perhaps a hint.
macro_rules! fields {
    (@hint) => { "" };
    (@hint $hint:expr) => { $hint };
    ($($key:ident: $control:expr, $label:literal $(, $hint:expr)?;)*) => {
        &[$(Field {
            key: stringify!($key),
            control: $control,
            label: $label,
            hint: fields!(@hint $($hint)?),
        }),*]
    };
}

/// All of them, in the order shown.
pub const PAGES: &[SettingsPage] = &[
    SettingsPage {
        path: "/admin/settings/general",
        label: "General",
        picture: "home",
        sections: GENERAL,
    },
    SettingsPage {
        path: "/admin/settings/sign_in",
        label: "Sign-up and sign-in",
        picture: "user",
        sections: SIGN_IN,
    },
    SettingsPage {
        path: "/admin/settings/sessions",
        label: "Sessions and tokens",
        picture: "key",
        sections: SESSIONS,
    },
    SettingsPage {
        path: "/admin/settings/limits",
        label: "Limits",
        picture: "clock",
        sections: LIMITS,
    },
    SettingsPage {
        path: "/admin/settings/spam",
        label: "Spam protection",
        picture: "shield",
        sections: SPAM,
    },
    SettingsPage {
        path: "/admin/settings/oauth",
        label: "OAuth",
        picture: "lock",
        sections: OAUTH,
    },
    SettingsPage {
        path: "/admin/settings/packages",
        label: "Packages",
        picture: "package",
        sections: PACKAGES,
    },
    SettingsPage {
        path: "/admin/settings/monitoring",
        label: "Monitoring",
        picture: "bell",
        sections: MONITORING,
    },
    SettingsPage {
        path: "/admin/settings/pipelines",
        label: "Pipelines and runners",
        picture: "pipeline",
        sections: PIPELINES,
    },
    SettingsPage {
        path: "/admin/settings/network",
        label: "API and network",
        picture: "globe",
        sections: NETWORK,
    },
];

const PIPELINES: &[Section] = &[
    Section {
        title: "Jobs that nothing happens to",
        text: "They have failed after so long.",
        fields: fields! {
            ci_stuck_running_minutes: Amount(Minutes), "A runner says nothing of a running job";
            ci_stuck_pending_minutes: Amount(Minutes), "No runner takes a job";
        },
    },
    Section {
        title: "Runners",
        text: "",
        fields: fields! {
            allow_runner_registration_token: Box, "Runners may register by a registration token",
                "The old way: a runner that is made on a page or by REST has a token of its own.";
            max_artifacts_size: Number, "Largest file that a job leaves, in MiB";
        },
    },
];

const GENERAL: &[Section] = &[
    Section {
        title: "Front page",
        text: "What people see who are not signed in, above the public projects.",
        fields: fields! {
            instance_name: Text, "Name of this instance",
                "In the header, in window titles and on the front page. Empty for «tenon».";
            front_page_text: Area, "Text of the front page", "Markdown. Everybody may read it.";
        },
    },
    Section {
        title: "Features",
        text: "What is switched off is kept, and nobody sees it.",
        fields: fields! {
            epics_enabled: Box, "Groups have epics", "A group may switch off its own.";
            dependency_exports_enabled: Box, "Projects have lists of dependencies",
                "And exports of them. A group or project may switch off its own.";
            pull_mirror_enabled: Box, "Projects may follow repositories elsewhere",
                "Pull mirrors. A group or project may switch off its own.";
        },
    },
    Section {
        title: "Maintenance",
        text: "",
        fields: fields! {
            maintenance_mode: Box, "Nobody may change anything",
                "For maintenance: people sign in and read. These settings can still be changed.";
        },
    },
];

const SIGN_IN: &[Section] = &[
    Section {
        title: "Sign-in",
        text: "",
        fields: fields! {
            max_login_attempts: Number, "Failed sign-ins that lock an account";
            failed_login_attempts_unlock_period_in_minutes: Amount(Minutes), "How long it stays locked";
            sign_in_limit_per_minute: Number, "Sign-ins a minute from one address";
            notify_on_unknown_sign_in: Box, "Tell people by mail of sign-ins from a new place";
        },
    },
    Section {
        title: "Sign-up",
        text: "",
        fields: fields! {
            signup_enabled: Box, "Anyone may sign up";
            require_admin_approval_after_user_signup: Box, "An administrator lets them in",
                "Who waits stands under Users, and administrators get a mail.";
            email_confirmation_setting: Choice(CONFIRMATIONS),
                "People confirm their e-mail address",
                "Holds for every account, also those administrators make.";
            domain_allowlist: Text, "The only domains of addresses",
                "With commas between them; *.example.com is all below it. Empty for any.";
            domain_denylist_enabled: Box, "Refuse addresses of some domains";
            domain_denylist: Text, "Those domains", LIST;
            delete_unconfirmed_users: Box, "Delete accounts that nobody confirmed",
                "And to which nobody signed in. Administrators' accounts stay.";
            unconfirmed_users_delete_after_days: Amount(Days), "When they go";
        },
    },
    Section {
        title: "Two-factor authentication",
        text: "",
        fields: fields! {
            require_two_factor_authentication: Box, "Everyone needs a second factor",
                "Passwords alone then work on the sign-in page only. Tokens go on working.";
            two_factor_grace_period: Amount(Hours), "Time to set one up",
                "It runs from the first visit on which somebody is asked.";
        },
    },
    Section {
        title: "New users",
        text: "These hold for users made from now on.",
        fields: fields! {
            user_default_external: Box, "New users are external",
                "They see only what they are members of and what is public.";
            user_defaults_to_private_profile: Box, "New users have a private profile";
            can_create_group: Box, "New users may create groups";
            default_projects_limit: Number, "Projects a new user may have";
        },
    },
];

const SESSIONS: &[Section] = &[
    Section {
        title: "Sessions",
        text: "",
        fields: fields! {
            session_expire_delay: Amount(Minutes), "Time without use that ends a session";
            remember_me_enabled: Box, "People may stay signed in on a device";
        },
    },
    Section {
        title: "Access tokens",
        text: "",
        fields: fields! {
            require_personal_access_token_expiry: Box, "Every token has a last day";
            max_personal_access_token_lifetime: Amount(Days), "Longest life of a token", "From 1 day to 365 days.";
            personal_access_token_prefix: Text, "What tokens begin with",
                "So that scanners recognise a token that leaked. Tokens that exist keep theirs.";
            impersonation_enabled: Box,
                "Administrators may act as other users with impersonation tokens";
        },
    },
    Section {
        title: "Rights of administrators",
        text: "",
        fields: fields! {
            admin_mode: Box, "Administrators turn their rights on when they need them",
                "Their sessions have them for six hours then; tokens need the scope admin_mode.";
        },
    },
];

const LIMITS: &[Section] = &[
    Section {
        title: "Request limits",
        text: "Who asks more often is told to wait.",
        fields: fields! {
            throttle_unauthenticated_web_enabled: Box, "Limit pages for who is not signed in";
            throttle_unauthenticated_web_requests_per_period: Number, "Page requests of strangers";
            throttle_unauthenticated_web_period_in_seconds: Amount(Seconds), "Period of page requests of strangers";
            throttle_unauthenticated_api_enabled: Box, "Limit the API for who is not signed in";
            throttle_unauthenticated_api_requests_per_period: Number, "API requests of strangers";
            throttle_unauthenticated_api_period_in_seconds: Amount(Seconds), "Period of API requests of strangers";
            throttle_authenticated_web_enabled: Box, "Limit pages for each user";
            throttle_authenticated_web_requests_per_period: Number, "Page requests of a user";
            throttle_authenticated_web_period_in_seconds: Amount(Seconds), "Period of page requests of a user";
            throttle_authenticated_api_enabled: Box, "Limit the API for each user";
            throttle_authenticated_api_requests_per_period: Number, "API requests of a user";
            throttle_authenticated_api_period_in_seconds: Amount(Seconds), "Period of API requests of a user";
        },
    },
    Section {
        title: "Addresses of one user",
        text: "",
        fields: fields! {
            unique_ips_limit_enabled: Box, "Users may come from so many IP addresses only";
            unique_ips_limit_per_user: Number, "Addresses of one user";
            unique_ips_limit_time_window: Amount(Seconds), "How long an address counts";
        },
    },
];

const SPAM: &[Section] = &[
    Section {
        title: "Spam",
        text: "What people make is looked at first. What is refused stands under Spam.",
        fields: fields! {
            spam_link_limit: Number, "Links in one text", "More are challenged; 0 for any number.";
            spam_rate_limit_per_minute: Number,
                "Things made in a minute by one user, and from one address",
                "More are challenged; 0 for any number.";
            spam_blocked_domains: Text, "Domains that no text may name", LIST;
            spam_check_endpoint_enabled: Box, "Ask an external checker";
            spam_check_endpoint_url: Text, "Its address";
            spam_check_api_key: Secret, "Its key", KEPT;
            spam_check_fail_open: Box, "Let things pass when it does not answer";
        },
    },
    Section {
        title: "Challenge",
        text: "Tells people from programs: version 2 challenges of any maker.",
        fields: fields! {
            captcha_enabled: Box, "Use a challenge";
            captcha_site_key: Text, "Site key";
            captcha_private_key: Secret, "Private key", KEPT;
            captcha_verify_url: Text, "Address that verifies a solution";
            captcha_script_url: Text, "Script that shows the challenge",
                "Pages with a challenge load it from there, and nothing from elsewhere.";
            captcha_origins: Text, "Further origins it loads from", LIST;
            captcha_widget_class: Text, "Class of the element it fills";
            captcha_response_field: Text, "Form field it puts the solution into";
        },
    },
];

const OAUTH: &[Section] = &[Section {
    title: "Applications",
    text: "Programs that act for users.",
    fields: fields! {
        user_oauth_applications: Box, "Users may register applications of their own";
        oauth_refresh_token_lifetime: Amount(Days), "How long a refresh token works after its last use",
            "0 for ever.";
        oauth_password_grant_enabled: Box, "Applications may take passwords",
            "The password grant: for old clients only.";
        ropc_without_client_credentials: Box,
            "They may do so without credentials of their own";
        password_authentication_enabled_for_git: Box,
            "Passwords open Git over HTTPS, and so the password grant";
        disable_admin_oauth_scopes: Box,
            "Administrators give powerful scopes only to applications they trust";
        oauth_allow_http_redirects: Box, "Redirect addresses may be unencrypted",
            "For development.";
        dynamic_client_registration_enabled: Box, "Applications may register themselves";
        dynamic_client_registration_scopes: Text, "The scopes such applications get", LIST;
    },
}];

const PACKAGES: &[Section] = &[Section {
    title: "Packages from elsewhere",
    text: "Clients are sent on to these addresses for packages this server does not have.",
    fields: fields! {
        npm_package_forwarding_url: Text, "npm registry that has what this one has not",
            "Empty for none. Names that are published here are never looked for there.";
        pypi_package_forwarding_url: Text, "The same for PyPI",
            "Its simple index, such as https://python.example/simple.";
        maven_package_forwarding_url: Text, "The same for Maven",
            "The top of its repository, such as https://java.example/maven2.";
    },
}];

const MONITORING: &[Section] = &[
    Section {
        title: "Error tracking",
        text: "",
        fields: fields! {
            integrated_error_tracking_enabled: Box,
                "Projects may receive errors of their programs here";
            error_tracking_events_per_five_minutes: Number,
                "Events a project may receive in five minutes";
            error_tracking_events_per_hour: Number, "The same in an hour",
                "Programs are told to wait when it is full.";
            error_tracking_retention_days: Amount(Days), "How long an event is kept";
            error_tracking_max_sent_size: Amount(Mebibytes), "Largest envelope as it is sent";
            error_tracking_max_decompressed_size: Amount(Mebibytes), "The same once decompressed";
        },
    },
    Section {
        title: "Alerts",
        text: "",
        fields: fields! {
            multiple_alert_integrations_enabled: Box,
                "Projects may have several alert integrations of a kind, and map payloads";
            generic_alert_fingerprinting_enabled: Box,
                "Group alerts without a fingerprint by what they say";
            project_alerts_rate_limit_enabled: Box,
                "Limit the requests with alerts that a project receives",
                "Some monitoring tools drop what is refused for this.";
            project_alerts_requests_per_period: Number, "Requests in a period";
            project_alerts_period_seconds: Amount(Seconds), "Length of a period";
            alerts_stale_hours: Amount(Hours), "When an alert that is sent no more is resolved",
                "0 for never.";
            alerts_retention_days: Amount(Days), "How long a resolved alert is kept", "0 for ever.";
        },
    },
];

const NETWORK: &[Section] = &[
    Section {
        title: "GraphQL",
        text: "",
        fields: fields! {
            graphql_persisted_queries_enabled: Box,
                "Signed-in programs may send a query by its digest",
                "Each server keeps the last 1,000 such queries in memory.";
            graphql_allowed_queries_only: Box, "Answer only the queries on the list",
                "The list is kept by the API, under /application/graphql_queries.";
        },
    },
    Section {
        title: "Search",
        text: "",
        fields: fields! {
            search_rate_limit: Number, "Searches of a user in a minute", "0 for any number.";
            search_rate_limit_unauthenticated: Number,
                "The same from one address without signing in";
        },
    },
    Section {
        title: "Code",
        text: "",
        fields: fields! {
            lfs_enabled: Box, "Projects may have large files (git LFS)";
            receive_max_input_size: Number, "Largest push or large file, in MiB",
                "0 for any size.";
            web_based_commit_signing_enabled: Box,
                "Commits made on pages and by REST are signed by this server";
            repository_size_limit: Amount(Bytes), "Code and large files of a project have at most",
                "Unless the project or a group above it says otherwise; 0 for any size.";
            archive_requests_per_minute: Number,
                "Archives of code that a user may ask for in a minute", "0 for any number.";
            raw_blob_request_limit: Number,
                "Requests for one raw file of a project in a minute", "0 for any number.";
            import_sources: Text, "What projects may be imported from",
                "Of provider_a, provider_b_server, provider_b_cloud, git and project_file, with commas between them.";
            repository_storages_weighted: Weights, "Where new repositories go",
                "Names of storages and how often each is chosen, from 0 to 100: default=100, fast=50.";
            storage_moves_enabled: Box, "Repositories may be moved to another storage";
            repository_storage_moves_at_once: Number, "Repositories that are moved at once",
                "0 lets those that wait go on waiting.";
        },
    },
    Section {
        title: "Merge requests",
        text: "What is beyond is left out, and the page says so.",
        fields: fields! {
            diff_max_patch_bytes: Amount(Bytes), "A file is shown whose changes have less than",
                "512,000 bytes at most.";
            diff_max_files: Number, "Files that are shown", "3,000 at most.";
            diff_max_lines: Number, "Lines that are shown of all files", "100,000 at most.";
        },
    },
    Section {
        title: "Files of texts",
        text: "",
        fields: fields! {
            max_attachment_size: Number, "Largest file of a text, in MiB";
        },
    },
    Section {
        title: "Files of projects",
        text: "",
        fields: fields! {
            max_import_size: Number, "Largest file of a project that is sent here, in MiB",
                "0 for any size.";
            max_import_remote_file_size: Number, "Largest one that is fetched, in MiB",
                "0 for any size.";
            max_decompressed_archive_size: Number, "Most that one unpacks to, in MiB",
                "0 for any size.";
            project_export_limit: Number, "Exports of projects that a user begins in a minute",
                "0 for any number.";
            project_download_export_limit: Number,
                "Downloads of the file of a project by a user in a minute", "0 for any number.";
            project_import_limit: Number, "Files of projects that a user imports in a minute",
                "0 for any number.";
        },
    },
    Section {
        title: "Outgoing calls",
        text: "",
        fields: fields! {
            allow_local_requests_from_web_hooks_and_services: Box,
                "The server may call its own network";
            deny_all_requests_except_allowed: Box,
                "The server may call nothing but what is listed";
            outbound_local_requests_allowlist: Text, "Always allowed",
                "Names, addresses and networks, with commas between them.";
        },
    },
];
