//! Who may deploy: each rule of a project with each rule of its group, for everybody.

use ::delivery::protection::guard::{Place, may};
use ::spaces::access::find_project;
use identity::viewer::Viewer;
use kernel::ids::Reference;
use serde_json::{Value, json};
use testkit::{TestGroup, TestProject, TestServer, TestUser};

/// Everybody: what they are in the project or, where it says so, elsewhere.
const PEOPLE: [&str; 10] = [
    "guest",
    "reporter",
    "dev",
    "mia",
    "owner",
    "group-dev",
    "group-mia",
    "member",
    "out",
    "root",
];

/// A rule, and whom it lets deploy.
type Row = (&'static str, &'static [&'static str]);

const OF_PROJECT: &[Row] = &[
    ("none", &PEOPLE),
    ("role 30", &["dev", "mia", "owner", "group-dev", "group-mia", "member", "root"]),
    ("role 40", &["mia", "owner", "group-mia", "root"]),
    ("role 60", &["root"]),
    ("user", &["dev", "root"]),
    ("group", &["member", "root"]),
    ("group+", &["member", "group-dev", "group-mia", "root"]),
    ("user or group", &["dev", "member", "root"]),
    ("nobody", &["root"]),
];

/// Roles are those in the group, whatever somebody is in the project.
const OF_GROUP: &[Row] = &[
    ("none", &PEOPLE),
    ("role 30", &["group-dev", "group-mia", "root"]),
    ("role 40", &["group-mia", "root"]),
    ("role 60", &["root"]),
    ("user", &["group-mia", "root"]),
    ("group", &["member", "root"]),
    ("group+", &["member", "group-dev", "group-mia", "root"]),
    ("user or group", &["group-mia", "member", "root"]),
    ("nobody", &["root"]),
];

struct World {
    group: TestGroup,
    project: TestProject,
    team: i64,
    /// Ids in the order of [`PEOPLE`].
    people: Vec<i64>,
}

async fn world(t: &TestServer) -> World {
    let (group, project) = (t.group("acme").await, t.project("acme/anvil").await);
    let team = t.group("acme/team").await;
    let share = json!({"group_id": team.id, "group_access": 30});
    t.admin().post(project.at("/share")).json(&share).await.is(201);
    let mut people = Vec::new();
    for (at, name) in PEOPLE.iter().take(9).enumerate() {
        let user: TestUser = t.user(name).await;
        match at {
            0..5 => project.add(&user, 10 * (at as i64 + 1)).await,
            5 | 6 => group.add(&user, 10 * (at as i64 - 2)).await,
            7 => team.add(&user, 40).await,
            _ => {}
        }
        people.push(user.id);
    }
    people.push(1);
    World { group, project, team: team.id, people }
}

/// The levels of a rule; none where there is no rule.
fn levels(world: &World, row: &str, user: &str) -> Option<Value> {
    let at = PEOPLE.iter().position(|name| *name == user).expect("one of them");
    let user = json!({"user_id": world.people[at]});
    let group = |kind: i64| json!({"group_id": world.team, "group_inheritance_type": kind});
    Some(match row {
        "none" => return None,
        "user" => json!([user]),
        "group" => json!([group(0)]),
        "group+" => json!([group(1)]),
        "user or group" => json!([user, group(0)]),
        "nobody" => json!([]),
        role => json!([{"access_level": role["role ".len()..].parse::<i64>().unwrap()}]),
    })
}

async fn set(t: &TestServer, at: &str, levels: Option<Value>) {
    t.admin().delete(format!("{at}/production")).await;
    if let Some(levels) = levels {
        let body = json!({"name": "production", "deploy_access_levels": levels});
        t.admin().post(at).json(&body).await.is(201);
    }
}

/// Who of all deploys to `production` now.
async fn deployers(t: &TestServer, world: &World) -> Vec<&'static str> {
    let (project, people) = (world.project.id, world.people.clone());
    let found = t.app().read(move |tx| {
        let project = find_project(tx, &Reference::Id(project))?.expect("a project");
        let mut found = Vec::new();
        for id in &people {
            let user = identity::users::find(tx, *id)?.expect("a user");
            let viewer = Viewer::addressed(user);
            found.push(may(tx, &viewer, &project, &Place::named("production"))?);
        }
        Ok(found)
    });
    let found = found.await.unwrap();
    let all = PEOPLE.iter().zip(found);
    all.filter_map(|(name, may)| may.then_some(*name)).collect()
}

#[testkit::story]
async fn both_the_project_and_the_group_have_to_let_them(t: TestServer) {
    let world = world(&t).await;
    let own = world.project.at("/protected_environments");
    let of_group = world.group.at("/protected_environments");
    for (row, lets) in OF_PROJECT {
        set(&t, &own, levels(&world, row, "dev")).await;
        for (group_row, group_lets) in OF_GROUP {
            set(&t, &of_group, levels(&world, group_row, "group-mia")).await;
            let both = |name: &&&str| lets.contains(*name) && group_lets.contains(*name);
            let wanted: Vec<&str> = PEOPLE.iter().filter(both).copied().collect();
            let found = deployers(&t, &world).await;
            assert_eq!(found, wanted, "project: {row}, group: {group_row}");
        }
    }
    // A tier of a group says nothing of other environments.
    set(&t, &own, None).await;
    let staging = t.app().read({
        let (project, guest) = (world.project.id, world.people[0]);
        move |tx| {
            let project = find_project(tx, &Reference::Id(project))?.expect("a project");
            let user = identity::users::find(tx, guest)?.expect("a user");
            may(tx, &Viewer::addressed(user), &project, &Place::named("staging"))
        }
    });
    assert!(staging.await.unwrap());
}
