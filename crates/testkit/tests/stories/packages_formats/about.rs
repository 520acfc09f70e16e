//! What the page of a package tells that its archive said: README, licence,
//! addresses, keywords, what it needs.

use crate::packages_formats::archives::{tar_gz, zip};
use crate::packages_formats::forms::multipart;
use serde_json::{Value, json};
use testkit::{Browser, TestProject, TestServer, npm};

const README: &str = "Strikes *hard*.\n\n<script>x()</script>[here](javascript:x)\n";

/// The page of the package that was published last.
async fn page(t: &TestServer, browser: &Browser, project: &TestProject) -> String {
    let found = t.admin().get(project.at("/packages?sort=desc")).await.is(200).json();
    let path = format!("/{}/-/packages/{}", project.path, found[0]["id"]);
    browser.get(&path).await.is(200).text()
}

fn tells(format: &str, page: &str, texts: &[&str]) {
    for text in texts {
        assert!(page.contains(text), "{format}: {text} is not in {page}");
    }
    for text in ["<script>x()", "href=\"javascript:"] {
        assert!(!page.contains(text), "{format}: {text}");
    }
}

async fn reader(t: &TestServer, path: &str) -> (TestProject, Browser) {
    let project = t.project(path).await;
    let jane = t.user("jane").await;
    project.add(&jane, 20).await;
    (project, t.browser("jane").await)
}

#[testkit::story]
async fn npm_s_archive_tells_what_it_is(t: TestServer) {
    let (project, jane) = reader(&t, "acme/anvil").await;
    let to = project.at("/packages/npm/hammer");
    let publish = async |manifest: &Value, files: &[(&str, &[u8])]| {
        let text = manifest.to_string();
        let mut all: Vec<(&str, &[u8])> = vec![("package/package.json", text.as_bytes())];
        all.extend_from_slice(files);
        let body = npm::publication(manifest, &npm::archive(&all), "latest");
        t.admin().put(&to).json(&body).await.is(200);
    };
    let manifest = json!({"name": "hammer", "version": "1.0.0", "description": "A <b>hammer</b>",
        "license": "MIT", "homepage": "https://hammer.example", "keywords": ["iron"],
        "repository": "acme/hammer", "bugs": "javascript:x()", "dependencies": {"nail": "^1.0"},
        "devDependencies": {"saw": "2"}});
    publish(
        &manifest,
        &[("package/README.md", README.as_bytes()), ("package/lib/README.md", b"not this")],
    )
    .await;
    let shown = page(&t, &jane, &project).await;
    tells(
        "npm",
        &shown,
        &[
            "Strikes <em>hard</em>",
            "A &#60;b&#62;hammer",
            "MIT",
            "<a href=\"https://hammer.example\" rel=\"nofollow noopener\">",
            "https://github.com/acme/hammer",
            "iron",
            "Dependencies <span class=\"tally\">1</span>",
            "nail",
            "^1.0",
            "To develop it",
        ],
    );
    assert!(!shown.contains("not this") && !shown.contains("Said"), "{shown}");

    // What the README names beside itself is where it was written, not here.
    for (version, repository, led) in [
        (
            "1.0.1",
            json!("acme/hammer"),
            "<a href=\"https://github.com/acme/hammer/blob/HEAD/docs/a.md\"",
        ),
        ("1.0.2", json!(null), ">the manual</a>"),
    ] {
        let manifest = json!({"name": "hammer", "version": version, "repository": repository});
        let text = b"[the manual](docs/a.md) ![a picture](b.png) [out](https://out.example/)";
        publish(&manifest, &[("package/README.md", text)]).await;
        let shown = page(&t, &jane, &project).await;
        tells("npm", &shown, &[led, "a picture", "<a href=\"https://out.example/\""]);
        assert!(
            !shown.contains("b.png")
                && !shown.contains("href=\"docs/")
                && shown.contains("docs/a.md") == repository.is_string(),
            "{shown}"
        );
    }

    publish(&json!({"name": "hammer", "version": "1.1.0"}), &[]).await;
    let bare = page(&t, &jane, &project).await;
    assert!(!bare.contains("README") && !bare.contains("Licence"), "{bare}");
}

#[testkit::story]
async fn every_format_with_a_readme_shows_it(t: TestServer) {
    let (project, jane) = reader(&t, "acme/anvil").await;
    let admin = t.admin();
    let own = format!(
        "Metadata-Version: 2.4\nName: hammer\nVersion: 1.0\nSummary: Of Python\n\
         License-Expression: BSD-3-Clause\nProject-URL: Source, https://git.example/py\n\
         Requires-Dist: nail>=1\nDescription-Content-Type: text/markdown\n\n{README}"
    );
    let wheel = zip(&[("hammer-1.0.dist-info/METADATA", own.as_str())]);
    let texts = [("name", "hammer"), ("version", "1.0")];
    let files = [("content", "hammer-1.0-py3-none-any.whl", wheel.as_slice())];
    multipart(admin.post(project.at("/packages/pypi")), &texts, &files)
        .await
        .is(201);
    let emphasised = "Strikes <em>hard</em>";
    tells(
        "pypi",
        &page(&t, &jane, &project).await,
        &[
            emphasised,
            "Of Python",
            "BSD-3-Clause",
            "https://git.example/py",
            "nail",
            "&#62;=1",
        ],
    );

    let described = "apiVersion: v2\nname: mast\nversion: 1.0.0\nhome: https://mast.example\n\
        dependencies:\n- name: rope\n  version: ~2\n";
    let chart = tar_gz(&[("mast/Chart.yaml", described), ("mast/README.md", README)]);
    let files = [("chart", "mast-1.0.0.tgz", chart.as_slice())];
    let to = admin.post(project.at("/packages/helm/api/stable/charts"));
    multipart(to, &[], &files).await.is(201);
    tells(
        "helm",
        &page(&t, &jane, &project).await,
        &[emphasised, "https://mast.example", "rope", "~2"],
    );

    let nuspec = "<package><metadata><id>Sail</id><version>1.0.0</version><authors>J</authors>\
        <description>Of cloth</description><license type=\"expression\">Apache-2.0</license>\
        <repository url=\"https://git.example/sail\" /><readme>docs\\README.md</readme>\
        </metadata></package>";
    let nupkg = zip(&[("Sail.nuspec", nuspec), ("docs/README.md", README), ("README.md", "other")]);
    let files = [("package", "package.nupkg", nupkg.as_slice())];
    multipart(admin.put(project.at("/packages/nuget/")), &[], &files).await.is(201);
    let shown = page(&t, &jane, &project).await;
    tells(
        "nuget",
        &shown,
        &[emphasised, "Of cloth", "Apache-2.0", "https://git.example/sail"],
    );

    let composer = json!({"name": "acme/keel", "license": ["MIT", "GPL-3.0-only"],
        "require": {"php": ">=8"}});
    let composer = composer.to_string();
    let archive = zip(&[("keel/composer.json", composer.as_str()), ("keel/README.txt", README)]);
    let files = [("package", "p.zip", archive.as_slice())];
    let to = admin.post(project.at("/packages/composer"));
    multipart(to, &[("tag", "v1.0.0")], &files).await.is(201);
    // Plain text stays what it is.
    let shown = page(&t, &jane, &project).await;
    for text in ["Strikes *hard*.", "&lt;script&gt;x()", "MIT, GPL-3.0-only", "php"] {
        assert!(shown.contains(text), "composer: {text} is not in {shown}");
    }
}

#[testkit::story]
async fn what_is_published_again_tells_what_it_says_now(t: TestServer) {
    let (project, jane) = reader(&t, "acme/anvil").await;
    let publish = async |readme: Option<&str>| {
        let own = "apiVersion: v2\nname: mast\nversion: 1.0.0\n";
        let mut members = vec![("mast/Chart.yaml", own)];
        members.extend(readme.map(|text| ("mast/README.md", text)));
        let chart = tar_gz(&members);
        let to = t.admin().post(project.at("/packages/helm/api/stable/charts"));
        multipart(to, &[], &[("chart", "c.tgz", &chart)]).await.is(201);
    };
    publish(Some("Of oak")).await;
    assert!(page(&t, &jane, &project).await.contains("Of oak"));
    publish(Some("Of pine")).await;
    let shown = page(&t, &jane, &project).await;
    assert!(shown.contains("Of pine") && !shown.contains("Of oak"), "{shown}");
    publish(None).await;
    assert!(!page(&t, &jane, &project).await.contains("Of pine"));
    // One that is far too long is cut, and refuses nothing.
    publish(Some(&format!("Of ash\n\n{}", "leaf ".repeat(1_200_000)))).await;
    let shown = page(&t, &jane, &project).await;
    assert!(shown.contains("Of ash") && shown.len() < 200_000, "{}", shown.len());
}
