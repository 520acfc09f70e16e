//! The generic format from a client's side.

use crate::packages::registry::{Registry, put};
use serde_json::json;

#[testkit::story]
async fn what_was_put_is_what_is_got(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let jane = r.person(&t, "jane", 30).await;

    let reply = put(&jane, &r.generic("hammer/1.0/hammer.txt"), "strike").await.is(201);
    assert_eq!(reply.json(), json!({"message": "201 Created"}));

    let reply = jane.get(r.generic("hammer/1.0/hammer.txt")).await.is(200);
    assert_eq!(reply.text(), "strike");
    assert_eq!(reply.header("content-type"), "application/octet-stream");
    assert_eq!(reply.header("content-disposition"), "attachment; filename=\"hammer.txt\"");
    assert_eq!(reply.header("x-content-type-options"), "nosniff");
    assert_eq!(reply.header("accept-ranges"), "bytes");
    assert_eq!(reply.header("x-checksum-sha256"), testkit::sha256("strike"));
    let tag = reply.header("etag").to_owned();
    assert_eq!(tag, format!("\"{}\"", testkit::sha256("strike")));
    jane.get(r.generic("hammer/1.0/hammer.txt"))
        .header("if-none-match", &tag)
        .await
        .is(304);

    let head = jane.head(r.generic("hammer/1.0/hammer.txt")).await.is(200);
    assert_eq!(head.header("content-length"), "6");
    assert!(head.body.is_empty());
}

#[testkit::story]
async fn ranges_are_parts_of_the_file(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    r.publish(&t, "hammer/1.0/digits", "0123456789").await;
    let get =
        |range: &'static str| t.admin().get(r.generic("hammer/1.0/digits")).header("range", range);

    let reply = get("bytes=2-4").await.is(206);
    assert_eq!(reply.text(), "234");
    assert_eq!(reply.header("content-range"), "bytes 2-4/10");
    assert_eq!(reply.header("content-length"), "3");
    assert_eq!(get("bytes=-2").await.is(206).text(), "89");
    assert_eq!(get("bytes=8-100").await.is(206).text(), "89");
    assert_eq!(get("bytes=0-1,4-5").await.is(200).text(), "0123456789");
    let reply = get("bytes=10-").await.is(416);
    assert_eq!(reply.header("content-range"), "bytes */10");
    let stale = get("bytes=2-4").header("if-range", "\"other\"").await.is(200);
    assert_eq!(stale.text(), "0123456789");
}

#[testkit::story]
async fn the_record_is_answered_where_asked_for(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;

    let path = r.generic("hammer/1.0/docs/guide+1.txt?select=package_file");
    let reply = put(&t.admin(), &path, "read me").await.is(200).json();
    assert_eq!(reply["file_name"], "docs%2Fguide%2B1.txt");
    assert_eq!(reply["size"], 7);
    assert_eq!(reply["file_sha256"], testkit::sha256("read me"));
    let url = reply["file"]["url"].as_str().expect("an address").to_owned();
    assert_eq!(t.admin().request(http::Method::GET, url).await.is(200).text(), "read me");

    put(&t.admin(), &r.generic("hammer/1.0/x?select=all"), "x").await.is(400);
    put(&t.admin(), &r.generic("hammer/1.0/x?status=error"), "x").await.is(400);
}

#[testkit::story]
async fn multipart_uploads_carry_the_part_named_file(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let body = "--cut\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nx\r\n\
        --cut\r\nContent-Disposition: form-data; name=\"file\"; filename=\"../../x\"\r\n\r\n\
        in parts\r\n--cut--\r\n";
    let send = |body: String| {
        t.admin()
            .put(r.generic("hammer/1.0/a.txt"))
            .header("content-type", "multipart/form-data; boundary=cut")
            .bytes(body)
    };

    send(body.to_owned()).await.is(201);
    let reply = t.admin().get(r.generic("hammer/1.0/a.txt")).await.is(200);
    assert_eq!(reply.text(), "in parts");

    send("--cut--\r\n".to_owned()).await.is(400);
    send(body[..body.len() - 12].to_owned()).await.is(400);
}

#[testkit::story]
async fn hidden_packages_download_but_are_not_listed(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;

    put(&t.admin(), &r.generic("hammer/1.0/a?status=hidden"), "a").await.is(201);
    put(&t.admin(), &r.generic("hammer/1.0/b?status=default"), "b").await.is(201);

    assert_eq!(t.admin().get(r.generic("hammer/1.0/b")).await.is(200).text(), "b");
    assert_eq!(t.admin().get(r.at("")).await.is(200).json(), json!([]));
    let hidden = t.admin().get(r.at("?status=hidden")).await.is(200);
    assert_eq!(hidden.each("name"), ["hammer"]);
    let id = hidden.json()[0]["id"].clone();
    t.admin().get(r.at(&format!("/{id}"))).await.is(404);
    t.admin().delete(r.at(&format!("/{id}"))).await.is(204);
}

#[testkit::story]
async fn a_second_file_of_one_name_is_the_newest_unless_refused(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    r.publish(&t, "hammer/1.0/a", "first").await;
    r.publish(&t, "hammer/1.0/a", "second").await;
    assert_eq!(t.admin().get(r.generic("hammer/1.0/a")).await.is(200).text(), "second");

    let settings = format!("/groups/{}/package_settings", r.namespace);
    let change = json!({"generic_duplicates_allowed": false,
        "generic_duplicate_exception_regex": ".*-SNAPSHOT"});
    t.admin().put(&settings).json(&change).await.is(200);

    let reply = put(&t.admin(), &r.generic("hammer/1.0/a"), "third").await.is(400);
    let message = json!({"message": "400 Bad request - Duplicate package is not allowed"});
    assert_eq!(reply.json(), message);
    r.publish(&t, "hammer/1.0/b", "another name").await;
    r.publish(&t, "hammer/1-SNAPSHOT/a", "one").await;
    r.publish(&t, "hammer/1-SNAPSHOT/a", "two").await;

    let bad = json!({"generic_duplicate_exception_regex": "("});
    t.admin().put(&settings).json(&bad).await.is(400);
}

#[testkit::story]
async fn path_tricks_are_refused(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let long = "a".repeat(256);
    for rest in [
        "hammer/1.0/%2e%2e%2fx",
        "hammer/1.0/a%2f..%2fb",
        "hammer/1.0/%252e%252e%252fx",
        "hammer/1.0/a%00b",
        "hammer/1.0/a%5Cb",
        "hammer/1.0/a%0d%0ab",
        "hammer/1.0//x",
        "hammer/1.0/a//b",
        "hammer/1.0/a/",
        "%2e%2e/1.0/a",
        "hammer/%2e%2e/a",
        "ham%2fmer/1.0/a",
        "hammer/1%2f0/a",
        "hammer/1.0/~a",
        "hammer/1.0/%ff",
        "h%20r/1/a",
        &format!("{long}/1.0/a"),
        &format!("hammer/{long}/a"),
        &format!("hammer/1.0/{long}"),
    ] {
        let reply = put(&t.admin(), &r.generic(rest), "x").await;
        assert!(matches!(reply.status, 400 | 404), "{rest}: {reply:?}");
        let reply = t.admin().get(r.generic(rest)).await;
        assert!(matches!(reply.status, 400 | 404), "{rest}: {reply:?}");
    }
    assert_eq!(t.admin().get(r.at("")).await.is(200).json(), json!([]));
}

#[testkit::story]
async fn limits_hold_announced_or_not(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let limits = "/application/plan_limits";
    let shown = t.admin().get(limits).await.is(200).json();
    assert_eq!(shown["generic_packages_max_file_size"], 5_368_709_120_i64);
    let change = json!({"plan_name": "default", "generic_packages_max_file_size": 10});
    t.admin().put(limits).json(&change).await.is(200);

    r.publish(&t, "hammer/1.0/a", "0123456789").await;
    let message = json!({"message": "400 Bad request - File is too large"});
    let reply = put(&t.admin(), &r.generic("hammer/1.0/b"), "0123456789a").await.is(400);
    assert_eq!(reply.json(), message);
    let chunked = reqwest::Body::wrap_stream(tokio_stream("0123456789a"));
    let reply = t.admin().put(r.generic("hammer/1.0/b")).stream(chunked).await.is(400);
    assert_eq!(reply.json(), message);
    t.admin().get(r.generic("hammer/1.0/b")).await.is(404);

    let none = json!({"generic_packages_max_file_size": 0});
    t.admin().put(limits).json(&none).await.is(200);
    r.publish(&t, "hammer/1.0/b", "0123456789a").await;

    t.admin().put(limits).json(&json!({"npm_max_file_size": -1})).await.is(400);
    t.admin().put(limits).json(&json!({"plan_name": "gold"})).await.is(400);
    let jane = r.person(&t, "jane", 50).await;
    jane.get(limits).await.is(403);
    t.anonymous().get(limits).await.is(401);
}

#[testkit::story]
async fn many_uploads_of_one_version_make_one_package(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let mut uploads = Vec::new();
    for number in 0..64 {
        let (admin, path) = (t.admin(), r.generic(&format!("hammer/1.0/{number}.txt")));
        uploads.push(tokio::spawn(async move {
            put(&admin, &path, &format!("file {}", number % 8)).await.is(201);
        }));
    }
    for upload in uploads {
        upload.await.expect("an upload does not panic");
    }

    let reply = t.admin().get(r.at("")).await.is(200);
    assert_eq!(reply.header("x-total"), "1");
    let id = r.id_of(&t, "hammer").await;
    let files = t.admin().get(r.at(&format!("/{id}/package_files?per_page=100"))).await.is(200);
    assert_eq!(files.header("x-total"), "64");
    let report = packages::check::run(t.app(), true, |_, _| {}).await.expect("it can be checked");
    assert_eq!(report.problems, Vec::<String>::new());
    assert_eq!(report.blobs, 8);
}

#[testkit::story]
async fn an_aborted_upload_leaves_nothing(t: testkit::TestServer) {
    let r = Registry::new(&t, "acme/anvil", 0).await;
    let chunks = vec![Ok("half of"), Err(std::io::Error::other("gone"))];
    let body = reqwest::Body::wrap_stream(futures_util::stream::iter(chunks));
    let sent = t.admin().put(r.generic("hammer/1.0/a")).stream(body).try_send().await;
    assert!(sent.is_err());

    t.admin().get(r.generic("hammer/1.0/a")).await.is(404);
    assert_eq!(t.admin().get(r.at("?include_versionless=true")).await.json(), json!([]));
    let blobs = t.app().config().data_dir.join("blobs");
    for _ in 0..100 {
        if testkit::files_below(&blobs).is_empty() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("left behind: {:?}", testkit::files_below(&blobs));
}

fn tokio_stream(
    text: &'static str,
) -> impl futures_util::Stream<Item = Result<&'static str, std::io::Error>> + Send {
    futures_util::stream::iter([Ok(&text[..5]), Ok(&text[5..])])
}
