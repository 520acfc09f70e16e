//! Every page rendered with samples and kept below `target/pages/`.

use super::*;
use crate::pages::tokens::ScopeBox;
use kernel::html::{Flash, PageViewer};

fn viewer() -> Option<PageViewer> {
    Some(PageViewer::new("ada", "Ada Lovelace", true))
}

fn page(title: &str, active: &'static str) -> Page {
    Page {
        viewer: viewer(),
        csrf: "sample".into(),
        active,
        ..Page::new(title)
    }
}

fn moment(days_ago: i64) -> Moment {
    let now: kernel::time::Timestamp = "2026-03-04T10:00:00Z".parse().expect("a fixed time");
    let then = kernel::time::Timestamp::from_second(now.as_second() - days_ago * 86_400);
    Moment::new(then.expect("in range"), now)
}

fn keep(name: &str, template: &impl Template) -> String {
    let html = template.render().expect("it renders");
    assert!(
        !html.contains(" style=") && !html.contains(" onclick="),
        "the policy forbids it"
    );
    assert_eq!(html.matches("<h1").count(), 1, "one heading");
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/pages");
    std::fs::create_dir_all(&folder).expect("a writable target");
    std::fs::write(folder.join(format!("{name}.html")), &html).expect("a writable target");
    html
}

fn user(username: &str, name: &str, state: &str) -> UserRow {
    UserRow {
        username: username.into(),
        name: name.into(),
        email: format!("{username}@example.org"),
        state: state.into(),
        is_admin: username == "ada",
        is_bot: false,
        is_self: false,
        created_at: moment(400),
        last_activity_on: "2026-03-03".into(),
    }
}

fn token(id: i64, name: &str, state: &str) -> TokenRow {
    TokenRow {
        id,
        name: name.into(),
        role: String::new(),
        description: "Nightly build on the old machine".into(),
        scopes: vec!["api".into(), "read_user".into()],
        created_at: moment(30),
        last_used_at: (id == 1).then(|| moment(1)),
        expires_on: "2027-03-01".into(),
        state: state.into(),
    }
}

#[test]
fn sign_in_says_what_failed_and_keeps_the_login() {
    let html = keep(
        "sign_in",
        &SignIn {
            page: Page {
                active: "sign-in",
                ..Page::new("Sign in")
            },
            login: "<ada>".into(),
            error: "Invalid login or password.".into(),
            return_to: "/acme/anvil".into(),
            remember_me: true,
            may_sign_up: true,
        },
    );

    assert!(html.contains("role=\"alert\"") && html.contains("/acme/anvil"));
    assert!(!html.contains("<ada>"));
}

#[test]
fn a_new_token_is_shown_with_the_list() {
    let html = keep(
        "tokens",
        &Tokens {
            page: page("Access tokens", ""),
            secret: Some(ShownSecret {
                name: "ci".into(),
                token: "tnp-sample-secret".into(),
            }),
            active: vec![token(1, "ci", "active"), token(2, "backup", "active")],
            inactive: vec![token(3, "laptop", "revoked")],
            form: TokenForm {
                expires_hint: "At most 365 days from today.".into(),
                scopes: vec![
                    ScopeBox {
                        name: "api".into(),
                        description: "Everything.".into(),
                        checked: true,
                    },
                    ScopeBox {
                        name: "read_user".into(),
                        description: "Your profile, to read.".into(),
                        checked: false,
                    },
                ],
                ..TokenForm::default()
            },
            errors: Errors(vec![("name".into(), vec!["can't be blank".into()])]),
        },
    );

    assert!(
        html.contains("tnp-sample-secret") && html.contains("/-/user_settings/tokens/1/rotate")
    );
    assert!(html.contains("aria-describedby=\"e-name\"") && html.contains("Can&#39;t be blank"));
}

#[test]
fn security_keys_render() {
    let key = |id: i64, name: &str, used: Option<i64>| KeyRow {
        id,
        name: name.into(),
        created_at: moment(40),
        last_used_at: used.map(moment),
    };
    let html = keep(
        "security_keys",
        &SecurityKeys {
            page: page("Security keys", ""),
            keys: vec![key(1, "<blue>", Some(2)), key(2, "safe", None)],
            unusable: String::new(),
            name: "green".into(),
            errors: Errors(vec![("name".into(), vec!["is too long".into()])]),
        },
    );
    assert!(html.contains("keys/2/delete") && html.contains("never used"));
    assert!(!html.contains("<blue>"));
    let html = keep(
        "security_keys_unusable",
        &SecurityKeys {
            page: page("Security keys", ""),
            keys: vec![],
            unusable: "Security keys need a name.".into(),
            name: String::new(),
            errors: Errors::default(),
        },
    );
    assert!(html.contains("need a name") && !html.contains("<script src=\"/-/assets/keys"));
    let step = |has_keys| SecondStep {
        page: page("Two-factor authentication", "sign-in"),
        has_keys,
        error: "That is not right. You have 4 tries left.".into(),
    };
    assert!(keep("second_step", &step(true)).contains("data-key=\"get\""));
    assert!(!keep("second_step_code", &step(false)).contains("data-key"));
}

#[test]
fn profile_and_user_pages_render() {
    let profile = Profile {
        page: Page {
            flash: Flash::done("Profile saved."),
            ..page("Profile", "")
        },
        username: "ada".into(),
        avatar_url: Some("/uploads/-/system/user/avatar/1/a.png".into()),
        name: "Ada Lovelace".into(),
        email: "ada@example.org".into(),
        public_email: String::new(),
        bio: "Numbers and notes.".into(),
        location: String::new(),
        website_url: String::new(),
        organization: String::new(),
        job_title: String::new(),
        pronouns: String::new(),
        private_profile: false,
        joined_at: moment(700),
        errors: Errors::default(),
    };
    assert!(keep("profile", &profile).contains("Profile saved."));

    let forgotten = Door {
        page: Page {
            active: "sign-in",
            ..Page::new("Forgot your password?")
        },
        text: "Enter the address of your account.".into(),
        error: String::new(),
        action: "/users/password/new",
        token: "<token>".into(),
        fields: vec![ui::input("email", "E-mail", "").kind("email").required()],
        button: "Send the link",
    };
    let html = keep("door", &forgotten);
    assert!(html.contains("<label") && html.contains("value=\"&#60;token&#62;\""));

    let users = AdminUsers {
        page: page("Users", "admin"),
        search: String::new(),
        filter: String::new(),
        filters: Choice::list(&[("", "All"), ("blocked", "Blocked")]),
        sort: "name".into(),
        sorts: Choice::list(&[("name", "Name"), ("created", "Newest first")]),
        users: vec![
            user("ada", "Ada Lovelace", "active"),
            user("eve", "Eve Stone", "blocked"),
        ],
        pages: Pages {
            page: 1,
            per_page: 20,
            total: 2,
            url: "/admin/users".into(),
        },
    };
    assert!(keep("admin_users", &users).contains("/admin/users/eve/unblock"));

    let one = AdminUser {
        page: page("Eve Stone", "admin")
            .crumb("Users", "/admin/users")
            .crumb("Eve Stone", ""),
        id: 7,
        user: user("eve", "Eve Stone", "active"),
        initials: "ES".into(),
        note: String::new(),
        last_sign_in_at: Some(moment(2)),
        last_sign_in_ip: "192.0.2.4".into(),
        sign_in_count: 12,
        is_locked: true,
        has_two_factor: true,
        may_end_two_factor: true,
        is_self: false,
        tokens: vec![token(1, "ci", "active")],
    };
    assert!(keep("admin_user", &one).contains("/admin/users/eve/block"));
}

#[test]
fn the_session_that_looks_cannot_end_itself_there() {
    let row = |id, is_current| SessionRow {
        id,
        browser: "Firefox on Linux".into(),
        ip_address: "192.0.2.4".into(),
        is_remembered: true,
        is_current,
        last_used_at: moment(0),
        created_at: moment(3),
    };
    let html = keep(
        "sessions",
        &Sessions {
            page: page("Sessions", ""),
            sessions: vec![row(1, true), row(2, false)],
        },
    );

    assert!(html.contains("sessions/2/revoke") && !html.contains("sessions/1/revoke"));
}
