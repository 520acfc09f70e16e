//! Files of texts (docs/interface/code.md «Uploads»).

use crate::packages_formats::forms::multipart;
use serde_json::{Value, json};
use store::sql;
use testkit::service::set;
use testkit::{Client, Reply, TestServer};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nand what follows";
const SVG: &[u8] = b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>";

async fn send(client: &Client, path: &str, name: &str, bytes: &[u8]) -> Reply {
    multipart(client.post(path), &[], &[("file", name, bytes)]).await
}

fn text(json: &Value, field: &str) -> String {
    json[field]
        .as_str()
        .unwrap_or_else(|| panic!("no {field} in {json}"))
        .to_owned()
}

/// Strangers may not know whether there is something: they are asked to sign in,
/// or nothing is there.
async fn hidden(t: &TestServer, path: &str) {
    let reply = t.anonymous().at(path).await;
    let nothing = t.anonymous().at(path.replace("/uploads/", "/uploads/0")).await;
    assert!([302, 404].contains(&reply.status), "{reply:?}");
    assert_eq!(reply.status, nothing.status, "{reply:?}");
}

async fn count(t: &TestServer, sql: &'static str) -> i64 {
    let counted = t.app().read(move |tx| Ok(tx.one::<i64>(sql, ())?)).await;
    counted.expect("a count")
}

#[testkit::story]
async fn a_file_is_sent_shown_listed_and_removed(t: TestServer) {
    let (project, group) = (t.project("acme/anvil").await, t.group("acme").await);
    let jane = t.user("jane").await;
    project.add(&jane, 10).await;
    group.add(&jane, 10).await;
    let reader = t.browser("jane").await;
    for (all, kind, id) in [
        (project.at("/uploads"), "project", project.id),
        (group.at("/uploads"), "group", group.id),
    ] {
        let sender: &Client = if kind == "project" { &jane } else { &t.admin() };
        let made = send(sender, &all, "a [b].png", PNG).await.is(201);
        let (upload, json) = (made.id(), made.json());
        let secret = text(&json, "url").split('/').nth(2).unwrap().to_owned();
        assert_eq!((secret.len(), secret.bytes().all(|b| b.is_ascii_hexdigit())), (32, true));
        let url = format!("/uploads/{secret}/a__b_.png");
        let expected = format!(
            "{{\"id\":{upload},\"alt\":\"a__b_\",\"url\":\"{url}\",\
             \"full_path\":\"/-/{kind}/{id}{url}\",\"markdown\":\"![a__b_]({url})\"}}"
        );
        assert_eq!(made.text(), expected);
        let log = send(&t.admin(), &all, "build.log", b"ok").await.is(201).json();
        assert!(text(&log, "markdown").starts_with("[build.log](/uploads/"), "{log}");

        let listed = t.admin().get(&all).await.is(200);
        assert_eq!(listed.each("filename"), [json!("build.log"), json!("a__b_.png")]);
        let row = listed.json()[1].clone();
        let begin = format!("{{\"id\":{upload},\"size\":{},\"filename\":", PNG.len());
        assert!(listed.text().contains(&begin), "{listed:?}");
        let by = if kind == "project" { "jane" } else { "root" };
        assert_eq!(
            (&row["size"], &row["uploaded_by"]["username"]),
            (&json!(PNG.len()), &json!(by))
        );

        let shown = reader.get(&text(&json, "full_path")).await.is(200);
        assert_eq!((shown.body.as_ref(), shown.header("content-type")), (PNG, "image/png"));
        assert_eq!(shown.header("content-disposition"), "inline; filename=\"a__b_.png\"");
        assert_eq!(shown.header("x-content-type-options"), "nosniff");
        assert_eq!(shown.header("cache-control"), "private, must-revalidate, max-age=0");
        let named = format!("{all}/{secret}/a__b_.png");
        for path in [format!("{all}/{upload}"), named.clone()] {
            assert_eq!(t.admin().get(path).await.is(200).body.as_ref(), PNG);
        }
        let other = log["id"].as_i64().unwrap();
        t.admin().delete(&named).await.is(204);
        t.admin().delete(&named).await.is(404);
        t.admin().delete(format!("{all}/{other}")).await.is(204);
        t.admin().get(format!("{all}/{other}")).await.is(404);
        reader.get(&text(&json, "full_path")).await.is(404);
        assert_eq!(t.admin().get(&all).await.is(200).json(), json!([]));
    }
    let audit = t.admin().get("/audit_events").await.is(200).text();
    assert!(audit.contains("upload.create") && audit.contains("upload.delete"), "{audit}");
}

#[testkit::story]
async fn names_and_types_are_made_harmless(t: TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    let (all, admin) = (project.at("/uploads"), t.admin());
    for (sent, kept, media_type, shown) in [
        ("a.svg", "a.svg", "application/octet-stream", "attachment"),
        ("a/../b.svg", "b.svg", "application/octet-stream", "attachment"),
        ("..\\\\b.html", "b.html", "application/octet-stream", "attachment"),
        ("..", "file", "application/octet-stream", "attachment"),
        ("a.png.js", "a.png.js", "application/octet-stream", "attachment"),
        ("Maße 1.PNG", "Maße_1.PNG", "image/png", "inline"),
        ("a.pdf", "a.pdf", "application/pdf", "inline"),
        ("a.mp4", "a.mp4", "video/mp4", "inline"),
        (
            "x%0D%0Aset-cookie: a=b",
            "x_0D_0Aset-cookie__a_b",
            "application/octet-stream",
            "attachment",
        ),
    ] {
        let made = send(&admin, &all, sent, SVG).await.is(201).json();
        let file = t.anonymous().at(text(&made, "full_path")).await.is(200);
        let policy = file.header("content-security-policy");
        assert_eq!(file.header("content-type"), media_type, "{sent}");
        assert_eq!(file.header("x-content-type-options"), "nosniff");
        assert!(file.header("content-disposition").starts_with(shown), "{sent}: {file:?}");
        assert!(
            policy.starts_with("default-src 'none'") && !policy.contains("script"),
            "{policy}"
        );
        assert_eq!(policy.contains("sandbox"), shown == "attachment");
        assert!(file.header("set-cookie").is_empty());
        let listed = admin.get(&all).await.is(200).each("filename");
        assert_eq!(listed[0], json!(kept), "{sent}");
    }
    // A name may not bring a header of its own.
    let broken = "a.png\"\r\nset-cookie: a=b\r\nx: \"";
    let reply = send(&admin, &all, broken, PNG).await;
    assert!([201, 400].contains(&reply.status), "{reply:?}");
    send(&admin, &all, "empty.png", b"").await.is(400);
    admin.post(&all).json(&json!({"file": "a"})).await.is(400);
    multipart(admin.post(&all), &[("file", "no file")], &[]).await.is(400);
    multipart(admin.post(&all), &[("a", "b")], &[("other", "a.png", PNG)])
        .await
        .is(400);
    let texts: Vec<(&str, &str)> = vec![("a", "b"); 200];
    multipart(admin.post(&all), &texts, &[("file", "a.png", PNG)]).await.is(400);
    let cut =
        b"--x\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\nabc".to_vec();
    let kind = "multipart/form-data; boundary=x";
    admin.post(&all).header("content-type", kind).bytes(cut).await.is(400);
}

#[testkit::story]
async fn files_end_at_the_limit(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let all = project.at("/uploads");
    set(&t, json!({"max_attachment_size": 1})).await;
    let most = vec![7; 1 << 20];
    send(&t.admin(), &all, "a.bin", &most).await.is(201);
    let more = [&most[..], b"x"].concat();
    send(&t.admin(), &all, "a.bin", &more).await.is(413);
    send(&t.admin(), &all, "a.bin", &vec![7; 3 << 20]).await.is(413);
    assert_eq!(count(&t, sql!("select count(*) from uploads")).await, 1);
    for wrong in [json!(0), json!(-1), json!("much"), json!(i64::MAX)] {
        let body = json!({"max_attachment_size": wrong});
        t.admin().put("/application/settings").json(&body).await.is(400);
    }
    let shown = t.admin().get("/application/settings").await.is(200).json();
    assert_eq!(shown["max_attachment_size"], json!(1));
}

#[testkit::story]
async fn who_may_write_texts_may_send_files(t: TestServer) {
    let (project, group) = (t.project("acme/anvil").await, t.group("acme").await);
    let open = t.project_with("plaza/fountain", "public").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 30).await;
    let all = project.at("/uploads");
    let made = send(&jane, &all, "a.png", PNG).await.is(201).json();
    send(&t.anonymous(), &all, "a.png", PNG).await.is(401);
    send(&joe, &all, "a.png", PNG).await.is(404);
    send(&joe, &open.at("/uploads"), "a.png", PNG).await.is(201);
    send(&t.anonymous(), &open.at("/uploads"), "a.png", PNG).await.is(401);
    // A group's are for its members.
    send(&joe, "/groups/plaza/uploads", "a.png", PNG).await.is(403);
    send(&joe, &group.at("/uploads"), "a.png", PNG).await.is(404);
    let reader = t.token_of(jane.id, &["read_api"]).await;
    send(&reader, &all, "a.png", PNG).await.is(403);
    // Developers send files and do not manage them.
    let one = format!("{all}/{}", made["id"]);
    jane.get(&all).await.is(403);
    jane.get(&one).await.is(403);
    jane.delete(&one).await.is(403);
    joe.get(&one).await.is(404);
    let named = format!("{all}{}", text(&made, "url").trim_start_matches("/uploads"));
    jane.get(&named).await.is(200);
    joe.get(&named).await.is(404);
    jane.delete(&named).await.is(403);
    // One project does not answer with the files of another.
    t.admin().get(open.at(&format!("/uploads/{}", made["id"]))).await.is(404);
    t.admin().post(project.at("/archive")).await.is(201);
    send(&jane, &all, "a.png", PNG).await.is(403);
    jane.get(&named).await.is(200);
}

#[testkit::story]
async fn pictures_of_a_private_project_are_for_its_readers(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, _) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 10).await;
    let all = project.at("/uploads");
    let sent = async |name: &str, bytes: &[u8]| {
        let made = send(&t.admin(), &all, name, bytes).await.is(201).json();
        (text(&made, "full_path"), text(&made, "url"))
    };
    let (picture, url) = sent("a.png", PNG).await;
    let ((log, _), (paper, _), (svg, _)) =
        (sent("a.log", b"x").await, sent("a.pdf", b"x").await, sent("a.svg", SVG).await);
    let old = format!("/acme/anvil{url}");
    let (reader, outsider) = (t.browser("jane").await, t.browser("joe").await);
    let asked = async |status: [u16; 2]| {
        for path in [&picture, &old] {
            outsider.get(path).await.is(status[0]);
            assert_eq!(t.anonymous().at(path).await.status == 200, status[0] == 200);
        }
        for path in [&log, &paper, &svg] {
            outsider.get(path).await.is(status[1]);
            hidden(&t, path).await;
        }
    };
    for path in [&picture, &old, &log, &paper, &svg] {
        reader.get(path).await.is(200);
    }
    asked([404, 404]).await;
    let put = |on: bool| {
        let body = json!({"enforce_auth_checks_on_uploads": on});
        let request = t.admin().put(project.at("")).json(&body);
        async move { request.await.is(200).json()["enforce_auth_checks_on_uploads"].clone() }
    };
    assert_eq!(put(false).await, json!(false));
    asked([200, 404]).await;
    for wrong in [
        picture.replace(&url[9..11], if &url[9..11] == "00" { "11" } else { "00" }),
        picture.replace("a.png", "b.png"),
        picture.replace("/-/project/", "/-/group/"),
        picture.replace(&format!("/{}/", project.id), "/999999/"),
    ] {
        assert_ne!(wrong, picture);
        hidden(&t, &wrong).await;
        reader.get(&wrong).await.is(404);
    }
    // An old address answers also after the project moved.
    t.admin().put(project.at("")).json(&json!({"path": "hammer"})).await.is(200);
    t.anonymous().at(&old).await.is(200);
    assert_eq!(put(true).await, json!(true));
    asked([404, 404]).await;
}

#[testkit::story]
async fn a_group_may_still_be_called_uploads(t: TestServer) {
    let project = t.project("acme/uploads/a/b").await;
    let jane = t.user("jane").await;
    project.add(&jane, 10).await;
    let reader = t.browser("jane").await;
    let page = reader.get("/acme/uploads/a/b").await.is(200).text();
    assert!(page.contains("/acme/uploads/a/b/-/issues"), "{page}");
    let made = send(&t.admin(), &project.at("/uploads"), "x.png", PNG).await.is(201).json();
    let old = format!("/acme/uploads/a/b{}", text(&made, "url"));
    reader.get(&old).await.is(200);
}

#[testkit::story]
async fn parts_and_known_files_are_cheap(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let made = send(&t.admin(), &project.at("/uploads"), "a.mp4", b"0123456789").await;
    let path = project.at(&text(&made.is(201).json(), "url"));
    let part = t.admin().get(&path).header("range", "bytes=2-4").await.is(206);
    assert_eq!((part.text().as_str(), part.header("content-range")), ("234", "bytes 2-4/10"));
    t.admin().get(&path).header("range", "bytes=10-").await.is(416);
    let tag = t.admin().get(&path).await.is(200).header("etag").to_owned();
    let known = t.admin().get(&path).header("if-none-match", &tag).await.is(304);
    assert!(known.body.is_empty());
    assert_eq!(known.header("cache-control"), "private, must-revalidate, max-age=0");
}

/// A picture as a phone sends it: turned, and with the place it was taken at.
fn photograph() -> Vec<u8> {
    let tiff = b"MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0GPS 51.4779";
    let exif = [&b"Exif\0\0"[..], tiff].concat();
    let length = u16::try_from(exif.len() + 2).unwrap().to_be_bytes();
    let picture = b"\xff\xda\0\x03\x01picture\xff\xd9";
    [&b"\xff\xd8\xff\xe1"[..], &length, &exif, picture, b"behind: GPS"].concat()
}

#[testkit::story]
async fn photographs_do_not_tell_where_they_were_taken(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let made = send(&t.admin(), &project.at("/uploads"), "a.jpg", &photograph()).await.is(201);
    let kept = t.admin().get(project.at(&text(&made.json(), "url"))).await.is(200).body;
    let holds = |part: &[u8]| kept.windows(part.len()).any(|window| window == part);
    assert!(!holds(b"GPS") && holds(b"picture") && holds(b"\x01\x12\0\x03\0\0\0\x01\0\x06"));
    assert!(kept.starts_with(b"\xff\xd8\xff\xe1") && kept.ends_with(b"\xff\xd9"));
}

#[testkit::story(noon)]
async fn bytes_go_with_what_held_them(t: TestServer) {
    let (anvil, hammer) = (t.project("acme/anvil").await, t.project("acme/hammer").await);
    let all = anvil.at("/uploads");
    let mine = send(&t.admin(), &all, "a.png", b"only here").await.is(201).id();
    send(&t.admin(), &all, "b.png", b"in both").await.is(201);
    let other = send(&t.admin(), &hammer.at("/uploads"), "b.png", b"in both")
        .await
        .is(201)
        .json();
    send(&t.admin(), "/groups/acme/uploads", "c.png", b"the group's").await.is(201);
    anvil.generic_package("hammer", "1.0").await;
    let report = packages::check::run(t.app(), true, |_, _| {}).await.unwrap();
    assert_eq!((report.problems, report.blobs), (Vec::new(), 4));
    let blobs = async || {
        t.settle().await;
        t.advance(120);
        t.settle().await;
        count(&t, sql!("select count(*) from blobs")).await
    };
    assert_eq!(blobs().await, 4);
    t.admin().delete(format!("{all}/{mine}")).await.is(204);
    assert_eq!(blobs().await, 3);
    t.admin().delete(anvil.at("")).await.is(202);
    assert_eq!(blobs().await, 2);
    t.admin().get(hammer.at(&text(&other, "url"))).await.is(200);
    t.admin().delete("/groups/acme").await.is(202);
    assert_eq!(blobs().await, 0);
    assert_eq!(count(&t, sql!("select count(*) from uploads")).await, 0);
}

#[testkit::story]
async fn editors_send_files_by_the_page(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, _) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 10).await;
    let browser = t.browser("jane").await;
    let page = browser.get("/acme/anvil/-/issues/new").await.is(200);
    let token = page.hidden("authenticity_token").unwrap();
    let to = "/acme/anvil/-/uploads";
    let request = |token: &str| {
        let request = browser.request(http::Method::POST, to).header("x-csrf-token", token);
        multipart(request, &[], &[("file", "a.png", PNG)])
    };
    let link = request(&token).await.is(200).json()["link"].clone();
    assert!(text(&link, "markdown").starts_with("![a](/uploads/"), "{link}");
    browser.get(&text(&link, "full_path")).await.is(200);
    request("wrong").await.is(403);
    let bare = browser.request(http::Method::POST, to);
    multipart(bare, &[], &[("file", "a.png", PNG)]).await.is(403);
    multipart(t.anonymous().request(http::Method::POST, to), &[], &[("file", "a.png", PNG)])
        .await
        .is(401);
    let joe = t.browser("joe").await;
    let token = joe.get("/projects/new").await.is(200).hidden("authenticity_token").unwrap();
    let by_joe = joe.request(http::Method::POST, to).header("x-csrf-token", &token);
    multipart(by_joe, &[], &[("file", "a.png", PNG)]).await.is(404);
    let group = browser.request(http::Method::POST, "/groups/acme/-/uploads");
    let token = page.hidden("authenticity_token").unwrap();
    let by_jane = group.header("x-csrf-token", &token);
    multipart(by_jane, &[], &[("file", "a.png", PNG)]).await.is(403);
    assert_eq!(count(&t, sql!("select count(*) from uploads")).await, 1);
}

#[testkit::story]
async fn a_plain_form_sends_files_without_a_script(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, _) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 10).await;
    let browser = t.browser("jane").await;
    let issue = browser.get("/acme/anvil/-/issues/new").await.is(200).text();
    let to = "/acme/anvil/-/uploads";
    let way = format!("<noscript><p class=\"hint\"><a href=\"{to}\"");
    assert!(issue.contains(&way), "{issue}");
    let page = browser.get(to).await.is(200);
    let token = page.hidden("authenticity_token").unwrap();
    let send = |files: &[(&str, &str, &[u8])]| {
        let request = browser.request(http::Method::POST, to).header("accept", "text/html");
        multipart(request, &[("authenticity_token", &token)], files)
    };
    let sent = send(&[("file", "a.png", PNG)]).await.is(200).text();
    let (_, rest) = sent.split_once("![a](").unwrap();
    let (address, _) = rest.split_once(')').unwrap();
    let id = project.id;
    browser.get(&format!("/-/project/{id}{address}")).await.is(200);
    let empty = send(&[("file", "", b"")]).await.is(422).text();
    assert!(empty.contains("class=\"error\""), "{empty}");
    assert_eq!(count(&t, sql!("select count(*) from uploads")).await, 1);
    t.browser("joe").await.get(to).await.is(404);
    browser.get("/groups/acme/-/uploads").await.is(403);
}
