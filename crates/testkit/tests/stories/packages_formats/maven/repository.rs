//! What is deployed and what is resolved.

use super::{at, deploy, forbid_duplicates, list, put, sha1, sum};
use ring::digest;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const JAR: &str = "com/acme/anvil/1.0/anvil-1.0.jar";
const POM: &str = "com/acme/anvil/1.0/anvil-1.0.pom";
const LIST: &str = "com/acme/anvil/maven-metadata.xml";

#[testkit::story]
async fn a_release_is_deployed_and_resolved(t: testkit::TestServer) {
    let project = t.project("acme/forge").await;
    let jane = t.user("jane").await;
    project.add(&jane, 30).await;

    jane.get(at(&project, LIST)).await.is(404);
    deploy(&jane, &at(&project, JAR), "a jar").await;
    deploy(&jane, &at(&project, POM), "<project/>").await;
    deploy(&jane, &at(&project, LIST), &list(&["1.0"])).await;

    let jar = jane.get(at(&project, JAR)).await.is(200);
    assert_eq!(jar.text(), "a jar");
    assert_eq!(jar.header("content-type"), "application/octet-stream");
    assert_eq!(jar.header("content-disposition"), "attachment; filename=\"anvil-1.0.jar\"");
    assert_eq!(jar.header("x-content-type-options"), "nosniff");
    assert_eq!(jar.header("x-checksum-sha1"), sha1("a jar"));
    assert_eq!(jar.header("x-checksum-md5"), "e9ef823fe7e8dbb7a5834bd5173391b3");
    let head = jane.head(at(&project, JAR)).await.is(200);
    assert_eq!(head.header("content-length"), "5");
    let part = jane.get(at(&project, JAR)).header("range", "bytes=2-4").await.is(206);
    assert_eq!(part.text(), "jar");
    assert_eq!(jane.get(at(&project, POM)).await.is(200).text(), "<project/>");
    assert_eq!(jane.get(at(&project, LIST)).await.is(200).text(), list(&["1.0"]));
    jane.get(at(&project, "com/acme/anvil/2.0/anvil-2.0.jar")).await.is(404);
    jane.get(at(&project, "com/acme/anvil/1.0/other.jar")).await.is(404);

    let all = jane
        .get(project.at("/packages?include_versionless=true&order_by=version"))
        .await;
    let all = all.is(200);
    assert_eq!(all.each("name"), ["com/acme/anvil", "com/acme/anvil"]);
    assert_eq!(all.each("version"), [json!("1.0"), json!(null)]);
    assert_eq!(all.each("package_type"), ["maven", "maven"]);
    let listed = jane.get(project.at("/packages")).await.is(200);
    assert_eq!(listed.each("version"), ["1.0"]);
    let files = format!("/packages/{}/package_files", listed.each("id")[0]);
    let files = jane.get(project.at(&files)).await.is(200);
    assert_eq!(files.each("file_name"), ["anvil-1.0.jar", "anvil-1.0.pom"]);
}

#[testkit::story]
async fn digests_are_compared_and_answered(t: testkit::TestServer) {
    let project = t.project("acme/forge").await;
    let admin = t.admin();
    let jar = at(&project, JAR);
    put(&admin, &format!("{jar}.sha1"), &sha1("a jar")).await.is(404);
    put(&admin, &jar, "a jar").await.is(200);

    for (ending, of) in [
        ("sha1", &digest::SHA1_FOR_LEGACY_USE_ONLY),
        ("sha256", &digest::SHA256),
        ("sha512", &digest::SHA512),
    ] {
        let (path, digest) = (format!("{jar}.{ending}"), sum(of, "a jar"));
        let reply = put(&admin, &path, &digest).await.is(204);
        assert!(reply.body.is_empty());
        put(&admin, &path, &format!("{}  anvil-1.0.jar\n", digest.to_uppercase()))
            .await
            .is(204);
        for wrong in [sum(of, "another"), String::new(), digest[1..].to_owned()] {
            let reply = put(&admin, &path, &wrong).await.is(409);
            assert_eq!(reply.json(), json!({"message": "409 Conflict"}));
        }
        put(&admin, &path, &"0".repeat(5000)).await.is(400);
        let told = admin.get(&path).await.is(200);
        assert_eq!(told.text(), digest);
        assert!(told.header("content-type").starts_with("text/plain"));
    }
    assert!(put(&admin, &format!("{jar}.md5"), "anything").await.is(200).body.is_empty());
    let told = admin.get(format!("{jar}.md5")).await.is(200);
    assert_eq!(told.text(), "e9ef823fe7e8dbb7a5834bd5173391b3");
    admin.get(at(&project, "com/acme/anvil/1.0/other.jar.sha1")).await.is(404);

    let found = admin.get(project.at("/packages")).await.is(200).each("id");
    let files = project.at(&format!("/packages/{}/package_files", found[0]));
    assert_eq!(admin.get(files).await.is(200).each("file_name"), ["anvil-1.0.jar"]);
}

#[testkit::story]
async fn a_snapshot_has_a_list_of_its_own(t: testkit::TestServer) {
    let project = t.project("acme/forge").await;
    let below = |file: &str| at(&project, &format!("com/acme/anvil/1.1-SNAPSHOT/{file}"));
    let admin = t.admin();

    admin.get(below("maven-metadata.xml")).await.is(404);
    deploy(&admin, &below("anvil-1.1-20310506.120000-1.jar"), "first").await;
    deploy(&admin, &below("maven-metadata.xml"), "<metadata>1</metadata>").await;
    deploy(&admin, &below("anvil-1.1-20310506.130000-2.jar"), "second").await;
    deploy(&admin, &below("maven-metadata.xml"), "<metadata>2</metadata>").await;
    deploy(&admin, &at(&project, LIST), &list(&["1.1-SNAPSHOT"])).await;

    let newest = admin.get(below("maven-metadata.xml")).await.is(200);
    assert_eq!(newest.text(), "<metadata>2</metadata>");
    let newest = admin.get(below("maven-metadata.xml.sha1")).await.is(200);
    assert_eq!(newest.text(), sha1("<metadata>2</metadata>"));
    let first = admin.get(below("anvil-1.1-20310506.120000-1.jar")).await.is(200);
    assert_eq!(first.text(), "first");
    let listed = admin.get(project.at("/packages")).await.is(200);
    assert_eq!(listed.each("version"), ["1.1-SNAPSHOT"]);
}

#[testkit::story]
async fn groups_and_the_instance_have_the_files_of_their_projects(t: testkit::TestServer) {
    let forge = t.project("acme/tools/forge").await;
    let press = t.project("acme/tools/press").await;
    let admin = t.admin();
    put(&admin, &at(&forge, JAR), "older").await.is(200);
    put(&admin, &at(&press, JAR), "newer").await.is(200);
    let named = "acme/tools/forge/1.0/forge-1.0.jar";
    put(&admin, &at(&forge, named), "the forge").await.is(200);
    let lists = "acme/tools/forge/maven-metadata.xml";
    put(&admin, &at(&forge, lists), &list(&["1.0"])).await.is(200);
    put(&admin, &at(&forge, "acme/tools/forge/handle/maven-metadata.xml"), "<x/>")
        .await
        .is(200);

    for group in ["acme", "acme%2Ftools"] {
        let below = |rest: &str| format!("/groups/{group}/-/packages/maven/{rest}");
        assert_eq!(admin.get(below(JAR)).await.is(200).text(), "newer");
        assert_eq!(admin.get(below(&format!("{JAR}.sha1"))).await.is(200).text(), sha1("newer"));
        admin.get(below(POM)).await.is(404);
        admin.get(below("a.jar")).await.is(404);
    }
    let anywhere = |rest: &str| format!("/packages/maven/{rest}");
    assert_eq!(admin.get(anywhere(named)).await.is(200).text(), "the forge");
    assert_eq!(admin.get(anywhere(lists)).await.is(200).text(), list(&["1.0"]));
    admin.get(anywhere("acme/tools/forge/handle/maven-metadata.xml")).await.is(200);
    admin.get(anywhere("acme/tools/forge/1.0/forge-1.0.pom")).await.is(404);
    admin.get(anywhere(JAR)).await.is(403);
    admin.get(anywhere("acme/tools/unknown/1.0/a.jar")).await.is(403);
    admin.put(anywhere(named)).bytes("x").await.is(405);
}

#[testkit::story]
async fn a_version_is_published_once_where_the_namespace_wants_that(t: testkit::TestServer) {
    let project = t.project("acme/forge").await;
    let admin = t.admin();
    let put = async |rest: &str| put(&admin, &at(&project, rest), "x").await;
    put(JAR).await.is(200);
    put(JAR).await.is(200);
    forbid_duplicates(&t, "acme").await;

    let refusal = json!({"message": "400 Bad request - Duplicate package is not allowed"});
    for again in [JAR, "com/acme/anvil/1.0/other.jar"] {
        assert_eq!(put(again).await.is(400).json(), refusal);
    }
    for new in [
        POM,
        "com/acme/anvil/1.0/anvil-1.0-sources.jar",
        "com/acme/anvil/1.0/anvil-1.0.jar.asc",
        "com/acme/anvil/2.0/anvil-2.0.jar",
        LIST,
        LIST,
        "com/acme/anvil/1-SNAPSHOT/anvil-1-20310506.120000-1.jar",
        "com/acme/anvil/1-SNAPSHOT/anvil-1-20310506.120000-2.jar",
    ] {
        put(new).await.is(200);
    }
    // Digests are no duplicates of what they are of.
    let sum = at(&project, &format!("{JAR}.sha1"));
    super::put(&admin, &sum, &sha1("x")).await.is(204);
}

#[testkit::story]
async fn path_tricks_and_hostile_xml_are_refused(t: testkit::TestServer) {
    let project = t.project("acme/forge").await;
    let admin = t.admin();
    let long = format!("com/acme/{}/1.0/a.jar", "a".repeat(256));
    for rest in [
        "a.jar",
        "1.0/a.jar",
        "anvil/1.0/a.jar",
        "com/acme/anvil/1.0/",
        "com//anvil/1.0/a.jar",
        "com/acme/anvil/%2e%2e/a.jar",
        "com/acme/anvil/1.0/%2e%2e",
        "%2e%2e/a/b/1.0/a.jar",
        "com/acme/anvil/1.0/%252e%252e%252fa",
        "com/acme/anvil/1.0/a%00.jar",
        "com/acme/anvil/1.0/a%5Cb.jar",
        "com/acme/anvil/1.0/a%0d%0ab",
        "com/acme/anvil/1..0/a",
        "com/acme/anvil/1.0/a%ff",
        "com/a%20b/anvil/1.0/a.jar",
        &long,
    ] {
        let path = at(&project, rest);
        for reply in [put(&admin, &path, "x").await, admin.get(&path).await] {
            assert!(matches!(reply.status, 400 | 404), "{rest}: {reply:?}");
        }
    }
    let bomb = "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/passwd\">]>\
        <metadata>&b;</metadata>";
    for rest in [LIST, POM, "com/acme/anvil/1-SNAPSHOT/maven-metadata.xml"] {
        let reply = put(&admin, &at(&project, rest), bomb).await.is(400);
        assert!(reply.text().contains("document type definition"), "{reply:?}");
    }
    let left = admin.get(project.at("/packages?include_versionless=true")).await.is(200);
    assert_eq!(left.json(), json!([]));
}

#[testkit::story]
async fn limits_hold(t: testkit::TestServer) {
    let project = t.project("acme/forge").await;
    let limit = json!({"maven_max_file_size": 10});
    t.admin().put("/application/plan_limits").json(&limit).await.is(200);

    put(&t.admin(), &at(&project, JAR), "0123456789").await.is(200);
    let reply = put(&t.admin(), &at(&project, POM), "0123456789a").await.is(400);
    assert_eq!(reply.json(), json!({"message": "400 Bad request - File is too large"}));
    t.admin().get(at(&project, POM)).await.is(404);
}

#[testkit::story]
async fn who_expects_to_be_told_to_go_on_is_told(t: testkit::TestServer) {
    let project = t.project("acme/forge").await;
    let address = t.url().replace("http://", "");
    let ask = async |token: &str| {
        let mut stream = tokio::net::TcpStream::connect(&address).await.expect("a connection");
        let head = format!(
            "PUT /api/v4{} HTTP/1.1\r\nHost: {address}\r\nPRIVATE-TOKEN: {token}\r\n\
             Content-Length: 5\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n",
            at(&project, JAR)
        );
        stream.write_all(head.as_bytes()).await.expect("it is sent");
        let mut told = vec![0; 12];
        stream.read_exact(&mut told).await.expect("an answer before the body");
        (stream, String::from_utf8(told).expect("text"))
    };

    let (_, told) = ask("wrong").await;
    assert_eq!(told, "HTTP/1.1 401");
    let token = t.admin().token().expect("a token").to_owned();
    let (mut stream, told) = ask(&token).await;
    assert_eq!(told, "HTTP/1.1 100");
    stream.write_all(b"a jar").await.expect("it is sent");
    let mut rest = String::new();
    stream.read_to_string(&mut rest).await.expect("an answer");
    assert!(rest.contains("HTTP/1.1 200"), "{rest}");
    assert_eq!(t.admin().get(at(&project, JAR)).await.is(200).text(), "a jar");
}

#[testkit::story]
async fn a_truncated_upload_leaves_nothing(t: testkit::TestServer) {
    let project = t.project("acme/forge").await;
    put(&t.admin(), &at(&project, LIST), &list(&["1.0"])).await.is(200);
    let chunks = vec![Ok("<metadata>"), Err(std::io::Error::other("gone"))];
    let body = reqwest::Body::wrap_stream(futures_util::stream::iter(chunks));
    let sent = t.admin().put(at(&project, LIST)).stream(body).try_send().await;
    assert!(sent.is_err());

    assert_eq!(t.admin().get(at(&project, LIST)).await.is(200).text(), list(&["1.0"]));
}
