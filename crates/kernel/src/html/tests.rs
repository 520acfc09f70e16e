//! Every page of this crate rendered with samples. The pages are also written
//! below `target/pages/`, with their assets, to be looked at in a browser.

use super::views::{AdminAudit, AdminJobs, AuditRow, JobRow};
use super::{
    Flash, Html, Moment, Page, PageViewer, Pages, asset, asset_response, asset_url, error_page, ui,
};
use crate::http::RequestContext;
use askama::Template;
use http::{HeaderMap, Method, StatusCode, header};
use std::path::PathBuf;

fn viewer() -> Option<PageViewer> {
    Some(PageViewer::new("ada", "Ada Lovelace", true))
}

fn moment(ago: i64) -> Moment {
    let now: crate::time::Timestamp = "2026-03-04T10:00:00Z".parse().expect("a fixed time");
    let at = now.checked_sub(std::time::Duration::from_secs(ago.unsigned_abs()));
    Moment::new(at.expect("in range"), now)
}

fn asked(path: &str) -> RequestContext {
    RequestContext {
        method: Method::GET,
        uri: path.parse().expect("a path"),
        headers: HeaderMap::new(),
        peer: [127, 0, 0, 1].into(),
        request_id: "01HXSAMPLE".into(),
        base_url: "http://localhost".into(),
    }
}

/// Writes a page where a browser finds its assets by relative addresses.
fn keep(name: &str, html: &str) {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/pages");
    std::fs::create_dir_all(&folder).expect("a writable target");
    let mut html = html.to_owned();
    for plain in ["tenon.css", "tenon.js", "tenon.svg"] {
        let url = asset_url(plain);
        let (_, bytes, _) = asset(&url).expect("an asset of ours");
        std::fs::write(folder.join(plain), bytes).expect("a writable target");
        html = html.replace(&url, plain);
    }
    std::fs::write(folder.join(format!("{name}.html")), html).expect("a writable target");
}

fn render(name: &str, template: &impl Template) -> String {
    let html = template.render().expect("it renders");
    assert!(
        !html.contains(" style=") && !html.contains(" onclick="),
        "the policy forbids it"
    );
    keep(name, &html);
    html
}

async fn body(response: crate::http::Response) -> String {
    let bytes = axum::body::to_bytes(response.into_body(), 1 << 20)
        .await
        .expect("a body");
    String::from_utf8(bytes.to_vec()).expect("text")
}

#[test]
fn jobs_page_escapes_and_offers_retry() {
    let job = |id, name: &str, state: &str, error: &str| JobRow {
        id,
        name: name.into(),
        state: state.into(),
        attempts: id,
        run_at: moment(id * 400),
        done: if state == "running" { 640 } else { 0 },
        total: if state == "running" { 1000 } else { 0 },
        error: error.into(),
    };
    let page = Page {
        viewer: viewer(),
        csrf: "tok\"en".into(),
        active: "admin",
        flash: Flash::done("The job is queued again."),
        ..Page::new("Jobs")
            .crumb("Admin", "/admin/users")
            .crumb("Jobs", "/admin/jobs")
    };
    let html = render(
        "admin_jobs",
        &AdminJobs {
            page,
            state: String::new(),
            queued: 12,
            running: 1,
            failed: 1,
            jobs: vec![
                job(3, "packages.purge", "running", ""),
                job(4, "mail.send", "failed", "<b>connection refused</b>"),
                job(9, "projects.destroy", "queued", ""),
            ],
            pages: Pages {
                page: 1,
                per_page: 3,
                total: 14,
                url: "/admin/jobs?state=".into(),
            },
        },
    );

    assert!(html.contains("/admin/jobs/4/retry"));
    assert!(!html.contains("<b>connection"));
    assert!(!html.contains("tok\"en"));
    assert!(html.contains("/admin/jobs?state=&#38;page=2"));
}

#[test]
fn audit_page_renders_with_and_without_records() {
    let mut audit = AdminAudit {
        page: Page {
            viewer: viewer(),
            active: "admin",
            ..Page::new("Audit")
        },
        author: String::new(),
        action: String::new(),
        target_type: "Project".into(),
        target_types: ui::Choice::list(&[("", "Any"), ("Project", "Project"), ("User", "User")]),
        records: vec![AuditRow {
            at: moment(90),
            author: "ada".into(),
            action: "member.create".into(),
            target_type: "Project".into(),
            target_name: "acme/anvil".into(),
            details: "access_level: developer".into(),
            ip_address: "2001:db8::7".into(),
        }],
        pages: Pages::default(),
    };
    let full = render("admin_audit", &audit);
    audit.records.clear();
    let empty = render("admin_audit_empty", &audit);

    assert!(full.contains("member.create") && full.contains("1 minute ago"));
    assert!(empty.contains("No records"));
}

#[tokio::test]
async fn every_refusal_has_a_page_with_strict_headers() {
    for code in [
        400, 401, 403, 404, 405, 409, 412, 413, 418, 422, 429, 500, 503,
    ] {
        let status = StatusCode::from_u16(code).expect("a status");
        let response = error_page(status, "<i>because</i>", &asked("/acme/anvil?a=1"), None);

        assert_eq!(response.status(), status);
        let headers = response.headers().clone();
        assert_eq!(headers[header::X_FRAME_OPTIONS], "DENY");
        assert_eq!(
            headers[header::CONTENT_SECURITY_POLICY],
            "default-src 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'; \
             form-action 'self'"
        );
        let html = body(response).await;
        keep(&format!("error_{code}"), &html);
        assert!(html.contains("01HXSAMPLE") && !html.contains("<i>because"));
        assert_eq!(
            html.contains("return_to=%2Facme%2Fanvil%3Fa%3D1"),
            code == 401
        );
    }
}

#[test]
fn form_action_takes_an_origin_and_nothing_else() {
    let page = AdminAudit {
        page: Page::default(),
        author: String::new(),
        action: String::new(),
        target_type: String::new(),
        target_types: vec![],
        records: vec![],
        pages: Pages::default(),
    };
    let policy = |source: &str| {
        let html = Html::new(&page).expect("it renders").form_action(source);
        html.response().headers()[header::CONTENT_SECURITY_POLICY]
            .to_str()
            .expect("text")
            .to_owned()
    };

    assert!(
        policy("https://app.example:8443").ends_with("form-action 'self' https://app.example:8443")
    );
    assert!(policy("x; script-src *").ends_with("form-action 'self'"));
}

#[test]
fn assets_have_lasting_addresses() {
    let url = asset_url("tenon.css");
    let (kind, bytes, etag) = asset(&url).expect("the style sheet");

    assert_eq!(kind, "text/css; charset=utf-8");
    assert!(!bytes.is_empty());
    assert!(asset("/-/assets/tenon.css").is_none());
    let fresh = asset_response(&url, Some(etag)).expect("an answer");
    assert_eq!(fresh.status(), StatusCode::NOT_MODIFIED);
    assert_eq!(
        fresh.headers()[header::CACHE_CONTROL],
        "public, max-age=31536000, immutable"
    );
}

#[test]
fn words_and_sizes() {
    assert_eq!(ui::bytes(1023), "1023 B");
    assert_eq!(ui::bytes(1536), "1.5 KiB");
    assert_eq!(ui::bytes(5_u64 << 30), "5 GiB");
    assert_eq!(ui::count(1, "project"), "1 project");
    assert_eq!(ui::count(2, "registry"), "2 registries");
    assert_eq!(PageViewer::initials("Ada King Lovelace"), "AL");
    assert_eq!(PageViewer::initials(""), "");
    assert!(moment(7200).to_string().ends_with(">2 hours ago</time>"));
    let pages = Pages {
        page: 2,
        per_page: 20,
        total: 35,
        url: "/".into(),
    };
    assert_eq!((pages.last(), pages.range()), (2, "21–35 of 35".to_owned()));
    let chart = ui::bars(
        "Downloads",
        &[("Mon".into(), 1), ("Tue".into(), u64::MAX / 2)],
    );
    assert!(chart.to_string().contains("<title>Mon: 1</title>"));
}

/// WCAG AA: 4.5 for text, 3 for the edges of controls, in both schemes.
#[test]
fn colours_have_enough_contrast() {
    let sheet = include_str!("../../assets/tenon.css");
    let schemes: Vec<&str> = sheet.split(":root {").skip(1).collect();
    let text = [
        ("ink", "ground"),
        ("ink", "sheet"),
        ("ink", "sunk"),
        ("ink", "wash"),
        ("soft", "ground"),
        ("soft", "sheet"),
        ("soft", "sunk"),
        ("link", "ground"),
        ("link", "sheet"),
        ("link", "wash"),
        ("on-pine", "pine"),
        ("on-pine", "pine-deep"),
        ("good-ink", "good-bg"),
        ("warn-ink", "warn-bg"),
        ("bad-ink", "bad-bg"),
        ("bad-ink", "sheet"),
        ("bad", "sheet"),
        ("on-bad", "bad"),
    ];
    let edges = [
        ("edge", "sheet"),
        ("edge", "ground"),
        ("pine", "ground"),
        ("oak", "sheet"),
    ];
    assert_eq!(schemes.len(), 2, "a light and a dark scheme");
    for scheme in schemes {
        for (pairs, least) in [(&text[..], 4.5), (&edges[..], 3.0)] {
            for (front, back) in pairs {
                let (one, two) = (luminance(scheme, front), luminance(scheme, back));
                let ratio = (one.max(two) + 0.05) / (one.min(two) + 0.05);
                assert!(ratio >= least, "{front} on {back}: {ratio:.2}");
            }
        }
    }
}

fn luminance(scheme: &str, name: &str) -> f64 {
    let start = scheme.find(&format!("--{name}: #")).expect("a colour") + name.len() + 5;
    let part = |at: usize| {
        let byte = u8::from_str_radix(&scheme[start + at..start + at + 2], 16).expect("hex");
        let share = f64::from(byte) / 255.0;
        if share <= 0.04045 {
            share / 12.92
        } else {
            ((share + 0.055) / 1.055).powf(2.4)
        }
    };
    0.2126 * part(0) + 0.7152 * part(2) + 0.0722 * part(4)
}
