//! A repository of the cloud, with its issues and pull requests.

use super::double::{Thing, Upstream};
use super::{Code, cloud_is, ended, of_cloud, threads};
use serde_json::{Value, json};
use testkit::TestServer;

const REPOSITORY: &str = "/repositories/ws/tool";
const CREATED: &str = "2020-01-01T10:00:00.123456+00:00";
const UPDATED: &str = "2020-01-02T10:00:00+00:00";

fn user(name: &str) -> Value {
    json!({"account_id": format!("557058:{name}"), "nickname": name, "display_name": name})
}

fn comment(id: i64, name: &str, text: &str, more: Value) -> Value {
    let own = json!({"id": id, "content": {"raw": text}, "user": user(name),
        "created_on": CREATED, "updated_on": CREATED});
    super::with(own, more)
}

fn request(code: &Code, id: i64, state: &str, more: Value) -> Value {
    let side = |branch: &str, commit: &str| {
        json!({"branch": {"name": branch}, "commit": {"hash": &commit[..12]},
            "repository": {"full_name": "ws/tool"}})
    };
    let own = json!({"id": id, "title": format!("Request {id}"), "state": state,
        "description": "After pull request #2, says @{557058:ben}",
        "source": side("feature", &code.feature), "destination": side("main", &code.main),
        "author": user("ada"), "reviewers": [user("ben")],
        "participants": [{"user": user("ben"), "role": "REVIEWER", "approved": true,
            "state": "approved", "participated_on": UPDATED}],
        "created_on": CREATED, "updated_on": UPDATED});
    super::with(own, more)
}

async fn upstream(t: &TestServer, code: &Code) -> Upstream {
    let upstream = Upstream::start(t, true).await;
    cloud_is(t, &upstream).await;
    upstream.has("/user", Thing::One(user("ada")));
    upstream.has(
        "/workspaces/ws/members",
        Thing::List(["ada", "ben", "eve"].map(|name| json!({"user": user(name)})).to_vec()),
    );
    upstream.has(
        REPOSITORY,
        Thing::One(json!({"name": "The Tool", "full_name": "ws/tool", "description": "Hits",
            "is_private": true, "has_issues": true, "has_wiki": false,
            "mainbranch": {"name": "main"}, "links": {
                "clone": [{"name": "https", "href": code.url(t)}],
                "html": {"href": "https://code.example/ws/tool"}}})),
    );
    let milestone = json!({"name": "1.0", "links": {"self": {"href": "https://x/milestones/4"}}});
    let issue = |id: i64, state: &str| {
        json!({"id": id, "title": format!("Issue {id}"), "content": {"raw": "Broken"},
            "state": state, "kind": "bug", "reporter": user("eve"), "assignee": user("ada"),
            "milestone": milestone, "created_on": CREATED, "updated_on": UPDATED})
    };
    let nobody = super::with(issue(2, "wontfix"), json!({"reporter": null, "milestone": null}));
    let issues = vec![issue(1, "new"), nobody, json!({"id": "x"})];
    upstream.has(&format!("{REPOSITORY}/issues"), Thing::List(issues));
    let change = comment(2, "eve", "", json!({"content": {"raw": null}}));
    let said = vec![comment(1, "ben", "Indeed", json!({})), change];
    upstream.has(&format!("{REPOSITORY}/issues/1/comments"), Thing::List(said));
    upstream.has(&format!("{REPOSITORY}/issues/2/comments"), Thing::List(vec![]));
    let foreign = json!({"source": {"branch": {"name": "feature"}, "commit": null,
        "repository": null}, "closed_by": user("ben")});
    let requests = vec![request(code, 1, "OPEN", json!({})), request(code, 2, "DECLINED", foreign)];
    upstream.has(&format!("{REPOSITORY}/pullrequests"), Thing::List(requests));
    let line = json!({"inline": {"path": "a.txt", "from": null, "to": 2}});
    let answer = |to: i64| json!({"parent": {"id": to}, "inline": line["inline"]});
    let said = vec![
        comment(1, "ben", "In code", line.clone()),
        comment(2, "ada", "Answer", answer(1)),
        comment(3, "eve", "", json!({"deleted": true})),
        comment(4, "ben", "Deep", answer(2)),
        comment(5, "eve", "General", json!({})),
    ];
    upstream.has(&format!("{REPOSITORY}/pullrequests/1/comments"), Thing::List(said));
    upstream.has(&format!("{REPOSITORY}/pullrequests/2/comments"), Thing::List(vec![]));
    upstream
}

#[testkit::story(noon)]
async fn a_repository_of_the_cloud_comes_with_issues_and_pull_requests(t: TestServer) {
    let code = Code::begin(&t).await;
    let _upstream = upstream(&t, &code).await;
    let wish = of_cloud(&t, json!({"repo_path": "ws___tool"}));
    let root = t.admin();
    let made = root.post("/import/provider_b_cloud").json(&wish).await.is(201).json();
    assert_eq!(
        (&made["full_path"], &made["name"], &made["import_source"]),
        (&json!("/makers/tool"), &json!("The Tool"), &json!("ws/tool"))
    );
    assert_eq!((&made["relation_type"], &made["import_warning"]), (&Value::Null, &Value::Null));

    let told = ended(&t, &root, &made).await;
    assert_eq!(told["import_status"], "finished", "{told}");
    let failed = told["failed_relations"].as_array().expect("a list");
    assert_eq!(failed.len(), 1, "{told}");
    assert_eq!((&failed[0]["relation_name"], &failed[0]["key"]), (&json!("issue"), &json!("x")));

    let at = format!("/projects/{}", made["id"]);
    let first = root.get(format!("{at}/issues/1")).await.is(200).json();
    assert_eq!(
        (&first["title"], &first["state"], &first["labels"]),
        (&json!("Issue 1"), &json!("opened"), &json!(["bug"]))
    );
    assert_eq!(first["milestone"]["title"], "1.0");
    assert_eq!(first["author"]["name"], "Placeholder eve");
    assert_eq!(first["created_at"], "2020-01-01T10:00:00.123Z");
    let second = root.get(format!("{at}/issues/2")).await.is(200).json();
    assert_eq!((&second["state"], &second["milestone"]), (&json!("closed"), &Value::Null));
    assert_eq!(second["author"]["name"], "Ghost User", "{second}");
    let notes = root.get(format!("{at}/issues/1/notes")).await.is(200);
    assert_eq!(notes.each("body"), [json!("Indeed")], "changes without a word are none");

    let open = root.get(format!("{at}/merge_requests/1")).await.is(200).json();
    assert_eq!((&open["state"], &open["sha"]), (&json!("opened"), &json!(code.feature)));
    let text = open["description"].as_str().expect("a text");
    assert!(text.contains("After !2, says `@ben`"), "{text}");
    assert_eq!(open["reviewers"][0]["name"], "Placeholder ben");
    let gone = root.get(format!("{at}/merge_requests/2")).await.is(200).json();
    assert_eq!(gone["state"], "closed");
    assert_eq!(gone["source_branch"], "PB-unknown-unknown/2/fork/feature");
    assert_eq!(gone["closed_by"]["name"], "Placeholder ben", "{gone}");
    let approved = root.get(format!("{at}/merge_requests/1/approvals")).await.is(200).json();
    assert_eq!(approved["approved_by"][0]["user"]["name"], "Placeholder ben");

    let mut threads = threads(&root, &format!("{at}/merge_requests/1")).await;
    threads.sort_by_key(|(texts, _)| texts[0].clone());
    let texts: Vec<&[String]> = threads.iter().map(|(texts, _)| texts.as_slice()).collect();
    let in_code = ["In code", "Answer", "Deep"].map(str::to_owned);
    assert_eq!(texts, [&["General".to_owned()][..], &in_code[..]]);
    assert_eq!(threads[1].1["new_line"], 2);
}

#[testkit::story(noon)]
async fn a_list_that_leads_elsewhere_ends_the_import(t: TestServer) {
    let code = Code::begin(&t).await;
    let upstream = upstream(&t, &code).await;
    let elsewhere = "http://other.example/2.0/repositories/ws/tool/pullrequests?page=2";
    let page = json!({"values": [], "next": elsewhere});
    upstream.has(&format!("{REPOSITORY}/pullrequests"), Thing::One(page));
    let root = t.admin();
    let wish = of_cloud(&t, json!({}));
    let made = root.post("/import/provider_b_cloud").json(&wish).await.is(201).json();
    let told = ended(&t, &root, &made).await;
    assert_eq!(told["import_status"], "failed", "{told}");
    assert_eq!(told["import_error"], "Invalid pagination URL");
    let again = root.get(format!("/projects/{}", made["id"])).await.is(200).json();
    assert_eq!(again["import_status"], "failed");
}

#[testkit::story(noon)]
async fn a_dry_run_counts_and_makes_nothing(t: TestServer) {
    let code = Code::begin(&t).await;
    let upstream = upstream(&t, &code).await;
    let root = t.admin();
    let wish = of_cloud(&t, json!({"dry_run": true, "target_namespace": "fresh/deep"}));
    let told = root.post("/import/provider_b_cloud").json(&wish).await.is(200).json();
    assert_eq!(told["counts"], json!({"issue": 3, "pull_request": 2}), "{told}");
    assert!(told["estimated_requests"].as_i64().is_some_and(|number| number > 0), "{told}");
    assert!(
        told["stages"].as_array().is_some_and(|all| all.contains(&json!("issues"))),
        "{told}"
    );
    root.get("/groups/fresh").await.is(404);
    assert!(upstream.asked().iter().all(|asked| !asked.contains("comments")));

    // What would not begin is told as if it were meant.
    t.project("makers/tool").await;
    let wish = of_cloud(&t, json!({"dry_run": true}));
    let told = root.post("/import/provider_b_cloud").json(&wish).await.is(422).json();
    assert_eq!(told["message"]["error"], "Path has already been taken", "{told}");
}
