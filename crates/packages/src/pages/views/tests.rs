//! Every page rendered with samples and kept below `target/pages/`.

use super::*;
use kernel::html::{Flash, PageViewer};

fn viewer() -> Option<PageViewer> {
    Some(PageViewer::new("ada", "Ada Lovelace", true))
}

fn page(title: &str, active: &'static str) -> Page {
    Page {
        viewer: viewer(),
        csrf: "sample".into(),
        active,
        ..Page::new(title)
    }
}

fn moment(days_ago: i64) -> Moment {
    let now: kernel::time::Timestamp = "2026-03-04T10:00:00Z".parse().expect("a fixed time");
    let then = kernel::time::Timestamp::from_second(now.as_second() - days_ago * 86_400);
    Moment::new(then.expect("in range"), now)
}

fn keep(name: &str, template: &impl Template) -> String {
    let html = template.render().expect("it renders");
    assert!(
        !html.contains(" style=") && !html.contains(" onclick="),
        "the policy forbids it"
    );
    assert_eq!(html.matches("<h1").count(), 1, "one heading");
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/pages");
    std::fs::create_dir_all(&folder).expect("a writable target");
    std::fs::write(folder.join(format!("{name}.html")), &html).expect("a writable target");
    html
}

fn head(kind: &'static str) -> SpaceHead {
    SpaceHead {
        kind,
        id: 42,
        name: "Anvil Works".into(),
        full_path: "acme/tools/anvil".into(),
        url: "/acme/tools/anvil".into(),
        visibility: "internal".into(),
        has_packages: true,
        members: Some(4),
        can_admin: true,
        can_set_packages: true,
        ..SpaceHead::default()
    }
}

fn package(id: i64, name: &str, version: &str, status: &str) -> PackageRow {
    PackageRow {
        name: name.into(),
        version: version.into(),
        kind: "generic".into(),
        status: status.into(),
        url: format!("/acme/tools/anvil/-/packages/{id}"),
        project: String::new(),
        creator: "ada".into(),
        creator_url: "/ada".into(),
        created_at: moment(id),
    }
}

#[test]
fn list_shows_packages_or_how_to_publish() {
    let mut list = Packages {
        page: Page {
            flash: Flash::done("Package deleted."),
            ..page("Packages", "projects")
        },
        head: head("Project"),
        search: String::new(),
        kind: String::new(),
        kinds: Choice::list(&[("", "All formats"), ("generic", "generic"), ("npm", "npm")]),
        sort: "created_at".into(),
        sorts: Choice::list(&[("created_at", "Newest first"), ("name", "Name")]),
        is_filtered: false,
        publish_example: "curl \\\n  --upload-file hammer.tar.gz".into(),
        packages: vec![
            package(1, "hammer", "1.2.0", "default"),
            package(2, "hammer", "1.1.0", "hidden"),
            package(
                3,
                "a-package-with-quite-a-long-name-that-has-to-wrap",
                "0.0.1-rc.1",
                "error",
            ),
        ],
        pages: Pages {
            page: 1,
            per_page: 20,
            total: 3,
            url: "/x".into(),
        },
    };
    let full = keep("packages", &list);
    list.packages.clear();
    let empty = keep("packages_empty", &list);

    assert!(full.contains("/acme/tools/anvil/-/packages/2"));
    assert!(empty.contains("No packages yet") && empty.contains("hammer.tar.gz"));
}

#[test]
fn package_shows_files_digests_and_downloads() {
    let file = FileRow {
        id: 9,
        name: "hammer-<1>.tar.gz".into(),
        url: "/acme/tools/anvil/-/package_files/9/download".into(),
        size: 1_572_864,
        created_at: moment(1),
        sha256: "5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9".into(),
        sha1: "b6589fc6ab0dc82cf12099d1c2d40ab994e8410c".into(),
        md5: "cfcd208495d565ef66e7dff9f98764da".into(),
    };
    let html = keep(
        "package",
        &Package {
            page: page("hammer 1.2.0", "projects")
                .crumb("acme/tools/anvil", "/acme/tools/anvil")
                .crumb("Packages", "/acme/tools/anvil/-/packages")
                .crumb("hammer 1.2.0", "/acme/tools/anvil/-/packages/1"),
            place: ("acme/tools/anvil".into(), "/acme/tools/anvil".into()),
            package: package(1, "hammer", "1.2.0", "default"),
            id: 1,
            status_message: String::new(),
            tags: vec!["latest".into()],
            install: vec![(
                "Download with curl".into(),
                "curl --fail --remote-name \\\n  --header \"PRIVATE-TOKEN: $TOKEN\" \\\n  \
                 http://localhost:8080/api/v4/projects/42/packages/generic/hammer/1.2.0/hammer.tar.gz"
                    .into(),
            )],
            publish: vec![("Upload with curl".into(), "curl --upload-file".into())],
            files: vec![file],
            pages: Pages { page: 1, per_page: 20, total: 1, url: "/x".into() },
            size: 1_572_864,
            versions: vec![package(2, "hammer", "1.1.0", "default")],
            downloads: 321,
            downloads_by_day: (0..30).map(|day| (format!("Mar {}", day + 1), day * day % 17)).collect(),
            last_downloaded_at: Some(moment(1)),
            can_delete: true,
        },
    );

    assert!(html.contains("1.5 MiB") && html.contains("5feceb66ffc8…"));
    assert!(html.contains("/acme/tools/anvil/-/packages/1/files/9/delete"));
    assert!(!html.contains("hammer-<1>"));
}

#[test]
fn settings_name_every_format_and_rule() {
    let duplicates = Duplicates {
        page: page("Package settings", "groups"),
        head: head("Group"),
        formats: vec![DuplicateRow {
            label: "Maven",
            allowed_field: "maven_duplicates_allowed".into(),
            allowed: true,
            exception_field: "maven_duplicate_exception_regex".into(),
            exception: ".*-SNAPSHOT".into(),
        }],
        errors: Errors::default(),
    };
    assert!(keep("duplicates", &duplicates).contains(".*-SNAPSHOT"));

    let protection = Protection {
        page: page("Package settings", "projects"),
        head: head("Project"),
        rules: vec![RuleRow {
            id: 7,
            pattern: "ham<*".into(),
            kind: "generic".into(),
            push: "Owners".into(),
            delete: String::new(),
        }],
        pattern: String::new(),
        kind: "generic".into(),
        kinds: Choice::list(&[("generic", "generic")]),
        push: String::new(),
        pushes: Choice::list(&[("", "As usual"), ("owner", "Owners")]),
        delete: String::new(),
        deletes: Choice::list(&[("", "As usual")]),
    };
    let html = keep("protection", &protection);
    assert!(html.contains("Owners") && !html.contains("ham<*"));
}

#[test]
fn cleanup_shows_what_would_go() {
    let found = cleanup::FoundRow {
        name: "ham<mer".into(),
        version: "1.0".into(),
        published: moment(90),
        downloaded: Some(moment(40)),
        size: 2048,
        reasons: "not downloaded for 30 days".into(),
    };
    let rule = cleanup::RuleRow {
        id: 7,
        kind: "generic".into(),
        terms: "not downloaded for 30 days".into(),
        next: Some(moment(-1)),
        last: "removed 3 versions, 6.0 KiB".into(),
        progress: Some((3, 12)),
    };
    let mut shown = cleanup::Cleanup {
        page: page("Package cleanup", "projects"),
        head: head("Project"),
        address: "/acme/anvil/-/settings/packages/cleanup".into(),
        rules: vec![rule],
        preview: Some(cleanup::CleanupPreview {
            count: 120,
            size: 4096,
            largest: vec![("ham<mer".into(), 2048), ("nail".into(), 1024)],
            rows: vec![found],
        }),
        kinds: Choice::list(&[("generic", "generic")]),
        form: cleanup::RuleForm::default(),
        errors: Errors::default(),
    };
    let full = keep("cleanup", &shown);
    assert!(full.contains("120 versions, 4 KiB. The first 1 are shown"));
    assert!(full.contains("not downloaded for 30 days") && !full.contains("ham<mer"));

    shown.rules.clear();
    shown.preview = Some(cleanup::CleanupPreview::default());
    let empty = keep("cleanup_empty", &shown);
    assert!(empty.contains("No rules yet") && empty.contains("Nothing would go"));
}
