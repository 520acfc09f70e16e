//! Every page rendered with samples and kept below `target/pages/`.

use super::*;
use crate::cleanup::model::{CleanupRun, Going, Standing};
use crate::cleanup::rule::tests::{rule, standing};
use crate::cleanup::run::Preview;
use crate::model::{PackageType, PushLevel, Status};
use crate::pages::cleanup::Terms;
use crate::samples;
use kernel::html::Flash;
use kernel::html::samples::{ago, keep, moment, page};

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
        package: model::Package {
            id,
            version: Some(version.into()),
            status: Status::from_text(status).expect("a state"),
            download_count: 321,
            last_downloaded_at: Some(ago(1)),
            ..samples::package(PackageType::Generic, name)
        },
        path: Some("acme/tools/anvil".into()),
        creator: None,
        published: moment(id),
        of_name: OfName { versions: 12, downloads: 3, size: 2048 },
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
            package(3, "a-package-with-quite-a-long-name-that-has-to-wrap", "0.0.1-rc.1", "error"),
        ],
        pages: Pages { page: 1, per_page: 20, total: 3, url: "/x".into() },
    };
    let full = keep("packages", &list);
    list.packages.clear();
    let empty = keep("packages_empty", &list);

    assert!(full.contains("/acme/tools/anvil/-/packages/2"));
    for told in ["12 versions", "2 KiB", "3 downloads"] {
        assert!(full.contains(told), "{told}");
    }
    assert!(empty.contains("No packages yet") && empty.contains("hammer.tar.gz"));
}

#[test]
fn package_shows_files_digests_and_downloads() {
    let file = PackageFile {
        id: 9,
        size: 1_572_864,
        created_at: ago(1),
        sha256: "5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9".into(),
        sha1: "b6589fc6ab0dc82cf12099d1c2d40ab994e8410c".into(),
        md5: "cfcd208495d565ef66e7dff9f98764da".into(),
        ..samples::file("hammer-<1>.tar.gz")
    };
    let html = keep(
        "package",
        &Package {
            page: page("hammer 1.2.0", "projects")
                .crumb("acme/tools/anvil", "/acme/tools/anvil")
                .crumb("Packages", "/acme/tools/anvil/-/packages")
                .crumb("hammer 1.2.0", "/acme/tools/anvil/-/packages/1"),
            head: head("Project"),
            row: package(1, "hammer", "1.2.0", "default"),
            url: "/acme/tools/anvil/-/packages/1".into(),
            tags: vec![Tag {
                id: 1,
                package_id: 1,
                name: "latest".into(),
                created_at: ago(1),
                updated_at: ago(1),
            }],
            install: vec![(
                "Download with curl".into(),
                "curl --fail --remote-name \\\n  --header \"PRIVATE-TOKEN: $TOKEN\" \\\n  \
                 http://localhost:8080/api/v4/projects/42/packages/generic/hammer/1.2.0/hammer.tar.gz"
                    .into(),
            )],
            publish: vec![("Upload with curl".into(), "curl --upload-file".into())],
            files: vec![file],
            pages: Pages { page: 1, per_page: 20, total: 1, url: "/x".into() },
            about: About {
                summary: Some("Strikes <hard>".into()),
                licence: Some("MIT".into()),
                home: Some("https://hammer.example".into()),
                keywords: vec!["iron".into()],
                needs: vec![Need {
                    why: Why::Runs,
                    name: "nail".into(),
                    versions: "^1.0".into(),
                }],
                ..About::default()
            },
            readme: Some("<h2>Use</h2>".into()),
            versions: vec![model::Package {
                id: 2,
                version: Some("1.1.0".into()),
                ..samples::package(PackageType::Generic, "hammer")
            }],
            versions_total: 12,
            downloads_by_day: (0..30).map(|day| (format!("Mar {}", day + 1), day * day % 17)).collect(),
            can_delete: true,
            now: ago(0),
        },
    );

    assert!(html.contains("1.5 MiB") && html.contains("5feceb66ffc8…"));
    assert!(html.contains("/acme/tools/anvil/-/packages/1/files/9/delete"));
    assert!(!html.contains("hammer-<1>"));
    for told in [
        "<h2>Use</h2>",
        "MIT",
        "href=\"https://hammer.example\" rel=\"nofollow noopener\"",
        "All 12 versions",
        "nail",
    ] {
        assert!(html.contains(told), "{told} is not in {html}");
    }
}

#[test]
fn settings_name_every_format_and_rule() {
    let duplicates = Duplicates {
        page: page("Package settings", "groups"),
        head: head("Group"),
        formats: vec![(
            &settings::FORMATS[0],
            settings::Duplicates { allowed: true, exception: ".*-SNAPSHOT".into() },
        )],
        errors: Errors::default(),
    };
    assert!(keep("duplicates", &duplicates).contains(".*-SNAPSHOT"));

    let protection = Protection {
        page: page("Package settings", "projects"),
        head: head("Project"),
        rules: vec![ProtectionRule {
            id: 7,
            project_id: 42,
            package_name_pattern: "ham<*".into(),
            package_type: PackageType::Generic,
            minimum_access_level_for_push: Some(PushLevel::Owner),
            minimum_access_level_for_delete: None,
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
    let found = Going {
        standing: Standing { name: "ham<mer".into(), size: 2048, ..standing() },
        reasons: vec!["not downloaded for 30 days".into()],
    };
    let rule = rule(|it| {
        it.not_downloaded_days = Some(30);
        it.next_run_at = Some(ago(-1));
    });
    let run = CleanupRun {
        id: 1,
        rule_id: rule.id,
        under_way: Some(1),
        after_project: 0,
        after_name: String::new(),
        names_done: 3,
        names_total: 12,
        removed_packages: 3,
        removed_size: 6144,
        started_at: ago(0),
        finished_at: None,
    };
    let mut shown = cleanup::Cleanup {
        page: page("Package cleanup", "projects"),
        head: head("Project"),
        address: "/acme/anvil/-/settings/packages/cleanup".into(),
        rules: vec![(rule, Some(run))],
        preview: Some(Preview {
            packages: 120,
            size: 4096,
            largest: vec![("ham<mer".into(), 2048), ("nail".into(), 1024)],
            shown: vec![found],
        }),
        kinds: Choice::list(&[("generic", "generic")]),
        form: Terms::blank().expect("nothing is required"),
        errors: Errors::default(),
        now: ago(0),
    };
    let full = keep("cleanup", &shown);
    assert!(full.contains("120 versions, 4 KiB. The first 1 are shown"));
    assert!(full.contains("not downloaded for 30 days") && !full.contains("ham<mer"));

    shown.rules.clear();
    shown.preview = Some(Preview::default());
    let empty = keep("cleanup_empty", &shown);
    assert!(empty.contains("No rules yet") && empty.contains("Nothing would go"));
}
