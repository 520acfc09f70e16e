//! What is published to a project and fetched from it.

use super::{archive, below, in_project, module, packed, publish};
use serde_json::json;

#[testkit::story]
async fn a_version_is_published_once_and_fetched(t: testkit::TestServer) {
    let project = t.project("acme/forge").await;
    let jane = t.user("jane").await;
    project.add(&jane, 30).await;

    let reply = publish(&jane, &project, "1.0.0", "one").await.is(201);
    assert_eq!(reply.json(), json!({"message": "201 Created"}));
    publish(&jane, &project, "1.10.0", "ten").await.is(201);
    publish(&jane, &project, "2.0.0-rc.1", "two").await.is(201);
    let again = publish(&jane, &project, "1.0.0", "another").await.is(403);
    assert!(again.text().contains("Package version already exists."), "{again:?}");

    let path = in_project(&project, "vpc/aws/1.0.0");
    let file = jane.get(&path).await.is(200);
    assert_eq!(file.body, module("one"));
    assert_eq!(file.header("content-disposition"), "attachment; filename=\"vpc-aws-1.0.0.tgz\"");
    jane.head(&path).await.is(200);
    let latest = jane.get(in_project(&project, "vpc/aws")).await.is(200);
    assert_eq!(latest.body, module("ten"));
    let told = jane.get(format!("{path}?terraform-get=1")).await.is(204);
    let wanted = format!("{}/api/v4{path}?archive=tgz", t.app().base_url());
    assert_eq!(told.header("x-terraform-get"), wanted);
    jane.get(format!("{path}?archive=tgz")).await.is(200);
    for unknown in ["vpc/aws/9.0.0", "vpc/gcp", "Vpc/aws", "vpc/aws/latest"] {
        jane.get(in_project(&project, unknown)).await.is(404);
    }

    let listed = jane.get(project.at("/packages?order_by=version")).await.is(200);
    assert_eq!(listed.each("name"), ["vpc/aws", "vpc/aws", "vpc/aws"]);
    assert_eq!(listed.each("package_type")[0], "terraform_module");
}

#[testkit::story]
async fn multipart_uploads_carry_the_part_named_file(t: testkit::TestServer) {
    let project = t.project("acme/forge").await;
    let mut body = b"--cut\r\nContent-Disposition: form-data; name=\"file\"; \
        filename=\"x.tgz\"\r\n\r\n"
        .to_vec();
    body.extend(module("one"));
    body.extend(b"\r\n--cut--\r\n");
    let path = in_project(&project, "vpc/aws/1.0.0/file");
    let sent = t.admin().put(&path).header("content-type", "multipart/form-data; boundary=cut");
    sent.bytes(body).await.is(201);
    let file = t.admin().get(in_project(&project, "vpc/aws/1.0.0")).await.is(200);
    assert_eq!(file.body, module("one"));
}

#[testkit::story]
async fn bad_names_versions_and_archives_are_refused(t: testkit::TestServer) {
    let project = t.project("acme/forge").await;
    let put = async |rest: &str, bytes: Vec<u8>| {
        let path = in_project(&project, &format!("{rest}/file"));
        t.admin().put(path).bytes(bytes).await
    };
    let long = format!("{}/aws/1.0.0", "a".repeat(256));
    for rest in [
        "Vpc/aws/1.0.0",
        "vpc/a_s/1.0.0",
        "%2e%2e/aws/1.0.0",
        "vpc/aws/1.0",
        "vpc/aws/v1.0.0",
        "vpc/aws/1.0.0%2f..",
        "vpc/aws/%00",
        "vpc%2faws/aws/1.0.0",
        "vpc/aws/1.0.0%0d%0a",
        &long,
    ] {
        let reply = put(rest, module("x")).await;
        assert!(matches!(reply.status, 400 | 404), "{rest}: {reply:?}");
    }
    let empty = put("vpc/aws/%20", module("x")).await.is(400);
    assert_eq!(empty.json(), json!({"message": "400 Bad request - Version is empty."}));

    let whole = module("x");
    let outside = {
        let mut bytes = vec![0; 1024];
        bytes[..10].copy_from_slice(b"../main.tf");
        bytes[100..108].copy_from_slice(b"0000644\0");
        bytes[124..136].copy_from_slice(b"00000000000\0");
        bytes[148..156].copy_from_slice(b"        ");
        bytes[156] = b'0';
        let sum: u32 = bytes[..512].iter().map(|byte| u32::from(*byte)).sum();
        bytes[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        packed(&bytes)
    };
    let bomb = packed(&vec![0; 40 << 20]);
    for bytes in [whole[..whole.len() / 2].to_vec(), outside, bomb] {
        put("vpc/aws/1.0.0", bytes).await.is(400);
    }
    assert_eq!(t.admin().get(project.at("/packages")).await.is(200).json(), json!([]));
}

#[testkit::story]
async fn limits_and_protection_hold(t: testkit::TestServer) {
    let project = t.project("acme/forge").await;
    let jane = t.user("jane").await;
    project.add(&jane, 30).await;
    let limit = json!({"terraform_module_max_file_size": 10});
    t.admin().put("/application/plan_limits").json(&limit).await.is(200);
    let reply = publish(&jane, &project, "1.0.0", "one").await.is(400);
    assert_eq!(reply.json(), json!({"message": "400 Bad request - File is too large"}));
    let limit = json!({"terraform_module_max_file_size": 0});
    t.admin().put("/application/plan_limits").json(&limit).await.is(200);

    let rule = json!({"package_name_pattern": "vpc/*", "package_type": "terraform_module",
        "minimum_access_level_for_push": "maintainer"});
    t.admin()
        .post(project.at("/packages/protection/rules"))
        .json(&rule)
        .await
        .is(201);
    publish(&jane, &project, "1.0.0", "one").await.is(403);
    publish(&t.admin(), &project, "1.0.0", "one").await.is(201);
}

#[testkit::story]
async fn a_name_belongs_to_one_project_of_a_namespace(t: testkit::TestServer) {
    let forge = t.project("acme/tools/forge").await;
    let press = t.project("acme/press").await;
    let apart = t.project("apex/forge").await;
    publish(&t.admin(), &forge, "1.0.0", "one").await.is(201);

    let reply = publish(&t.admin(), &press, "2.0.0", "two").await.is(403);
    let text = "A package with the same name already exists in the namespace";
    assert!(reply.text().contains(text), "{reply:?}");
    publish(&t.admin(), &apart, "1.0.0", "apart").await.is(201);
    publish(&t.admin(), &forge, "1.1.0", "more").await.is(201);

    let settings = "/groups/acme/package_settings";
    let change = json!({"terraform_module_duplicate_exception_regex": "2\\..*"});
    t.admin().put(settings).json(&change).await.is(200);
    publish(&t.admin(), &press, "2.0.0", "two").await.is(201);
    publish(&t.admin(), &press, "3.0.0", "three").await.is(403);
    let change = json!({"terraform_module_duplicates_allowed": true});
    t.admin().put(settings).json(&change).await.is(200);
    publish(&t.admin(), &press, "3.0.0", "three").await.is(201);
    // A version of one project is published once all the same.
    publish(&t.admin(), &press, "3.0.0", "three").await.is(403);
    let all = t.admin().get(below("acme", "")).await.is(200).json();
    assert_eq!(all["versions"], json!(["3.0.0", "2.0.0", "1.1.0", "1.0.0"]));
}

#[testkit::story]
async fn of_many_publishers_one_wins(t: testkit::TestServer) {
    let forge = t.project("acme/forge").await;
    let press = t.project("acme/press").await;
    let under_way: Vec<_> = (0..8)
        .map(|number| {
            let project = if number % 2 == 0 { &forge } else { &press };
            let path = in_project(project, "vpc/aws/1.0.0/file");
            let client = t.admin();
            tokio::spawn(
                async move { client.put(path).bytes(module(&number.to_string())).await.status },
            )
        })
        .collect();
    let mut statuses = Vec::new();
    for one in under_way {
        statuses.push(one.await.expect("no panic"));
    }
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 403, 403, 403, 403, 403, 403, 403]);
    let all = t.admin().get(below("acme", "/versions")).await.is(200).json();
    let versions = all["modules"][0]["versions"].as_array().expect("versions").len();
    assert_eq!(versions, 1);
}

#[testkit::story]
async fn other_archives_are_kept_as_they_are(t: testkit::TestServer) {
    let project = t.project("acme/forge").await;
    let path = in_project(&project, "vpc/aws/1.0.0");
    t.admin().put(format!("{path}/file")).bytes("PK, another kind").await.is(201);
    assert_eq!(t.admin().get(&path).await.is(200).text(), "PK, another kind");
    let nested = archive(&[("main.tf", ""), ("modules/small/main.tf", "")]);
    t.admin()
        .put(in_project(&project, "vpc/aws/1.1.0/file"))
        .bytes(nested)
        .await
        .is(201);
    let shown = t.admin().get(below("acme", "/1.1.0")).await.is(200).json();
    assert_eq!(shown["submodules"][0]["path"], "modules/small");
}
