//! Fields, filters and permissions of projects and groups.

use crate::graphql::{ask, data};
use serde_json::{Value, json};
use testkit::{Client, TestServer};

/// The paths of a list of projects.
async fn listed(client: &Client, args: &str) -> Vec<String> {
    let query = format!("{{projects({args}){{nodes{{path}}}}}}");
    let found = data(client, &query).await;
    let nodes = found["projects"]["nodes"].as_array().expect("nodes").clone();
    let path = |node: &Value| node["path"].as_str().unwrap_or_default().to_owned();
    nodes.iter().map(path).collect()
}

/// What a query of `project(fullPath: "acme/anvil")` answers.
async fn anvil(client: &Client, fields: &str) -> Value {
    let query = format!("{{project(fullPath:\"acme/anvil\"){{{fields}}}}}");
    data(client, &query).await["project"].clone()
}

async fn put(t: &TestServer, path: &str, body: Value) {
    t.admin().put(path).json(&body).await.is(200);
}

const PERMISSIONS: &str = "userPermissions{readProject readProjectMember adminProject \
    archiveProject changeNamespace changeVisibilityLevel removeProject renameProject \
    viewEditPage requestAccess}";

#[testkit::story]
async fn projects_pass_the_filters_of_rest(t: TestServer) {
    let jane = t.user("jane").await;
    let anvil = t.project("acme/anvil").await;
    let bolt = t.project("acme/bolt").await;
    let cog = t.project("tools/cog").await;
    anvil.add(&jane, 40).await;
    bolt.add(&jane, 20).await;
    put(
        &t,
        &anvil.at(""),
        json!({"topics": ["iron", "heavy"], "description": "drops on birds",
        "issues_access_level": "disabled"}),
    )
    .await;
    put(
        &t,
        &bolt.at(""),
        json!({"topics": ["iron"], "merge_requests_access_level": "disabled"}),
    )
    .await;
    t.admin().post(cog.at("/archive")).await.is(201);
    let admin = t.admin();
    for (args, paths) in [
        ("", vec!["anvil", "bolt", "cog"]),
        ("archived:INCLUDE", vec!["anvil", "bolt", "cog"]),
        ("archived:ONLY", vec!["cog"]),
        ("archived:EXCLUDE", vec!["anvil", "bolt"]),
        ("topics:[\"iron\"]", vec!["anvil", "bolt"]),
        ("topics:[\"iron\",\"heavy\"]", vec!["anvil"]),
        ("topics:[\"ir%\"]", vec![]),
        ("search:\"BIRDS\"", vec!["anvil"]),
        ("search:\"acme\"", vec![]),
        ("search:\"acme\",searchNamespaces:true", vec!["anvil", "bolt"]),
        ("withIssuesEnabled:true", vec!["bolt", "cog"]),
        ("withMergeRequestsEnabled:true", vec!["anvil", "cog"]),
    ] {
        let sorted = format!("sort:\"path_asc\",{args}");
        assert_eq!(listed(&admin, &sorted).await, paths, "{args}");
    }
    for (level, paths) in [
        ("GUEST", vec!["anvil", "bolt"]),
        ("MAINTAINER", vec!["anvil"]),
        ("OWNER", vec![]),
    ] {
        let args = format!("sort:\"path_asc\",minAccessLevel:{level}");
        assert_eq!(listed(&jane, &args).await, paths, "{level}");
        let rest = match level {
            "GUEST" => 10,
            "MAINTAINER" => 40,
            _ => 50,
        };
        let same = jane.get(format!("/projects?min_access_level={rest}")).await.is(200);
        assert_eq!(same.each("id").len(), paths.len());
    }
    for nobodys in ["minAccessLevel:GUEST", "membership:true", "personal:true"] {
        assert_eq!(listed(&t.anonymous(), nobodys).await, Vec::<String>::new());
    }
}

#[testkit::story]
async fn a_project_tells_what_rest_tells(t: TestServer) {
    let project = t.project("acme/anvil").await;
    put(&t, &project.at(""), json!({"description": "**heavy** <script>x</script>"})).await;
    let rest = t.admin().get(project.at("?statistics=true")).await.is(200).json();
    let fields = "sshUrlToRepo httpUrlToRepo openIssuesCount importStatus descriptionHtml \
        avatarUrl lfsEnabled statistics{storageSize packagesSize repositorySize commitCount}";
    let shown = anvil(&t.admin(), fields).await;
    assert_eq!(shown["sshUrlToRepo"], rest["ssh_url_to_repo"]);
    assert_eq!(shown["httpUrlToRepo"], rest["http_url_to_repo"]);
    assert_eq!(shown["openIssuesCount"], rest["open_issues_count"]);
    assert_eq!(shown["importStatus"], rest["import_status"]);
    assert_eq!((&shown["avatarUrl"], &rest["avatar_url"]), (&json!(null), &json!(null)));
    assert_eq!(shown["lfsEnabled"], rest["lfs_enabled"]);
    let html = shown["descriptionHtml"].as_str().expect("HTML");
    assert!(html.contains("<strong>heavy</strong>") && !html.contains("<script"), "{html}");
}

#[testkit::story]
async fn sizes_are_for_reporters(t: TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    project.generic_package("nail", "1.0").await;
    let (guest, reporter) = (t.user("guest").await, t.user("reporter").await);
    project.add(&guest, 10).await;
    project.add(&reporter, 20).await;
    let rest = t.admin().get(project.at("?statistics=true")).await.is(200).json();
    let size = rest["statistics"]["packages_size"].as_f64().expect("a size");
    assert!(size > 0.0);
    let fields = "statistics{packagesSize storageSize wikiSize}";
    let sizes = json!({"statistics":
        {"packagesSize": size, "storageSize": size, "wikiSize": 0.0}});
    for sees in [&t.admin(), &*reporter] {
        assert_eq!(anvil(sees, fields).await, sizes);
    }
    for not in [&*guest, &t.anonymous()] {
        assert_eq!(anvil(not, fields).await, json!({"statistics": null}));
    }
}

#[testkit::story]
async fn permissions_are_what_rest_permits(t: TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let group = t.group("acme").await;
    let (developer, maintainer) = (t.user("developer").await, t.user("maintainer").await);
    let (owner, stranger) = (t.user("owner").await, t.user("stranger").await);
    project.add(&developer, 30).await;
    project.add(&maintainer, 40).await;
    group.add(&owner, 50).await;
    let of = |read: bool, settings: bool, owns: bool, asks: bool| {
        json!({"userPermissions": {
            "readProject": true, "readProjectMember": read, "adminProject": settings,
            "archiveProject": owns, "changeNamespace": owns, "changeVisibilityLevel": settings,
            "removeProject": owns, "renameProject": settings, "viewEditPage": settings,
            "requestAccess": asks,
        }})
    };
    for (client, rights) in [
        (&t.anonymous(), of(false, false, false, false)),
        (&*stranger, of(true, false, false, true)),
        (&*developer, of(true, false, false, false)),
        (&*maintainer, of(true, true, false, false)),
        (&*owner, of(true, true, true, false)),
        (&t.admin(), of(true, true, true, false)),
    ] {
        assert_eq!(anvil(client, PERMISSIONS).await, rights);
    }
    stranger.post(project.at("/access_requests")).await.is(201);
    assert_eq!(
        anvil(&stranger, PERMISSIONS).await,
        of(true, false, false, false),
        "asked already"
    );
    // What is said is what REST does.
    maintainer.post(project.at("/archive")).await.is(403);
    owner.post(project.at("/archive")).await.is(201);
    developer.put(project.at("")).json(&json!({"name": "b"})).await.is(403);
    maintainer.put(project.at("")).json(&json!({"name": "b"})).await.is(200);
}

#[testkit::story]
async fn rights_come_by_shares_too(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (friends, top) = (t.group("friends").await, t.group("acme").await);
    let (jane, john) = (t.user("jane").await, t.user("john").await);
    friends.add(&jane, 50).await;
    let share = json!({"group_id": friends.id, "group_access": 40});
    t.admin().post(project.at("/share")).json(&share).await.is(201);
    let rights = "userPermissions{adminProject removeProject}";
    assert_eq!(
        anvil(&jane, rights).await["userPermissions"],
        json!({"adminProject": true, "removeProject": false}),
        "never more than the share"
    );
    let inner = t.group("circle").await;
    inner.add(&john, 30).await;
    let share = json!({"group_id": inner.id, "group_access": 50});
    t.admin().post(top.at("/share")).json(&share).await.is(201);
    assert_eq!(
        anvil(&john, rights).await["userPermissions"],
        json!({"adminProject": false, "removeProject": false}),
        "never more than the role"
    );
}

#[testkit::story]
async fn groups_tell_their_permissions_and_groups_below(t: TestServer) {
    let group = t.group("acme").await;
    t.group("acme/tools/small").await;
    put(&t, &group.at(""), json!({"visibility": "public"})).await;
    let (developer, owner) = (t.user("developer").await, t.user("owner").await);
    group.add(&developer, 30).await;
    group.add(&owner, 50).await;
    let query = "{group(fullPath:\"acme\"){userPermissions{readGroup createProjects removeGroup \
        viewEditPage} descendantGroups{nodes{fullPath}} \
        children:descendantGroups(includeParentDescendants:false){nodes{fullPath}} \
        owned:descendantGroups(owned:true,search:\"SMALL\"){nodes{fullPath}}}}";
    let rights = |makes: bool, owns: bool| {
        json!({"readGroup": true, "createProjects": makes,
        "removeGroup": owns, "viewEditPage": owns})
    };
    let all = json!({"nodes": [{"fullPath": "acme/tools"}, {"fullPath": "acme/tools/small"}]});
    let (nothing, small) =
        (json!({"nodes": []}), json!({"nodes": [{"fullPath": "acme/tools/small"}]}));
    for (client, rights, below, owned) in [
        (&t.anonymous(), rights(false, false), &nothing, &nothing),
        (&*developer, rights(true, false), &all, &nothing),
        (&*owner, rights(true, true), &all, &small),
    ] {
        let found = data(client, query).await["group"].clone();
        assert_eq!(found["userPermissions"], rights);
        assert_eq!((&found["descendantGroups"], &found["owned"]), (below, owned));
    }
    let children = data(&owner, query).await["group"]["children"].clone();
    assert_eq!(children, json!({"nodes": [{"fullPath": "acme/tools"}]}));
}

#[testkit::story]
async fn each_group_of_a_list_has_its_own_page(t: TestServer) {
    for path in ["acme/a", "acme/b", "acme/c", "tools/d", "tools/deep/e"] {
        t.project(path).await;
    }
    let list = |args: &str| {
        format!(
            "{{groups{{nodes{{fullPath projects({args}){{nodes{{path}} \
        pageInfo{{hasNextPage hasPreviousPage endCursor}}}}}}}}}}"
        )
    };
    let of = async |args: &str| -> Vec<(String, Vec<String>, bool)> {
        let found = data(&t.admin(), &list(args)).await;
        let nodes = found["groups"]["nodes"].as_array().expect("nodes").clone();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let paths = |node: &Value| {
            node["projects"]["nodes"]
                .as_array()
                .expect("projects")
                .iter()
                .map(|one| text(&one["path"]))
                .collect()
        };
        nodes
            .iter()
            .map(|node| {
                (
                    text(&node["fullPath"]),
                    paths(node),
                    node["projects"]["pageInfo"]["hasNextPage"] == true,
                )
            })
            .collect()
    };
    let row = |group: &str, paths: &[&str], more: bool| {
        (group.to_owned(), paths.iter().map(|one| (*one).to_owned()).collect(), more)
    };
    assert_eq!(
        of("first:2,sort:\"path_asc\"").await,
        [
            row("acme", &["a", "b"], true),
            row("tools", &["d"], false),
            row("tools/deep", &["e"], false)
        ]
    );
    assert_eq!(
        of("last:1,sort:\"path_asc\",includeSubgroups:true").await,
        [
            row("acme", &["c"], false),
            row("tools", &["e"], false),
            row("tools/deep", &["e"], false)
        ]
    );
    assert_eq!(of("first:0").await[0], row("acme", &[], true));
    let answer = ask(&t.admin(), &list("sort:\"size_asc\"")).await;
    assert_eq!(
        answer["data"]["groups"]["nodes"],
        json!([null, null, null]),
        "never null itself"
    );
}
