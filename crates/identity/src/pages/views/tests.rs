//! Every page rendered with samples and kept below `target/pages/`.

use super::*;
use crate::model::{Profile, TokenKind, UserKind, UserState};
use crate::pages::tokens::ScopeBox;
use crate::pages::views;
use kernel::html::Flash;
use kernel::html::samples::{ago, keep, now, page};

fn user(username: &str, name: &str, state: UserState) -> User {
    User {
        id: 7,
        username: username.into(),
        name: name.into(),
        email: format!("{username}@example.org"),
        public_email: crate::model::Words::default(),
        kind: UserKind::Human,
        state,
        is_admin: username == "ada",
        is_external: false,
        is_private: None,
        password_expired: false,
        locked_until: Some(ago(-1)),
        confirmed_at: None,
        avatar_key: None,
        projects_limit: 10,
        can_create_group: true,
        page_theme: kernel::html::Theme::System,
        page_density: kernel::html::Density::Comfortable,
        first_day_of_week: kernel::html::FirstDay::Monday,
        time_zone: None,
        feed_token_number: 0,
        last_activity_on: Some(kernel::time::date_of(ago(1))),
        created_at: ago(400),
        updated_at: ago(400),
    }
}

fn whole(user: User) -> Whole {
    Whole {
        user,
        profile: Profile::default(),
        followers: 0,
        following: 0,
        is_followed: false,
        namespace_id: None,
        created_by: None,
        is_private: false,
        two_factor: true,
    }
}

fn token(id: i64, name: &str, revoked: bool) -> AccessToken {
    AccessToken {
        id,
        kind: TokenKind::Personal,
        user_id: 7,
        source_type: None,
        source_id: None,
        access_level: None,
        name: name.into(),
        description: Some("Nightly build on the old machine".into()),
        scopes: "api read_user".into(),
        family_id: None,
        revoked,
        expires_at: Some(kernel::time::date_of(ago(-300))),
        last_used_at: (id == 1).then(|| ago(1)),
        last_used_ips: None,
        created_at: ago(30),
        updated_at: ago(30),
    }
}

fn row(id: i64, name: &str, revoked: bool) -> TokenRow {
    TokenRow::new(&token(id, name, revoked), now())
}

#[test]
fn sign_in_says_what_failed_and_keeps_the_login() {
    let html = keep(
        "sign_in",
        &SignIn {
            page: Page { active: "sign-in", ..Page::new("Sign in") },
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
            secret: Some(ShownSecret { name: "ci".into(), token: "tnp-sample-secret".into() }),
            active: vec![row(1, "ci", false), row(2, "backup", false)],
            inactive: vec![row(3, "laptop", true)],
            form: TokenForm {
                expires_hint: "At most 365 days from today.".into(),
                scopes: vec![
                    ScopeBox { name: "api", description: "Everything.", checked: true },
                    ScopeBox {
                        name: "read_user",
                        description: "Your profile, to read.",
                        checked: false,
                    },
                ],
                ..TokenForm::default()
            },
            feed_token: "feed-x".into(),
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
    let key = |id: i64, name: &str, used: Option<i64>| KeyInfo {
        id,
        name: name.into(),
        created_at: ago(40),
        last_used_at: used.map(ago),
    };
    let html = keep(
        "security_keys",
        &SecurityKeys {
            page: page("Security keys", ""),
            keys: vec![key(1, "<blue>", Some(2)), key(2, "safe", None)],
            now: now(),
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
            now: now(),
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
    let mut ada = whole(user("ada", "Ada Lovelace", UserState::Active));
    ada.profile.texts.bio.0 = Some("Numbers and notes.".into());
    let profile = views::Profile {
        page: Page { flash: Flash::done("Profile saved."), ..page("Profile", "") },
        whole: ada,
        now: now(),
        avatar_url: Some("/uploads/-/system/user/avatar/1/a.png".into()),
        errors: Errors::default(),
    };
    let html = keep("profile", &profile);
    assert!(html.contains("Profile saved.") && html.contains("Numbers and notes."));

    let forgotten = Door {
        page: Page { active: "sign-in", ..Page::new("Forgot your password?") },
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
        form: ListForm { search: None, filter: None, sort: Some("name".into()) },
        filters: Choice::list(&[("", "All"), ("blocked", "Blocked")]),
        sorts: Choice::list(&[("name", "Name"), ("created", "Newest first")]),
        users: vec![
            user("ada", "Ada Lovelace", UserState::Active),
            user("eve", "Eve Stone", UserState::Blocked),
        ],
        own_id: 1,
        now: now(),
        pages: Pages { page: 1, per_page: 20, total: 2, url: "/admin/users".into() },
    };
    assert!(keep("admin_users", &users).contains("/admin/users/eve/unblock"));

    let one = AdminUser {
        page: page("Eve Stone", "admin").crumb("Users", "/admin/users").crumb("Eve Stone", ""),
        whole: whole(user("eve", "Eve Stone", UserState::Active)),
        now: now(),
        tabs: crate::pages::navigation::user_tabs("eve", "Account"),
        secret: None,
        may_end_two_factor: true,
        takes_links: true,
        is_self: false,
        sessions: 2,
        tokens: vec![token(1, "ci", false)],
        hard: false,
        errors: Errors::default(),
    };
    assert!(keep("admin_user", &one).contains("/admin/users/eve/block"));
    let own = keep("admin_user_self", &AdminUser { is_self: true, ..one });
    for verb in ["block", "delete", "demote", "password\""] {
        assert!(!own.contains(&format!("/admin/users/eve/{verb}")), "{verb}");
    }
}

#[test]
fn the_session_that_looks_cannot_end_itself_there() {
    let session = |id| Session {
        id,
        user_id: 7,
        ip_address: Some("192.0.2.4".into()),
        user_agent: None,
        remembered: true,
        last_used_at: ago(0),
        expires_at: ago(-3),
        created_at: ago(3),
        proved_at: ago(3),
        admin_until: None,
    };
    let html = keep(
        "sessions",
        &Sessions {
            page: page("Sessions", ""),
            sessions: vec![session(1), session(2)],
            own: Some(1),
            now: now(),
        },
    );

    assert!(html.contains("sessions/2/revoke") && !html.contains("sessions/1/revoke"));
}
