//! Packages name the pipelines that built them.

use super::runner_jobs::{runner, take};
use super::running::begun;
use serde_json::{Value, json};
use testkit::{TestProject, TestServer};

async fn publish(t: &TestServer, project: &TestProject, token: &str, version: &str, file: &str) {
    let at = project.at(&format!("/packages/generic/tool/{version}/{file}"));
    t.anonymous().put(at).header("job-token", token).bytes("hammer").await.is(201);
}

#[testkit::story]
async fn packages_name_their_pipelines(t: TestServer) {
    let (project, first) = begun(&t, "acme/anvil", "a: {script: e}").await;
    let own = runner(&t, json!({})).await;
    let (_, token, _) = take(&t, &own).await;
    publish(&t, &project, &token, "1.0", "a.txt").await;
    let second = t.admin().post(project.at("/pipeline")).json(&json!({"ref": "main"})).await;
    let second = second.is(201).id();
    let (_, later, _) = take(&t, &own).await;
    publish(&t, &project, &later, "1.0", "b.txt").await;
    publish(&t, &project, &later, "2.0", "a.txt").await;
    let by_hand = project.at("/packages/generic/tool/3.0/a.txt");
    t.admin().put(by_hand).bytes("tongs").await.is(201);

    let all = t.admin().get(project.at("/packages?order_by=version")).await.is(200).json();
    let all = all.as_array().unwrap();
    let ids = |value: &Value| -> Vec<i64> {
        let each = value.as_array().into_iter().flatten();
        each.filter_map(|one| one["id"].as_i64()).collect()
    };
    assert_eq!(ids(&all[0]["pipelines"]), [second, first]);
    assert_eq!(all[0]["pipeline"]["id"], second);
    assert_eq!(ids(&all[1]["pipelines"]), [second]);
    assert!(
        all[2].get("pipelines").is_none() && all[2].get("pipeline").is_none(),
        "{}",
        all[2]
    );
    let pipeline = &all[0]["pipelines"][0];
    let keys: Vec<&String> = pipeline.as_object().unwrap().keys().collect();
    let order = [
        "id",
        "iid",
        "project_id",
        "sha",
        "ref",
        "status",
        "source",
        "created_at",
        "updated_at",
        "web_url",
        "user",
    ];
    assert_eq!(keys, order);
    assert_eq!(pipeline["user"]["username"], "root");

    let one = project.at(&format!("/packages/{}", all[0]["id"]));
    let shown = t.admin().get(&one).await.is(200).json();
    assert_eq!(ids(&shown["pipelines"]), [second, first]);
    let versions = shown["versions"].as_array().unwrap();
    assert_eq!(
        (ids(&versions[0]["pipelines"]), ids(&versions[1]["pipelines"])),
        (vec![second], vec![])
    );
    let files = t.admin().get(format!("{one}/package_files")).await.is(200).json();
    assert_eq!(
        (ids(&files[0]["pipelines"]), ids(&files[1]["pipelines"])),
        (vec![first], vec![second])
    );

    let page = t.admin().get(format!("{one}/pipelines?per_page=1")).await.is(200);
    assert_eq!(ids(&page.json()), [second]);
    let next = page.link("next").unwrap();
    let page = t.admin().request(http::Method::GET, next).await.is(200);
    assert_eq!(ids(&page.json()), [first]);
    t.admin().get(format!("{one}/pipelines?cursor=x")).await.is(400);

    // Who sees no pipelines sees none of them, and those that are gone are gone.
    let reader = t.user("reader").await;
    project.add(&reader, 20).await;
    assert_eq!(ids(&reader.get(&one).await.is(200).json()["pipelines"]), [second, first]);
    let hidden = json!({"builds_access_level": "disabled"});
    t.admin().put(project.at("")).json(&hidden).await.is(200);
    assert!(reader.get(&one).await.is(200).json().get("pipelines").is_none());
    t.admin()
        .put(project.at(""))
        .json(&json!({"builds_access_level": "enabled"}))
        .await
        .is(200);
    t.admin().delete(project.at(&format!("/pipelines/{first}"))).await.is(204);
    assert_eq!(ids(&t.admin().get(&one).await.is(200).json()["pipelines"]), [second]);
}

#[testkit::story]
async fn graphql_has_the_pipelines_of_packages(t: TestServer) {
    let (project, first) = begun(&t, "acme/anvil", "a: {script: e}").await;
    let own = runner(&t, json!({})).await;
    let (_, token, _) = take(&t, &own).await;
    publish(&t, &project, &token, "1.0", "a.txt").await;
    publish(&t, &project, &token, "1.0", "b.txt").await;
    let second = t.admin().post(project.at("/pipeline")).json(&json!({"ref": "main"})).await;
    let second = second.is(201).id();
    let (_, later, _) = take(&t, &own).await;
    publish(&t, &project, &later, "1.0", "c.txt").await;
    let by_hand = project.at("/packages/generic/tool/2.0/a.txt");
    t.admin().put(by_hand).bytes("tongs").await.is(201);

    let gid = |id: i64| json!(format!("gid://service/Ci::Pipeline/{id}"));
    let ask = async |client: &testkit::Client, pipelines: &str| {
        let query = format!(
            "{{project(fullPath:\"acme/anvil\"){{packages(sort:VERSION_ASC){{nodes{{{pipelines}}}}}}}}}"
        );
        let sent = client.request(http::Method::POST, "/api/graphql");
        let answer = sent.json(&json!({"query": query})).await.is(200).json();
        assert_eq!(answer["errors"], json!(null), "{query}");
        let nodes = &answer["data"]["project"]["packages"]["nodes"];
        [nodes[0]["pipelines"].clone(), nodes[1]["pipelines"].clone()]
    };
    let admin = t.admin();
    let [with, without] = ask(&admin, "pipelines{count nodes{id iid status}}").await;
    assert_eq!((&with["count"], &without), (&json!(2), &json!({"count": 0, "nodes": []})));
    assert_eq!(with["nodes"][0]["id"], gid(second));
    assert_eq!(with["nodes"][1]["id"], gid(first));
    let [page, _] =
        ask(&admin, "pipelines(first:1){nodes{id} pageInfo{hasNextPage endCursor}}").await;
    assert_eq!(page["nodes"], json!([{"id": gid(second)}]));
    assert_eq!(page["pageInfo"]["hasNextPage"], true);
    let after = page["pageInfo"]["endCursor"].as_str().unwrap_or_default();
    let [rest, _] = ask(&admin, &format!("pipelines(after:\"{after}\"){{nodes{{id}}}}")).await;
    assert_eq!(rest["nodes"], json!([{"id": gid(first)}]));

    // Who sees no pipelines sees none of them.
    let reader = t.user("reader").await;
    project.add(&reader, 20).await;
    assert_eq!(ask(&*reader, "pipelines{count}").await[0]["count"], 2);
    let hidden = json!({"builds_access_level": "disabled"});
    admin.put(project.at("")).json(&hidden).await.is(200);
    let nothing = json!({"count": 0, "nodes": []});
    assert_eq!(ask(&*reader, "pipelines{count nodes{id}}").await[0], nothing);
}
