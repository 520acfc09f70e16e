//! Every page rendered with samples and kept below `target/pages/`.

use super::*;
use crate::model::{Namespace, Visibility};
use crate::pages::tree::Branch;
use identity::model::{UserKind, UserState};
use kernel::html::samples::{ago, keep, moment, now, page};
use kernel::http::Text;

fn project(name: &str, visibility: Visibility) -> model::Project {
    model::Project {
        namespace_full_path: "acme/tools".into(),
        name: name.into(),
        full_path: format!("acme/tools/{name}"),
        description: Some("Drop-forged, heat treated, with a warranty of one chase.".into()),
        visibility: visibility.level(),
        archived: name == "rocket-skates",
        last_activity_at: ago(3),
        ..model::Project::default()
    }
}

fn list(rows: Vec<model::Project>) -> ProjectList {
    ProjectList {
        rows,
        with_namespace: true,
        now: now(),
        pages: Pages::default(),
    }
}

fn user(id: i64, name: &str) -> User {
    User {
        id,
        username: name.to_lowercase(),
        name: name.into(),
        email: format!("{}@example.com", name.to_lowercase()),
        public_email: identity::model::Words::default(),
        kind: UserKind::Human,
        state: UserState::Active,
        is_admin: false,
        is_external: false,
        is_private: None,
        password_expired: false,
        locked_until: None,
        confirmed_at: None,
        avatar_key: None,
        projects_limit: 10,
        can_create_group: true,
        page_theme: kernel::html::Theme::System,
        page_density: kernel::html::Density::Comfortable,
        first_day_of_week: kernel::html::FirstDay::Monday,
        time_zone: None,
        feed_token_number: 0,
        last_activity_on: None,
        created_at: ago(700),
        updated_at: ago(700),
    }
}

fn head(kind: &'static str, url: &str) -> SpaceHead {
    SpaceHead {
        kind,
        id: 42,
        name: "Anvil Works".into(),
        full_path: "acme/tools/anvil".into(),
        url: url.into(),
        above: vec![("Acme".into(), "/groups/acme".into())],
        description: "Drop-forged, heat treated, with a warranty of one chase.".into(),
        visibility: "internal".into(),
        is_archived: false,
        has_code: true,
        has_merge_requests: true,
        open_merge_requests: Some(3),
        has_wiki: true,
        has_snippets: true,
        has_pipelines: true,
        has_jobs: true,
        can_push: true,
        has_issues: true,
        has_epics: true,
        has_packages: true,
        has_dependencies: true,
        has_releases: true,
        has_errors: true,
        has_alerts: true,
        members: Some(4),
        can_admin: true,
        can_set_packages: true,
    }
}

fn visibilities() -> Vec<Choice> {
    Choice::list(&[("private", "Private"), ("internal", "Internal"), ("public", "Public")])
}

fn pages(total: u64, url: &str) -> Pages {
    Pages { page: 2, per_page: 20, total, url: url.into() }
}

fn home() -> Home {
    Home {
        url: "/projects",
        page: page("Projects", "projects"),
        filter: HomeFilter { sort: Text("activity".into()), ..HomeFilter::default() },
        scopes: Choice::list(&[("", "All"), ("mine", "Mine"), ("starred", "Starred")]),
        visibilities: Choice::list(&[("", "Any"), ("private", "Private"), ("public", "Public")]),
        sorts: Choice::list(&[("activity", "Last activity"), ("name", "Name")]),
        can_create: true,
        projects: ProjectList {
            pages: pages(57, "/?sort=activity"),
            ..list(vec![
                project("anvil", Visibility::Public),
                project("tunnel-paint", Visibility::Private),
                project("rocket-skates", Visibility::Internal),
            ])
        },
    }
}

#[test]
fn home_lists_filters_and_leads_on_when_empty() {
    let full = keep("home", &home());
    let fresh = keep("home_first", &Home { projects: list(vec![]), ..home() });
    let search = Home {
        filter: HomeFilter { search: Text("<x>".into()), ..HomeFilter::default() },
        projects: list(vec![]),
        ..home()
    };
    let none = keep("home_none", &search);

    assert!(full.contains("21–40 of 57") && full.contains("/acme/tools/anvil"));
    assert!(fresh.contains("Your first project"));
    assert!(none.contains("No project found") && !none.contains("<x>"));
}

#[test]
fn group_pages_render() {
    let research = Namespace {
        id: 7,
        name: "Research".into(),
        full_path: "acme/research".into(),
        ..Namespace::default()
    };
    let tree = |group| Tree {
        groups: vec![Branch {
            group,
            subgroups: 1,
            projects: 3,
            members: 2,
            toggle: Some("/groups?open=7#group-7".into()),
            below: Some(Tree {
                projects: vec![project("anvil", Visibility::Public)],
                more: Some("/groups/acme".into()),
                ..Tree::default()
            }),
        }],
        now: now(),
        ..Tree::default()
    };
    let groups = Groups {
        page: page("Groups", "groups"),
        search: String::new(),
        can_create: true,
        groups: tree(research.clone()),
        pages: Pages::default(),
    };
    assert!(keep("groups", &groups).contains("1 subgroup, 3 projects, 2 members"));

    let group = Group {
        page: page("Anvil Works", "groups").crumb("acme", "/groups/acme").crumb("tools", ""),
        head: head("Group", "/groups/acme/tools"),
        can_create_projects: true,
        can_create_subgroups: true,
        about: String::new(),
        search: String::new(),
        subgroups: tree(research),
        panels: Vec::new(),
        menus: Vec::new(),
        people: Vec::new(),
        projects: list(vec![project("anvil", Visibility::Public)]),
        created_at: moment(90),
        role: "Owner".into(),
    };
    assert!(keep("group", &group).contains("parent_id=42"));
}

#[test]
fn a_project_shows_first_steps() {
    let project = Project {
        page: page("Anvil Works", "projects")
            .crumb("acme", "/groups/acme")
            .crumb("Anvil Works", ""),
        head: head("Project", "/acme/tools/anvil"),
        project: model::Project {
            topics: ::store::Json(vec!["iron".into()]),
            star_count: 3,
            created_at: ago(90),
            ..project("anvil", Visibility::Internal)
        },
        about: "<p>Drop-forged.</p>".into(),
        code: Default::default(),
        panels: Vec::new(),
        menus: Vec::new(),
        people: Vec::new(),
        now: now(),
        role: "Maintainer".into(),
        base_url: "http://localhost:8080".into(),
        can_publish: true,
        is_starred: Some(true),
        can_fork: true,
        source: Some(project("forge", Visibility::Public)),
    };
    let bare = keep("project", &project);

    assert!(bare.contains("name=\"starred\" value=\"0\"") && bare.contains("/-/starrers"));
    assert!(bare.contains("/api/v4/projects/42/packages/generic/anvil/1.0.0/anvil.tar.gz"));
}

#[test]
fn members_and_settings_render() {
    let membership = |id, name: &str| store::MemberRow {
        id,
        access_level: 30,
        created_by_id: None,
        expires_at: None,
        created_at: ago(12),
        requested_at: None,
        user: user(id, name),
    };
    let member = |id, name: &str, inherited: bool| MemberRow {
        member: membership(id, name),
        is_direct: !inherited,
        inherited_from: inherited.then(|| ("acme".into(), "acme".into())),
        can_change: !inherited,
        can_leave: false,
    };
    let members = Members {
        page: page("Members", "projects"),
        head: head("Project", "/acme/tools/anvil"),
        search: String::new(),
        can_manage: true,
        roles: Choice::list(&[("20", "Reporter"), ("30", "Developer"), ("40", "Maintainer")]),
        form: MemberForm::default(),
        errors: Errors::default(),
        members: vec![member(2, "Grace", false), member(3, "Alan", true)],
        requests: vec![membership(7, "Edsger")],
        now: now(),
        way_in: WayIn::None,
        pages: Pages::default(),
        can_share: true,
        shares: Vec::new(),
        invitations: Vec::new(),
        share: ShareForm::default(),
    };
    let html = keep("members", &members);
    assert!(html.contains("name=\"user_id\" value=\"2\""));
    assert!(!html.contains("name=\"user_id\" value=\"3\""));
    assert!(html.contains("Edsger") && html.contains("value=\"approve\""));

    let settings = Settings {
        page: page("Settings", "projects"),
        head: head("Project", "/acme/tools/anvil"),
        form: settings::Fields {
            name: Some("Anvil Works".into()),
            path: Some("anvil".into()),
            visibility: Some("internal".into()),
            topics: Some("iron, heavy".into()),
            ..settings::Fields::default()
        },
        visibilities: visibilities(),
        targets: Choice::list(&[("", "Choose a place"), ("5", "acme")]),
        can_delete: true,
        ..Settings::default()
    };
    let settings = Settings {
        errors: Errors(vec![("path".into(), vec!["has already been taken".into()])]),
        ..settings
    };
    assert!(keep("settings", &settings).contains("Has already been taken"));

    let new = NewSpace {
        page: page("New project", "projects"),
        kind: "project",
        form: create::Form::default(),
        parents: Choice::list(&[("1", "ada"), ("5", "acme/tools")]),
        parent: "5".into(),
        visibilities: visibilities(),
        errors: Errors::default(),
    };
    assert!(keep("new_project", &new).contains("action=\"/projects\""));
}

#[test]
fn forks_and_their_form_render() {
    let head = head("Project", "/acme/tools/anvil");
    let new = NewFork {
        page: page("New fork", "projects"),
        head: head.clone(),
        form: create::Form::default(),
        homes: Choice::list(&[("1", "ada")]),
        home: "1".into(),
        visibilities: visibilities(),
        errors: Errors::default(),
    };
    assert!(keep("new_fork", &new).contains("action=\"/acme/tools/anvil/-/forks\""));
    let forks = Forks {
        page: page("Forks", "projects"),
        head,
        search: String::new(),
        projects: list(vec![project("anvil", Visibility::Public)]),
        can_fork: true,
    };
    assert!(keep("forks", &forks).contains("/-/forks/new"));
}

#[test]
fn tokens_of_a_project_show_roles_and_the_new_secret() {
    let tokens = SpaceTokens {
        page: page("Access tokens", "projects"),
        head: head("Project", "/acme/tools/anvil"),
        secret: Some(ShownSecret { name: "deploy".into(), token: "sample-secret".into() }),
        active: vec![TokenRow {
            id: 3,
            name: "deploy".into(),
            role: "Developer".into(),
            scopes: vec!["api".into()],
            state: "active".into(),
            ..TokenRow::default()
        }],
        inactive: vec![],
        form: TokenForm::default(),
        roles: Choice::list(&[("30", "Developer"), ("40", "Maintainer")]),
        level: "40".into(),
        errors: Errors::default(),
    };
    let html = keep("space_tokens", &tokens);
    assert!(html.contains("sample-secret") && html.contains("Developer"));
    assert!(html.contains("/-/access_tokens?action=rotate&#38;token_id=3"));
}

#[test]
fn a_person_is_shown_with_their_projects() {
    let mut person = Person {
        page: page("Ada", ""),
        user: User { username: "ada".into(), ..user(1, "Ada <Lovelace>") },
        is_self: true,
        is_followed: None,
        panels: Vec::new(),
        status: "On <b>holiday".into(),
        projects: list(vec![]),
        joined_at: Some(moment(700)),
    };
    let empty = keep("person_empty", &person);
    person.projects = list(vec![project("anvil", Visibility::Private)]);
    let full = keep("person", &person);
    assert!(
        empty.contains("/projects/new")
            && !empty.contains("<Lovelace>")
            && !empty.contains("<b>holiday")
    );
    assert!(full.contains("/acme/tools/anvil"));
}
