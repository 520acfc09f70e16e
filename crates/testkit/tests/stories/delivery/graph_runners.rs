//! Runners in GraphQL.

use super::running::begun;
use serde_json::{Value, json};
use testkit::{Client, TestServer};

async fn answer(client: &Client, query: &str) -> Value {
    let body = json!({"query": query});
    client
        .request(http::Method::POST, "/api/graphql")
        .json(&body)
        .await
        .is(200)
        .json()
}

async fn data(client: &Client, query: &str) -> Value {
    let answer = answer(client, query).await;
    assert_eq!(answer["errors"], json!(null), "{query}");
    answer["data"].clone()
}

fn not_available(answer: &Value) {
    let text = answer["errors"][0]["message"].as_str().unwrap_or_default();
    assert!(text.contains("does not exist or you don't have permission"), "{answer}");
}

const FIELDS: &str = "id runnerType status paused active accessLevel locked runUntagged \
    description tagList maximumTimeout contactedAt createdAt createdBy{username} creationState \
    jobCount jobExecutionStatus projectCount projects{nodes{fullPath}} groups{nodes{fullPath}} \
    ownerProject{fullPath} managers{nodes{systemId version status}} shortSha ipAddress \
    tokenExpiresAt adminUrl editAdminUrl userPermissions{updateRunner deleteRunner}";

#[testkit::story(noon)]
async fn runners_are_made_asked_for_changed_and_deleted(t: TestServer) {
    let (project, _) = begun(&t, "acme/anvil", "compile: {script: make}").await;
    let group = t.group("acme").await;
    let create = |kind: &str, more: &str| {
        format!(
            "mutation{{runnerCreate(input:{{runnerType:{kind} {more}}}){{errors token runner{{id}}}}}}"
        )
    };
    let instance = create(
        "INSTANCE_TYPE",
        "description:\"forge\" runUntagged:false tagList:[\"linux\",\"x64\"]",
    );
    let made = data(&t.admin(), &instance).await["runnerCreate"].clone();
    assert!(made["token"].as_str().unwrap_or_default().starts_with("glrt-"), "{made}");
    let id = made["runner"]["id"].as_str().unwrap_or_default().to_owned();
    let of_group = create("GROUP_TYPE", &format!("groupId:\"gid://service/Group/{}\"", group.id));
    data(&t.admin(), &of_group).await;
    let of_project =
        create("PROJECT_TYPE", &format!("projectId:\"gid://service/Project/{}\"", project.id));
    data(&t.admin(), &of_project).await;
    let none = data(&t.admin(), &create("GROUP_TYPE", "")).await["runnerCreate"].clone();
    assert_eq!(none["runner"], Value::Null);
    assert!(none["errors"][0].as_str().unwrap_or_default().contains("is missing"), "{none}");
    let short = create("INSTANCE_TYPE", "maximumTimeout:5");
    let short = data(&t.admin(), &short).await["runnerCreate"].clone();
    assert!(
        short["errors"][0].as_str().unwrap_or_default().contains("10 minutes"),
        "{short}"
    );

    let ask = json!({"token": made["token"], "system_id": "s_1", "info": {"version": "17.5.0"}});
    let tagless = t.anonymous().post("/jobs/request").json(&ask).await;
    tagless.is(204);
    let one = data(&t.admin(), &format!("{{runner(id:\"{id}\"){{{FIELDS}}}}}")).await;
    let one = &one["runner"];
    let wanted = json!({"runnerType": "INSTANCE_TYPE", "status": "ONLINE", "paused": false,
        "active": true, "accessLevel": "NOT_PROTECTED", "locked": false, "runUntagged": false,
        "description": "forge", "tagList": ["linux", "x64"], "maximumTimeout": null,
        "createdBy": {"username": "root"}, "creationState": "FINISHED", "jobCount": 0,
        "jobExecutionStatus": "IDLE", "projectCount": null, "projects": {"nodes": []},
        "groups": {"nodes": []}, "ownerProject": null, "ipAddress": "", "tokenExpiresAt": null,
        "userPermissions": {"updateRunner": true, "deleteRunner": true}});
    for (key, value) in wanted.as_object().unwrap() {
        assert_eq!(&one[key], value, "{key}");
    }
    assert_eq!(one["managers"]["nodes"][0]["systemId"], "s_1");

    let list = |args: &str| format!("{{runners{args}{{count nodes{{runnerType}}}}}}");
    for (args, count) in [
        ("", 3),
        ("(type:GROUP_TYPE)", 1),
        ("(tagList:[\"linux\"])", 1),
        ("(search:\"forge\")", 1),
        ("(search:\"nothing\")", 0),
        ("(paused:true)", 0),
        ("(active:true)", 3),
        ("(status:NEVER_CONTACTED)", 2),
        ("(sort:CONTACTED_ASC,first:2)", 3),
        ("(creatorId:\"gid://service/User/1\")", 3),
    ] {
        let found = data(&t.admin(), &list(args)).await;
        assert_eq!(found["runners"]["count"], count, "{args}");
    }
    let places = "{project(fullPath:\"acme/anvil\"){runners{count}} \
        group(fullPath:\"acme\"){own:runners(membership:DIRECT){count} below:runners{count} \
            all:runners(membership:ALL_AVAILABLE){count}}}";
    let found = data(&t.admin(), places).await;
    assert_eq!(found["project"]["runners"]["count"], 3);
    assert_eq!(
        found["group"],
        json!({"own": {"count": 1}, "below": {"count": 2}, "all": {"count": 2}})
    );

    let update = format!(
        "mutation{{runnerUpdate(input:{{id:\"{id}\" paused:true maximumTimeout:3600 \
            accessLevel:REF_PROTECTED}}){{errors runner{{paused maximumTimeout accessLevel description}}}}}}"
    );
    let changed = data(&t.admin(), &update).await["runnerUpdate"]["runner"].clone();
    let wanted = json!({"paused": true, "maximumTimeout": 3600, "accessLevel": "REF_PROTECTED",
        "description": "forge"});
    assert_eq!(changed, wanted);
    let delete = format!("mutation{{runnerDelete(input:{{id:\"{id}\"}}){{errors}}}}");
    assert_eq!(data(&t.admin(), &delete).await["runnerDelete"]["errors"], json!([]));
    assert_eq!(
        data(&t.admin(), &format!("{{runner(id:\"{id}\"){{id}}}}")).await["runner"],
        Value::Null
    );
}

#[testkit::story]
async fn runners_are_for_who_looks_after_them(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (mia, dev) = (t.user("mia").await, t.user("dev").await);
    project.add(&mia, 40).await;
    project.add(&dev, 30).await;
    let made = async |body: Value| t.admin().post("/user/runners").json(&body).await.is(201).id();
    let shared = made(json!({"runner_type": "instance_type"})).await;
    let own = made(json!({"runner_type": "project_type", "project_id": project.id})).await;
    not_available(&answer(&mia, "{runners{count}}").await);
    not_available(&answer(&t.anonymous(), "{runners{count}}").await);
    let one = |id: i64| {
        format!(
            "{{runner(id:\"gid://service/Ci::Runner/{id}\"){{id adminUrl userPermissions{{updateRunner}}}}}}"
        )
    };
    let seen = data(&mia, &one(own)).await["runner"].clone();
    assert_eq!(seen["userPermissions"]["updateRunner"], true);
    assert_eq!(seen["adminUrl"], Value::Null);
    let seen = data(&mia, &one(shared)).await["runner"].clone();
    assert_eq!(seen["userPermissions"]["updateRunner"], false);
    assert_eq!(data(&dev, &one(own)).await["runner"], Value::Null);
    assert_eq!(data(&t.anonymous(), &one(shared)).await["runner"], Value::Null);
    let list = "{project(fullPath:\"acme/anvil\"){runners{nodes{userPermissions{updateRunner}}}}}";
    let seen = data(&mia, list).await["project"]["runners"]["nodes"].clone();
    let permissions = |may: bool| json!({"userPermissions": {"updateRunner": may}});
    assert_eq!(seen, json!([permissions(true), permissions(false)]));
    assert_eq!(data(&dev, list).await["project"]["runners"], Value::Null);
    let delete = |id: i64| {
        format!(
            "mutation{{runnerDelete(input:{{id:\"gid://service/Ci::Runner/{id}\"}}){{errors}}}}"
        )
    };
    for (client, id) in [(&*dev, own), (&*dev, shared), (&*mia, shared)] {
        not_available(&answer(client, &delete(id)).await);
    }
    not_available(
        &answer(&dev, "mutation{runnerCreate(input:{runnerType:INSTANCE_TYPE}){errors}}").await,
    );
    assert_eq!(data(&mia, &delete(own)).await["runnerDelete"]["errors"], json!([]));
    let twice = "{a:runner(id:\"gid://service/Ci::Runner/1\"){jobs{count}} \
        b:runner(id:\"gid://service/Ci::Runner/2\"){jobs{count}}}";
    assert!(!answer(&t.admin(), twice).await["errors"].is_null(), "jobs are asked for once");
}
