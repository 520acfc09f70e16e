//! Every page of this crate rendered with samples. They are also written
//! below `target/pages/`, with their assets, to be looked at in a browser.

use super::{
    Html, Moment, Page, PageViewer, Pages, asset, asset_response, asset_url, error_page, ui,
};
use crate::http::RequestContext;
use askama::Template;
use http::{HeaderMap, Method, StatusCode, header};
use std::path::PathBuf;

fn moment(ago: i64) -> Moment {
    let now: crate::time::Timestamp = "2026-03-04T10:00:00Z".parse().expect("a fixed time");
    let at = now.checked_sub(std::time::Duration::from_secs(ago.unsigned_abs()));
    Moment::new(at.expect("in range"), now)
}

fn request(path: &str) -> RequestContext {
    RequestContext {
        method: Method::GET,
        uri: path.parse().expect("a path"),
        headers: HeaderMap::new(),
        peer: [127, 0, 0, 1].into(),
        request_id: "01HXSAMPLE".into(),
        base_url: "http://localhost".into(),
        instance: "The <forge>".into(),
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

async fn body(response: crate::http::Response) -> String {
    let bytes = axum::body::to_bytes(response.into_body(), 1 << 20).await.expect("a body");
    String::from_utf8(bytes.to_vec()).expect("text")
}

#[tokio::test]
async fn every_refusal_has_a_page_with_strict_headers() {
    for code in [400, 401, 403, 404, 405, 409, 412, 413, 418, 422, 429, 500, 503] {
        let status = StatusCode::from_u16(code).expect("a status");
        let response = error_page(status, "<i>because</i>", &request("/acme/anvil?a=1"), None);

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
        let is_door = [401, 403, 404].contains(&code);
        assert_eq!(html.contains("return_to=%2Facme%2Fanvil%3Fa%3D1"), is_door, "{code}");
        assert!(html.contains("<span>The &#60;forge&#62;</span>") && !html.contains("<forge>"));
    }
}

/// A page with nothing in it.
#[derive(Template)]
#[template(source = r#"{% extends "layout.html" %}"#, ext = "html")]
struct Bare {
    page: Page,
}

#[test]
fn form_action_takes_an_origin_and_nothing_else() {
    let page = Bare { page: Page::default() };
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
    assert_eq!(fresh.headers()[header::CACHE_CONTROL], "public, max-age=31536000, immutable");
}

#[test]
fn fields_for_texts_and_names_work_as_plain_ones() {
    let area = ui::editor("body", "Note", "\n<b>")
        .at("/acme/anvil/-/issues/1")
        .of(7)
        .to_string();
    assert!(area.contains("data-space=\"/acme/anvil\""), "{area}");
    assert!(area.contains("<label for=\"f-body-7\">") && area.contains("id=\"f-body-7\""));
    // The first line break of an area belongs to nobody.
    assert!(area.contains(">\n\n&#60;b&#62;</textarea>"), "{area}");
    let field = ui::picker("labels", "Labels", "labels", "\"bug\"").many().at("/groups/acme");
    let field = field.required().error("is odd").to_string();
    for part in [
        "name=\"labels\" value=\"&#34;bug&#34;\"",
        "data-pick=\"labels\" data-many data-space=\"/groups/acme\"",
        " required aria-invalid=\"true\" aria-describedby=\"e-labels\"",
    ] {
        assert!(field.contains(part), "{part}: {field}");
    }
}

#[test]
fn the_script_for_writing_is_found_and_small() {
    let text = |name: &str| {
        let (_, bytes, _) = asset(&asset_url(name)).expect("an asset");
        String::from_utf8(bytes.to_vec()).expect("text")
    };
    assert!(text("tenon.js").contains(&asset_url("writing.js")));
    let writing = text("writing.js");
    assert!(
        writing.contains("\"attach\":\"M") && !writing.contains(":\"\""),
        "every picture"
    );
    assert!(!writing.contains("\n//") && writing.len() < 28_000, "{}", writing.len());
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
    let pages = Pages { page: 2, per_page: 20, total: 35, url: "/".into() };
    assert_eq!((pages.last(), pages.range()), (2, "21–35 of 35".to_owned()));
    let chart = ui::bars("Downloads", &[("Mon".into(), 1), ("Tue".into(), u64::MAX / 2)]);
    assert!(chart.to_string().contains("<title>Mon: 1</title>"));
}

#[test]
fn a_long_list_links_to_its_ends_and_to_what_is_near() {
    let numbers = |page: i64, total: i64| {
        let links = Pages::new(page, 10, total, "/list?a=b").links();
        let text = |link: &crate::html::page::PageLink| {
            let gap = if link.follows_gap { "… " } else { "" };
            let current = if link.is_current { "!" } else { "" };
            format!("{gap}{}{current}", link.number)
        };
        links.iter().map(text).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(numbers(1, 25), "1! 2 3");
    assert_eq!(numbers(2, 20), "1 2!");
    assert_eq!(numbers(50, 1000), "1 … 48 49 50! 51 52 … 100");
    assert_eq!(numbers(4, 1000), "1 2 3 4! 5 6 … 100");
    assert_eq!(numbers(1, 0), "1!");
    // Past the end: the ends are still there.
    assert_eq!(numbers(9999, 30), "1 … 3");
    assert_eq!(Pages::new(1, 10, 99, "/list?a=b").links()[1].url, "/list?a=b&page=2");
}

/// WCAG AA: 4.5 for text, 3 for the edges of controls, in both schemes.
#[test]
fn colours_have_enough_contrast() {
    let sheet = super::assets::STYLES;
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
        ("ink", "tint-0"),
        ("ink", "tint-1"),
        ("ink", "tint-2"),
        ("ink", "tint-3"),
        ("ink", "tint-4"),
        ("ink", "tint-5"),
        ("on-pine", "pine"),
        ("on-pine", "pine-deep"),
        ("good-ink", "good-bg"),
        ("warn-ink", "warn-bg"),
        ("bad-ink", "bad-bg"),
        ("bad-ink", "sheet"),
        ("bad", "sheet"),
        ("on-bad", "bad"),
        // Code in texts.
        ("ink", "sunk"),
        ("hl-keyword", "sunk"),
        ("hl-function", "sunk"),
        ("hl-type", "sunk"),
        ("good-ink", "sunk"),
        ("warn-ink", "sunk"),
        ("link", "sunk"),
    ];
    let edges = [("edge", "sheet"), ("edge", "ground"), ("pine", "ground"), ("oak", "sheet")];
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
