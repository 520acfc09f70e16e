//! Version 2 of the protocol: the feed that older clients read.

use super::{described, nuspec, package};
use testkit::{Client, Reply, TestProject, TestServer};

const REST: &str = "<title>A &amp; B</title><tags>iron</tags><dependencies>\
    <group targetFramework=\"net45\"><dependency id=\"Nail\" version=\"[1.0, 2.0)\"/></group>\
    <group targetFramework=\"net20\"/></dependencies>";

async fn asked(client: &Client, project: &TestProject, rest: &str) -> Reply {
    let reply = client.get(project.at(&format!("/packages/nuget/v2/{rest}"))).await;
    if reply.status == 200 && !rest.contains("$count") && !rest.starts_with("package/") {
        assert_eq!(reply.header("content-type"), "application/xml; charset=utf-8");
        assert_eq!(reply.header("dataserviceversion"), "2.0;");
    }
    reply
}

/// What stands between these, each time.
fn between<'t>(text: &'t str, from: &str, to: &str) -> Vec<&'t str> {
    let parts = text.split(from).skip(1);
    parts.filter_map(|part| Some(part.split_once(to)?.0)).collect()
}

/// Names and versions of a page.
async fn found(t: &TestServer, project: &TestProject, rest: &str) -> Vec<String> {
    let text = asked(&t.admin(), project, rest).await.is(200).text();
    let names = between(&text, "<d:Id>", "<");
    let versions = between(&text, "<d:Version>", "<");
    assert_eq!(names.len(), text.matches("<entry>").count());
    names
        .iter()
        .zip(versions)
        .map(|(name, version)| format!("{name} {version}"))
        .collect()
}

async fn stock(t: &TestServer) -> TestProject {
    let project = t.project("acme/anvil").await;
    for (name, version) in [
        ("Hammer", "1.0.0"),
        ("Hammer", "1.10.0"),
        ("Hammer", "1.9.0"),
        ("Hammer", "2.0.0-rc1"),
        ("Nail", "0.1.0-dev"),
    ] {
        described(&nuspec(name, version, REST)).to(&t.admin(), &project).await.is(201);
    }
    project
}

#[testkit::story]
async fn the_feed_describes_itself_to_anyone(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let base = format!("{}/api/v4{}", t.app().base_url(), project.at("/packages/nuget/v2"));
    for rest in ["", "/"] {
        let path = project.at(&format!("/packages/nuget/v2{rest}"));
        let text = t.anonymous().get(path).await.is(200).text();
        assert!(
            text.contains(&format!("xml:base=\"{base}/\"")) && text.contains("href=\"Packages\""),
            "{text}"
        );
    }
    let told = asked(&t.anonymous(), &project, "$metadata").await.is(200).text();
    for name in [
        "edmx:Edmx",
        "Name=\"Search\"",
        "Name=\"FindPackagesById\"",
        "IsAbsoluteLatestVersion",
    ] {
        assert!(told.contains(name), "{name}");
    }
    // Some clients escape the sign; then they are asked who they are, like for the rest.
    assert_eq!(asked(&t.admin(), &project, "%24metadata").await.is(200).text(), told);
}

#[testkit::story]
async fn an_old_client_is_asked_at_the_beginning(t: TestServer) {
    let (hidden, open) =
        (t.project("acme/anvil").await, t.project_with("plaza/fountain", "public").await);
    let begin = |client: &Client, project: &TestProject| {
        let request = client.get(project.at("/packages/nuget/v2/"));
        request.header("user-agent", "NuGet Command Line/2.8.7.0 (Unix)")
    };
    let reply = begin(&t.anonymous(), &hidden).await.is(401);
    assert!(reply.header("www-authenticate").starts_with("Basic realm="));
    begin(&t.admin(), &hidden).await.is(200);
    begin(&t.anonymous(), &open).await.is(200);
    let outsider = t.user("outsider").await;
    begin(&outsider, &hidden).await.is(404);
}

#[testkit::story]
async fn an_entry_tells_what_clients_need(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let hammer = described(&nuspec("Acme.Hammer", "1.0", REST));
    hammer.to(&t.admin(), &project).await.is(201);
    let base = format!("{}/api/v4{}", t.app().base_url(), project.at("/packages/nuget"));
    let reply = asked(&t.admin(), &project, "Packages(Id='acme.hammer',Version='1.0.0')")
        .await
        .is(200);
    let text = reply.text();
    for part in [
        format!("<id>{base}/v2/Packages(Id='Acme.Hammer',Version='1.0')</id>"),
        "<title type=\"text\">Acme.Hammer</title>".into(),
        "<author><name>Jane</name></author>".into(),
        format!("src=\"{base}/v2/package/acme.hammer/1.0.0\""),
        "<d:Version>1.0</d:Version><d:NormalizedVersion>1.0.0</d:NormalizedVersion>".into(),
        "<d:Title>A &amp; B</d:Title>".into(),
        "<d:Dependencies>Nail:[1.0, 2.0):net45|::net20</d:Dependencies>".into(),
        "<d:PackageHashAlgorithm>SHA512</d:PackageHashAlgorithm>".into(),
        "<d:IsLatestVersion m:type=\"Edm.Boolean\">true</d:IsLatestVersion>".into(),
        format!("<d:PackageSize m:type=\"Edm.Int64\">{}</d:PackageSize>", hammer.bytes.len()),
        "<d:IconUrl m:null=\"true\"/>".into(),
    ] {
        assert!(text.contains(&part), "{part} in {text}");
    }
    let same = asked(&t.admin(), &project, "Packages(Version='1.0.0.0',Id='ACME.HAMMER')")
        .await
        .is(200);
    assert_eq!(same.text(), text);
    for wrong in [
        "Packages(Id='nail',Version='1.0')",
        "Packages(Id='acme.hammer',Version='1.1')",
        "Packages(Id='acme.hammer')",
        "Packages(1)",
        "Packages(",
        "Users()",
    ] {
        asked(&t.admin(), &project, wrong).await.is(404);
    }
}

#[testkit::story]
async fn an_archive_is_fetched_below_the_feed(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let hammer = package("Acme.Hammer", "1.0");
    hammer.to(&t.admin(), &project).await.is(201);
    let base = format!("{}/api/v4", t.app().base_url());
    let text = asked(&t.admin(), &project, "Packages()").await.is(200).text();
    let path = between(&text, "src=\"", "\"").concat().replace(&base, "");

    let reply = t.admin().get(&path).await.is(200);
    assert_eq!(reply.body, hammer.bytes);
    assert_eq!(
        reply.header("content-disposition"),
        "attachment; filename=\"acme.hammer.1.0.0.nupkg\""
    );
    let also = asked(&t.admin(), &project, "package/ACME.Hammer/1.0.0.0").await.is(200);
    assert_eq!(also.body, hammer.bytes);
    asked(&t.admin(), &project, "package/Acme.Hammer/1.1.0").await.is(404);
    t.anonymous().get(&path).await.is(401);
    t.user("outsider").await.get(&path).await.is(404);
}

#[testkit::story]
async fn an_old_client_s_form_ends_as_it_writes_it(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let hammer = package("Acme.Hammer", "1.0.0");
    let head = "--cut\r\nContent-Disposition: form-data; name=\"package\"; filename=\"package\"\r\n\
        Content-Type: application/octet-stream\r\n\r\n";
    let put = |ending: &str| {
        let request = t.admin().put(project.at("/packages/nuget/v2/"));
        let request = request.header("content-type", "multipart/form-data; boundary=cut");
        request.bytes([head.as_bytes(), &hammer.bytes, ending.as_bytes()].concat())
    };
    put("\n--cut").await.is(400);
    put("\n--cut--\n").await.is(400);
    put("--cut--").await.is(400);
    put("\n--cut--").await.is(201);
    let got = asked(&t.admin(), &project, "package/acme.hammer/1.0.0").await.is(200);
    assert_eq!(got.body, hammer.bytes);
}

#[testkit::story]
async fn old_clients_find_what_they_look_for(t: TestServer) {
    let project = stock(&t).await;
    let hammers = ["Hammer 1.0.0", "Hammer 1.9.0", "Hammer 1.10.0", "Hammer 2.0.0-rc1"];
    assert_eq!(found(&t, &project, "FindPackagesById()?id='hammer'").await, hammers);
    assert_eq!(found(&t, &project, "FindPackagesById?id=HAMMER").await, hammers);
    assert_eq!(found(&t, &project, "FindPackagesById()?id='it''s'").await, [""; 0]);
    assert_eq!(
        asked(&t.admin(), &project, "FindPackagesById()").await.is(400).json()["error"],
        "id is missing"
    );
    for (rest, wanted) in [
        (
            "Packages()",
            vec![
                "Hammer 1.0.0",
                "Hammer 1.9.0",
                "Hammer 1.10.0",
                "Hammer 2.0.0-rc1",
                "Nail 0.1.0-dev",
            ],
        ),
        (
            "Packages?$filter=(tolower(Id) eq 'hammer') and IsLatestVersion",
            vec!["Hammer 1.10.0"],
        ),
        (
            "Packages()?$filter=IsAbsoluteLatestVersion",
            vec!["Hammer 2.0.0-rc1", "Nail 0.1.0-dev"],
        ),
        ("Packages()?$filter=Id eq 'Hammer' and Version eq '1.9.0'", vec!["Hammer 1.9.0"]),
        (
            "Packages()?$orderby=Version desc&$top=2",
            vec!["Hammer 2.0.0-rc1", "Hammer 1.10.0"],
        ),
        ("Packages()?$skip=3&$top=1", vec!["Hammer 2.0.0-rc1"]),
        ("Packages()?$skip=9", vec![]),
        (
            "Search()?$filter=IsLatestVersion&searchTerm='ham'&targetFramework=''&includePrerelease=false",
            vec!["Hammer 1.10.0"],
        ),
        ("Search()?searchTerm='nail'&includePrerelease=false", vec![]),
        (
            "Search()?$orderby=Id&searchTerm=''&includePrerelease=true&$filter=IsAbsoluteLatestVersion",
            vec!["Hammer 2.0.0-rc1", "Nail 0.1.0-dev"],
        ),
        ("Search()?searchTerm='%25'", vec![]),
    ] {
        assert_eq!(found(&t, &project, &rest.replace(' ', "%20")).await, wanted, "{rest}");
    }
    for (rest, wanted) in [
        ("Packages()/$count", "5"),
        ("Packages/$count?$filter=IsLatestVersion", "1"),
        ("Search()/$count?searchTerm='hammer'&includePrerelease=false", "3"),
        ("FindPackagesById()/$count?id='nail'", "1"),
    ] {
        assert_eq!(asked(&t.admin(), &project, rest).await.is(200).text(), wanted);
    }
    let text = asked(&t.admin(), &project, "Packages()?$inlinecount=allpages&$top=1")
        .await
        .is(200)
        .text();
    assert!(
        text.contains("<m:count>5</m:count>") && !text.contains("rel=\"next\""),
        "{text}"
    );
}

#[testkit::story]
async fn questions_are_refused_that_cannot_be_understood(t: TestServer) {
    let project = stock(&t).await;
    let deep = format!("Packages()?$filter={}true{}", "(".repeat(500), ")".repeat(500));
    for wrong in [
        "Packages()?$filter=Id eq",
        "Packages()?$filter=Password eq 'a'",
        "Packages()?$filter='a",
        "Packages()?$orderby=Nothing",
        "Packages()?$skip=-1",
        "Packages()?$top=x",
        "Packages()/$count?$filter=(",
        "Search()?includePrerelease=maybe",
        &deep,
    ] {
        asked(&t.admin(), &project, &wrong.replace(' ', "%20")).await.is(400);
    }
    asked(&t.admin(), &project, "Packages(Id='a',Version='1.0')/$count")
        .await
        .is(404);
}

#[testkit::story]
async fn a_long_page_leads_to_the_next(t: TestServer) {
    let project = t.project("acme/anvil").await;
    package("hammer", "0.0.1").to(&t.admin(), &project).await.is(201);
    // As if published: a hundred versions of one archive.
    let copies = |tx: &mut store::Tx<'_>| {
        for number in 2..=101 {
            let version = format!("0.0.{number}");
            let file = format!("hammer.{version}.nupkg");
            tx.execute("insert into packages (project_id, package_type, type_order, name, name_folded, name_key,
                    version, version_key, status, live, metadata, created_at, updated_at)
                    select project_id, package_type, type_order, name, name_folded, name_key, $1, $1, status, live,
                        metadata, created_at, updated_at from packages where version = '0.0.1'", (version.as_str(),))?;
            tx.execute("insert into package_files (package_id, file_name, size, md5, sha1, sha256, sha512, blob_key,
                    status, created_at, updated_at)
                    select (select id from packages where version = $1), $2, size, md5, sha1, sha256, sha512, blob_key,
                        status, created_at, updated_at from package_files where file_name = 'hammer.0.0.1.nupkg'",
                (version.as_str(), file.as_str()))?;
        }
        Ok(())
    };
    t.app().write(copies).await.expect("copied");
    let first = asked(&t.admin(), &project, "FindPackagesById()?id='hammer'")
        .await
        .is(200)
        .text();
    assert_eq!(first.matches("<entry>").count(), 100);
    let next = between(&first, "<link rel=\"next\" href=\"", "\"")
        .concat()
        .replace("&amp;", "&");
    let base = format!("{}/api/v4", t.app().base_url());
    let rest = t.admin().get(next.replace(&base, "")).await.is(200).text();
    assert_eq!(between(&rest, "<d:Version>", "<"), ["0.0.101"]);
    assert!(!rest.contains("rel=\"next\""));
    let some = asked(&t.admin(), &project, "Packages()?$top=101&$skip=0").await.is(200).text();
    assert!(some.contains("%24skip=100&amp;%24top=1\""), "{some}");
}

#[testkit::story]
async fn what_archives_say_stays_text(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let evil = "<title>&lt;/d:Title&gt;&lt;x&gt;\"'&amp;#1;&#1;</title><tags>]]&gt;</tags>";
    described(&nuspec("hammer", "1.0.0", evil))
        .to(&t.admin(), &project)
        .await
        .is(201);
    let text = asked(&t.admin(), &project, "Packages()").await.is(200).text();
    assert!(
        text.contains("<d:Title>&lt;/d:Title&gt;&lt;x&gt;&quot;'&amp;#1;</d:Title>"),
        "{text}"
    );
    assert!(text.contains("<d:Tags>]]&gt;</d:Tags>"), "{text}");
}
