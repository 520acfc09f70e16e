//! Runners: who makes and manages them, and what their programs ask.

use serde_json::{Value, json};
use testkit::{Client, TestServer};

async fn made(client: &Client, body: Value) -> (i64, String) {
    let answer = client.post("/user/runners").json(&body).await.is(201).json();
    let token = answer["token"].as_str().unwrap_or_default().to_owned();
    (answer["id"].as_i64().unwrap_or_default(), token)
}

fn message(text: &str) -> Value {
    json!({"message": text})
}

#[testkit::story]
async fn each_kind_of_runner_has_its_managers(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let group = t.group("acme").await;
    let (owner, maintainer) = (t.user("olga").await, t.user("max").await);
    let (developer, outsider) = (t.user("dev").await, t.user("out").await);
    group.add(&owner, 50).await;
    project.add(&maintainer, 40).await;
    project.add(&developer, 30).await;
    let of_project = json!({"runner_type": "project_type", "project_id": project.id});
    let of_group = json!({"runner_type": "group_type", "group_id": group.id});
    let of_instance = json!({"runner_type": "instance_type"});
    let (admin, nobody) = (t.admin(), t.anonymous());
    // Who makes one: a project's, a group's, the instance's.
    let makers: [(&str, &Client, [u16; 3]); 6] = [
        ("administrator", &admin, [201, 201, 201]),
        ("owner", &owner, [201, 201, 403]),
        ("maintainer", &maintainer, [201, 403, 403]),
        ("developer", &developer, [403, 403, 403]),
        ("outsider", &outsider, [404, 404, 403]),
        ("nobody", &nobody, [401, 401, 401]),
    ];
    for (who, client, expected) in makers {
        for (body, status) in [&of_project, &of_group, &of_instance].into_iter().zip(expected) {
            let got = client.post("/user/runners").json(body).await.status;
            assert_eq!(got, status, "{who} makes {body}");
        }
    }
    let (in_project, _) = made(&admin, of_project).await;
    let (in_group, _) = made(&admin, of_group).await;
    let (anywhere, _) = made(&admin, of_instance).await;
    let all = [in_project, in_group, anywhere];
    // Who sees it, and then who changes it.
    let rights: [(&str, &Client, [u16; 3], [u16; 3]); 6] = [
        ("administrator", &admin, [200, 200, 200], [200, 200, 200]),
        ("owner", &owner, [200, 200, 200], [200, 200, 403]),
        ("maintainer", &maintainer, [200, 403, 200], [200, 403, 403]),
        ("developer", &developer, [403, 403, 200], [403, 403, 403]),
        ("outsider", &outsider, [404, 404, 200], [404, 404, 403]),
        ("nobody", &nobody, [401, 401, 401], [401, 401, 401]),
    ];
    let change = json!({"description": "anvil"});
    for (who, client, reads, writes) in rights {
        for (at, id) in all.into_iter().enumerate() {
            let one = format!("/runners/{id}");
            assert_eq!(client.get(&one).await.status, reads[at], "{who} reads {at}");
            let managers = client.get(format!("{one}/managers")).await.status;
            assert_eq!(managers, reads[at], "{who} reads managers of {at}");
            let changed = client.put(&one).json(&change).await.status;
            assert_eq!(changed, writes[at], "{who} changes {at}");
            let reset = client.post(format!("{one}/reset_authentication_token")).await.status;
            let expected = if writes[at] == 200 { 201 } else { writes[at] };
            assert_eq!(reset, expected, "{who} resets {at}");
        }
    }
    let refused = developer.get(format!("/runners/{in_project}")).await.is(403).json();
    assert_eq!(refused, message("403 Forbidden - No access granted"));
    admin.get("/runners/99999").await.is(404);
    for (client, id, status) in [
        (&developer, in_project, 403),
        (&outsider, in_group, 404),
        (&owner, anywhere, 403),
    ] {
        client.delete(format!("/runners/{id}")).await.is(status);
    }
    owner.delete(format!("/runners/{in_group}")).await.is(204);
    maintainer.delete(format!("/runners/{in_project}")).await.is(204);
    let narrow = t.token_of(1, &["create_runner"]).await;
    made(&narrow, json!({"runner_type": "instance_type"})).await;
    narrow.get("/projects").await.is(403);
}

#[testkit::story]
async fn a_runner_is_what_was_said_of_it(t: TestServer) {
    let (project, admin) = (t.project("acme/anvil").await, t.admin());
    let body = json!({"runner_type": "project_type", "project_id": project.id,
        "description": "The forge", "tag_list": "rust, linux,rust", "run_untagged": false,
        "locked": true, "access_level": "ref_protected", "maximum_timeout": 600,
        "maintenance_note": "in the cellar"});
    let (id, token) = made(&admin, body).await;
    assert!(token.starts_with("glrt-"), "{token}");
    let shown = admin.get(format!("/runners/{id}")).await.is(200);
    assert!(!shown.text().contains(&token), "a token is shown once");
    let expected = json!({"id": id, "description": "The forge", "ip_address": "",
        "active": true, "paused": false, "is_shared": false, "runner_type": "project_type",
        "name": null, "online": null, "status": "not_connected", "tag_list": ["linux", "rust"],
        "run_untagged": false, "locked": true, "maximum_timeout": 600,
        "access_level": "ref_protected", "version": null, "revision": null, "platform": null,
        "architecture": null, "contacted_at": null, "maintenance_note": "in the cellar",
        "projects": [{"id": project.id, "name": "anvil", "name_with_namespace": "acme / anvil",
            "path": "anvil", "path_with_namespace": "acme/anvil"}]});
    assert_eq!(shown.json(), expected);

    let one = format!("/runners/{id}");
    let paused = admin.put(&one).json(&json!({"active": false})).await.is(200).json();
    assert_eq!(
        (&paused["paused"], &paused["status"], &paused["tag_list"]),
        (&json!(true), &json!("paused"), &json!(["linux", "rust"]))
    );
    let freed = json!({"paused": false, "maximum_timeout": null, "tag_list": [],
        "run_untagged": true});
    let freed = admin.put(&one).json(&freed).await.is(200).json();
    assert_eq!(
        (&freed["active"], &freed["maximum_timeout"], &freed["tag_list"]),
        (&json!(true), &json!(null), &json!([]))
    );

    let empty = admin.put(&one).json(&json!({})).await.is(400).json();
    assert!(
        empty["error"].as_str().is_some_and(|text| text.contains("at least one")),
        "{empty}"
    );
    let both = admin.put(&one).json(&json!({"active": true, "paused": true})).await.is(400);
    assert_eq!(both.json()["error"], "active, paused are mutually exclusive");
    let nothing = "can not be empty when runner is not allowed to pick untagged jobs";
    for (body, field, text) in [
        (
            json!({"maximum_timeout": 599}),
            "maximum_timeout",
            "needs to be at least 10 minutes",
        ),
        (json!({"run_untagged": false}), "tags_list", nothing),
        (
            json!({"maintenance_note": "x".repeat(1025)}),
            "maintenance_note",
            "is too long (maximum is 1024 characters)",
        ),
    ] {
        let answer = admin.put(&one).json(&body).await.is(400).json();
        assert_eq!(answer["message"][field], json!([text]), "{body}");
    }
    admin.put(&one).json(&json!({"access_level": "all"})).await.is(400);
    for body in [
        json!({"runner_type": "group_type"}),
        json!({"runner_type": "project_type", "group_id": 1}),
        json!({"runner_type": "instance_type", "project_id": project.id}),
        json!({"runner_type": "shared"}),
        json!({}),
    ] {
        admin.post("/user/runners").json(&body).await.is(400);
    }
    let old = "Wed, 21 Oct 2015 07:28:00 GMT";
    admin.delete(&one).header("if-unmodified-since", old).await.is(412);
    admin.delete(&one).await.is(204);
    admin.get(&one).await.is(404);
}

#[testkit::story(noon)]
async fn lists_have_the_runners_that_take_its_jobs(t: TestServer) {
    let (project, other) = (t.project("acme/anvil").await, t.project("acme/bellows").await);
    let group = t.group("acme").await;
    let maintainer = t.user("max").await;
    project.add(&maintainer, 40).await;
    let admin = t.admin();
    let of = |kind: &str, more: Value| {
        let mut body = json!({"runner_type": kind});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let tags = json!({"project_id": project.id, "tag_list": ["rust", "linux"]});
    let (own, token) = made(&admin, of("project_type", tags)).await;
    let elsewhere = json!({"project_id": other.id, "paused": true});
    let (theirs, _) = made(&admin, of("project_type", elsewhere)).await;
    let (shared, _) = made(&admin, of("group_type", json!({"group_id": group.id}))).await;
    let (anywhere, _) = made(&admin, of("instance_type", json!({}))).await;
    let verify = json!({"token": token, "system_id": "s_1", "info": {"version": "17.5.1"}});
    t.anonymous().post("/runners/verify").json(&verify).await.is(200);

    let (ours, groups) = (project.at("/runners"), group.at("/runners"));
    let all = [own, theirs, shared, anywhere];
    for (client, at, expected) in [
        (&admin, "/runners/all", &all[..]),
        (&*maintainer, "/runners", &[own]),
        (&*maintainer, &ours, &[own, shared, anywhere]),
        (&admin, &groups, &[shared, anywhere]),
        (&admin, "/runners/all?type=project_type", &[own, theirs]),
        (&admin, "/runners/all?paused=true", &[theirs]),
        (&admin, "/runners/all?status=paused", &[theirs]),
        (&admin, "/runners/all?status=active", &[own, shared, anywhere]),
        (&admin, "/runners/all?status=online", &[own]),
        (&admin, "/runners/all?status=never_contacted", &[theirs, shared, anywhere]),
        (&admin, "/runners/all?status=not_connected&paused=false", &[shared, anywhere]),
        (&admin, "/runners/all?tag_list=linux,rust", &[own]),
        (&admin, "/runners/all?tag_list=lin", &[]),
        (&admin, "/runners/all?tag_list=Rust", &[]),
        (&admin, "/runners/all?version_prefix=17.", &[own]),
        (&admin, "/runners/all?version_prefix=1%25", &[]),
        (&admin, "/runners/all?scope=shared", &[anywhere]),
        (&admin, "/runners/all?scope=online", &[own]),
    ] {
        let shown = client.get(at).await.is(200);
        let ids: Vec<i64> = shown.each("id").iter().filter_map(Value::as_i64).collect();
        assert_eq!(ids, expected, "{at}");
    }
    let page = admin.get("/runners/all?per_page=2&page=2").await.is(200);
    assert_eq!((page.header("x-total"), page.each("id").len()), ("4", 2));
    maintainer.get("/runners/all").await.is(403);
    maintainer.get(&groups).await.is(403);
    let wrong = admin.get("/runners/all?scope=mine").await.is(400).json();
    assert_eq!(wrong, message("Scope contains invalid value"));
    admin.get("/runners/all?status=asleep").await.is(400);

    // What was heard of grows old.
    let status = async |id: i64| {
        let shown = admin.get(format!("/runners/{id}")).await.is(200).json();
        (shown["status"].clone(), shown["online"].clone())
    };
    assert_eq!(status(own).await, (json!("online"), json!(true)));
    t.advance(3 * 3600);
    assert_eq!(status(own).await, (json!("offline"), json!(false)));
    t.advance(7 * 24 * 3600);
    assert_eq!(status(own).await, (json!("stale"), json!(false)));
    assert_eq!(status(anywhere).await, (json!("stale"), json!(null)));
    assert_eq!(admin.get("/runners/all?status=offline").await.each("id"), [json!(own)]);
}

#[testkit::story]
async fn a_project_runner_serves_further_projects(t: TestServer) {
    let (project, other) = (t.project("acme/anvil").await, t.project("acme/bellows").await);
    let (both, one) = (t.user("max").await, t.user("may").await);
    for project in [&project, &other] {
        project.add(&both, 40).await;
    }
    other.add(&one, 40).await;
    let admin = t.admin();
    let of = json!({"runner_type": "project_type", "project_id": project.id});
    let (id, _) = made(&admin, of.clone()).await;
    let give = json!({"runner_id": id});
    let to = other.at("/runners");
    one.post(&to).json(&give).await.is(404);
    let given = both.post(&to).json(&give).await.is(201).json();
    assert_eq!(given["id"], id);
    both.post(&to).json(&give).await.is(400);
    let refused = both.delete(format!("/runners/{id}")).await.is(403).json();
    let text = "403 Forbidden - Runner associated with more than one project";
    assert_eq!(refused, message(text));
    both.delete(project.at(&format!("/runners/{id}"))).await.is(403);
    both.delete(other.at(&format!("/runners/{id}"))).await.is(204);
    both.delete(other.at(&format!("/runners/{id}"))).await.is(404);
    both.delete(project.at(&format!("/runners/{id}"))).await.is(403);

    let lock = json!({"locked": true});
    both.put(format!("/runners/{id}")).json(&lock).await.is(200);
    let refused = both.post(&to).json(&give).await.is(403).json();
    assert_eq!(refused, message("403 Forbidden - Runner is locked"));
    let group = t.group("acme").await;
    let body = json!({"runner_type": "group_type", "group_id": group.id});
    let (of_group, _) = made(&admin, body).await;
    let refused = admin.post(&to).json(&json!({"runner_id": of_group})).await.is(403).json();
    assert_eq!(refused, message("403 Forbidden - Runner is a group runner"));

    // A runner of this project alone goes with it.
    admin.delete(project.at("")).await.is(202);
    t.settle().await;
    admin.get(format!("/runners/{id}")).await.is(404);
}

#[testkit::story]
async fn programs_register_by_a_token_of_their_place(t: TestServer) {
    let (project, group) = (t.project("acme/anvil").await, t.group("acme").await);
    let (admin, program) = (t.admin(), t.anonymous());
    let developer = t.user("dev").await;
    project.add(&developer, 30).await;
    for (at, kind) in [
        (project.at("/runners/reset_registration_token"), "project_type"),
        (group.at("/runners/reset_registration_token"), "group_type"),
        ("/runners/reset_registration_token".to_owned(), "instance_type"),
    ] {
        developer.post(&at).await.is(403);
        program.post(&at).await.is(401);
        let first = admin.post(&at).await.is(201).json()["token"].clone();
        let token = admin.post(&at).await.is(201).json()["token"].clone();
        program.post("/runners").json(&json!({"token": first})).await.is(403);
        let body = json!({"token": token, "description": "old", "tag_list": "a,b",
            "info": {"name": "gitlab-runner", "version": "12.0.0", "platform": "linux",
                "features": {"variables": true}, "labels": null}});
        let registered = program.post("/runners").json(&body).await.is(201).json();
        assert!(registered["token"].as_str().is_some_and(|text| text.starts_with("glrt-")));
        assert_eq!(registered["token_expires_at"], json!(null));
        let one = format!("/runners/{}", registered["id"]);
        let shown = admin.get(&one).await.is(200).json();
        assert_eq!(shown["runner_type"], kind);
        assert_eq!(
            (&shown["version"], &shown["platform"], &shown["tag_list"]),
            (&json!("12.0.0"), &json!("linux"), &json!(["a", "b"]))
        );
        let gone = program.delete("/runners").json(&json!({"token": registered["token"]}));
        gone.await.is(204);
        admin.get(&one).await.is(404);
    }
    let at = project.at("/runners/reset_registration_token");
    let token = admin.post(&at).await.is(201).json()["token"].clone();
    let both = json!({"token": token, "paused": true, "active": true});
    program.post("/runners").json(&both).await.is(400);
    program.post("/runners").json(&json!({})).await.is(400);
    let off = json!({"allow_runner_registration_token": false});
    admin.put("/application/settings").json(&off).await.is(200);
    program.post("/runners").json(&json!({"token": token})).await.is(410);
    admin.post(&at).await.is(410);
}

#[testkit::story]
async fn a_program_shows_that_its_token_is_good(t: TestServer) {
    let (admin, program) = (t.admin(), t.anonymous());
    let (id, token) = made(&admin, json!({"runner_type": "instance_type"})).await;
    let verify = |token: &str, system: Value| json!({"token": token, "system_id": system});
    for wrong in ["glrt-nothing", &token[1..]] {
        program.post("/runners/verify").json(&verify(wrong, json!("s"))).await.is(403);
    }
    program.post("/runners/verify").json(&json!({"token": token})).await.is(400);
    program.post("/runners/verify").json(&json!({"system_id": "s"})).await.is(400);
    let long = json!("s".repeat(65));
    program.post("/runners/verify").json(&verify(&token, long)).await.is(400);
    for (system, version) in [("s_1", "17.4.0"), ("s_2", "17.5.0"), ("s_1", "17.6.0")] {
        let body = json!({"token": token, "system_id": system, "info": {"version": version,
            "revision": "abc", "platform": "linux", "architecture": "amd64"}});
        let good = program.post("/runners/verify").json(&body).await.is(200).json();
        assert_eq!(good, json!({"id": id, "token": token, "token_expires_at": null}));
    }
    let at = format!("/runners/{id}/managers");
    let shown = admin.get(&at).await.is(200);
    assert_eq!(shown.each("system_id"), ["s_2", "s_1"]);
    assert_eq!(shown.each("version"), ["17.5.0", "17.6.0"]);
    assert_eq!(shown.each("status"), ["online", "online"]);
    assert_eq!(shown.each("ip_address"), ["127.0.0.1", "127.0.0.1"]);
    let forget = json!({"token": token, "system_id": "s_2"});
    program.delete("/runners/managers").json(&forget).await.is(204);
    program.delete("/runners/managers").json(&forget).await.is(404);
    assert_eq!(admin.get(&at).await.each("system_id"), ["s_1"]);

    // The header does as well.
    let by_header = program.post("/runners/reset_authentication_token");
    let reset = by_header.header("runner-token", &token).await.is(201).json();
    program.post("/runners/verify").json(&verify(&token, json!("s"))).await.is(403);
    let fresh = reset["token"].as_str().unwrap();
    program.post("/runners/verify").json(&verify(fresh, json!("s"))).await.is(200);
    program.get("/runners/router/discovery").await.is(501);
    let audit = t
        .app()
        .read(|tx| Ok(tx.all::<(String,)>("select cast(details as text) from audit_records", ())?));
    for (details,) in audit.await.unwrap() {
        assert!(!details.contains("glrt-"), "{details}");
    }
}

/// The id that the form of an edit link names.
fn edited(page: &str) -> String {
    let id = page.split("?edit=").nth(1).and_then(|rest| rest.split('#').next());
    id.unwrap_or_default().to_owned()
}

#[testkit::story]
async fn runners_are_made_paused_changed_and_deleted_on_pages(t: TestServer) {
    let (project, group) = (t.project("acme/anvil").await, t.group("acme").await);
    let (keeper, developer) = (t.user("keeper").await, t.user("dev").await);
    project.add(&keeper, 40).await;
    group.add(&keeper, 50).await;
    project.add(&developer, 30).await;
    let browser = t.browser("keeper").await;
    for url in ["/acme/anvil/-/settings/runners", "/groups/acme/-/settings/runners"] {
        let empty = browser.get(url).await.is(200).text();
        assert!(empty.contains("No runners") || url.contains("anvil"), "{empty}");
        let typed = [
            ("action", "create"),
            ("description", "The forge"),
            ("tags", "linux, rust"),
            ("run_untagged", "1"),
            ("maximum_timeout", "30"),
        ];
        let shown = browser.post(url, &typed).await.is(200);
        let page = shown.text();
        assert!(page.contains("glrt-") && page.contains("gitlab-runner register"), "{page}");
        assert_eq!(shown.header("cache-control"), "no-store");
        let page = browser.get(url).await.is(200).text();
        assert!(page.contains("The forge") && !page.contains("glrt-"), "{page}");
        let id = edited(&page);
        let api = format!("/runners/{id}");
        let made = t.admin().get(&api).await.is(200).json();
        assert_eq!((&made["maximum_timeout"], &made["locked"]), (&json!(1800), &json!(false)));

        let pause = [("action", "pause"), ("runner_id", id.as_str())];
        let (_, page) = browser.submit(url, &pause).await;
        assert!(page.contains("Runner paused.") && page.contains("Resume"), "{page}");
        let resume = [("action", "resume"), ("runner_id", id.as_str())];
        let (_, page) = browser.submit(url, &resume).await;
        assert!(page.contains("Runner takes jobs again."), "{page}");
        let short = [
            ("action", "save"),
            ("runner_id", id.as_str()),
            ("description", "Cold"),
            ("maximum_timeout", "5"),
        ];
        let refused = browser.post(url, &short).await.is(422).text();
        assert!(refused.contains("at least 10 minutes") && refused.contains("Cold"), "{refused}");
        let mut fit = short;
        fit[3].1 = "";
        let refused = browser.post(url, &fit).await.is(422).text();
        assert!(refused.contains("not allowed to pick untagged jobs"), "{refused}");
        let save = [
            ("action", "save"),
            ("runner_id", id.as_str()),
            ("description", "Cold"),
            ("run_untagged", "1"),
        ];
        let (_, page) = browser.submit(url, &save).await;
        assert!(page.contains("Runner saved.") && page.contains("Cold"), "{page}");
        let reset = [("action", "reset"), ("runner_id", id.as_str())];
        assert!(browser.post(url, &reset).await.is(200).text().contains("glrt-"));
        let delete = [("action", "delete"), ("runner_id", id.as_str())];
        let (_, page) = browser.submit(url, &delete).await;
        assert!(page.contains("Runner deleted."), "{page}");
        t.admin().get(&api).await.is(404);
    }
    let other = t.browser("dev").await;
    other.get("/acme/anvil/-/settings/runners").await.is(403);
    other.get("/admin/runners").await.is(403);
}
