//! Texts of people and of those who mean harm.

use super::*;
use std::time::{Duration, Instant};

#[test]
fn the_flavour_is_rendered() {
    for (markdown, html) in [
        ("**b** ~~s~~", "<strong>b</strong> <del>s</del>"),
        ("|a|\n|-|\n|1|", "<td>1</td>"),
        ("- [x] done", "checked=\"\""),
        (
            "# Title",
            "<h1><a class=\"anchor\" id=\"user-content-title\" href=\"#user-content-title\"",
        ),
        (":tada: :nope: `:tada:`", "🎉 :nope: <code>:tada:</code>"),
        ("|a|\n|-:|\n|1|", "<td align=\"right\">1</td>"),
        ("```rust\nfn a() {}\n```", "<pre><code><span class=\"hl-keyword\">fn</span> "),
        (
            "![a](/a.png){width=75% height=100} b",
            "<img src=\"/a.png\" alt=\"a\" width=\"75%\" height=\"100\"> b",
        ),
        ("`a < b`", "<code>a &lt; b</code>"),
        ("<details><summary>s</summary>x</details>", "<summary>s</summary>x</details>"),
        ("![alt](/a.png)", "<img src=\"/a.png\" alt=\"alt\">"),
    ] {
        assert!(render(markdown).contains(html), "{markdown}: {}", render(markdown));
    }
}

#[test]
fn links_are_marked_and_footnotes_find_each_other() {
    let html = render("see https://example.com/x and a[^1]\n\n[^1]: note");
    let link = "<a href=\"https://example.com/x\" rel=\"nofollow noopener noreferrer\">";
    assert!(html.contains(link), "{html}");
    assert!(html.contains("href=\"#user-content-fn-1\""), "{html}");
    assert!(html.contains("id=\"user-content-fn-1\""), "{html}");
    assert!(html.contains("id=\"user-content-fnref-1\""), "{html}");
}

#[test]
fn nothing_active_survives() {
    for markdown in [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](&#106;avascript:alert(1))",
        "[x](java\u{1}script:alert(1))",
        "<a href=\"java&#10;script:alert(1)\">x</a>",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        "![x](data:image/svg+xml,<svg/onload=alert(1)>)",
        "[x](vbscript:x)",
        "<svg><script>alert(1)</script></svg>",
        "<math><mi//xlink:href=\"data:x,<script>alert(1)</script>\">",
        "<iframe src=//x></iframe><form action=/><button>x</button></form>",
        "<style>*{display:none}</style><p style=\"position:fixed\">x</p>",
        "<input type=text name=password autofocus>",
        "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
        "```\"onmouseover=alert(1)\nx\n```",
    ] {
        let html = render(markdown).to_lowercase();
        for active in ["<script", "<svg", "<math", "<iframe", "<form", "<button", "<style"] {
            assert!(!html.contains(active), "{markdown}: {html}");
        }
        for (tag, _) in html.split('<').filter_map(|part| part.split_once('>')) {
            for active in [" on", "script:", "data:", "style=", "type=\"text", "autofocus"] {
                assert!(!tag.contains(active), "{markdown}: {html}");
            }
        }
    }
}

#[test]
fn words_lead_on_outside_of_code_and_links() {
    let find = |text: &str| -> Vec<Link> {
        let one = |(at, word): (usize, &str)| Link {
            range: at..at + word.len(),
            text: "<one>".to_owned(),
            url: "/1?a=b&c".to_owned(),
            title: "\"first\"".to_owned(),
        };
        text.match_indices("#1").map(one).collect()
    };
    let to = Rendering { find: &find, ..Rendering::default() };
    let link = "<a href=\"/1?a=b&amp;c\" title=\"&quot;first&quot;\" \
                rel=\"nofollow noopener noreferrer\">&lt;one&gt;</a>";
    for (markdown, html) in [
        ("see #1, **#1**", format!("see {link}, <strong>{link}</strong>")),
        ("`#1` \\#1", "<code>#1</code> #1".to_owned()),
        ("    #1", "<pre><code>#1\n</code></pre>".to_owned()),
        ("|#1|\n|-|", format!("<th>{link}</th>")),
    ] {
        let shown = to.html(markdown);
        assert!(shown.contains(&html), "{markdown}: {shown}");
    }
    let shown = to.html("[to #1](/x) ![#1](/y.png) https://example.com/#1");
    assert!(!shown.contains("one"), "{shown}");
}

#[test]
fn addresses_are_shown_as_what_they_lead_to() {
    let known = "https://tenon.example/a/1";
    let find = |text: &str| -> Vec<Link> {
        let link = Link {
            range: 0..text.len(),
            text: "a!1".to_owned(),
            url: text.to_owned(),
            title: "One".to_owned(),
        };
        if text == known { vec![link] } else { Vec::new() }
    };
    let to = Rendering { find: &find, ..Rendering::default() };
    let link =
        format!("<a href=\"{known}\" title=\"One\" rel=\"nofollow noopener noreferrer\">a!1</a>");
    let shown = to.html(&format!("See {known}, <{known}>."));
    assert_eq!(shown.matches(&link).count(), 2, "{shown}");
    for other in [format!("[it]({known})"), format!("`{known}`"), format!("{known}2")] {
        assert!(!to.html(&other).contains("a!1"), "{other}");
    }
}

#[test]
fn ids_do_not_meet_those_of_the_page() {
    let html = render("<a id=\"login\" name=\"x\">x</a>");
    assert!(html.contains("id=\"user-content-login\"") && !html.contains("name"), "{html}");
}

#[test]
fn reordering_characters_are_made_visible() {
    let html = render("a\u{202E}b &#x202E; `\u{2066}` [x](/a \"&#x2069;\")");
    assert!(!html.contains(is_reordering));
    assert_eq!(html.matches('\u{FFFD}').count(), 4, "{html}");
}

#[test]
fn the_longest_text_is_refused() {
    assert!(matches!(
        Rendering::default().checked(&"ä".repeat(MAX_CHARS + 1)),
        Err(Error::TooLarge)
    ));
    assert!(render(&"x".repeat(MAX_CHARS + 1)).contains("too long"));
    assert!(Rendering::default().checked(&"ä\n".repeat(1000)).is_ok());
}

#[test]
fn deep_lines_lose_their_meaning_and_nothing_else() {
    let html = render(&format!("{} x\n\n> quote\n\n- - - item", ">".repeat(500)));
    assert!(html.contains("&gt;&gt;&gt;") && html.contains("<blockquote>"), "{html}");
    assert!(!nests_deeply("--------------------------------------------------------"));
    assert!(!nests_deeply("* 2026-11-20 12:00:00 some log line"));
}

#[test]
fn bombs_take_less_than_a_second() {
    // Debug builds leave dependencies unoptimised, ten times slower.
    let limit = Duration::from_secs(if cfg!(debug_assertions) { 5 } else { 1 });
    let n = 50_000;
    for (name, bomb) in [
        ("quotes", ">".repeat(n)),
        ("spaced quotes", "> ".repeat(n)),
        ("quoted lines", format!("{}\n", "> ".repeat(30)).repeat(n / 60)),
        ("lists", "- ".repeat(n)),
        ("growing lists", (0..400).map(|d| format!("{}- x\n", "  ".repeat(d))).collect()),
        ("numbers", "1. ".repeat(n)),
        ("brackets", "[".repeat(n)),
        ("images", "![".repeat(n)),
        ("links", "[a](".repeat(n)),
        ("stars", "*a **a ".repeat(n)),
        ("closing stars", format!("{}x{}", "*".repeat(n), "*".repeat(n))),
        ("underscores", "_a __a ".repeat(n)),
        ("ticks", (1..400).map(|d| "`".repeat(d) + " ").collect()),
        ("tags", "<div>".repeat(n)),
        ("formatting", "<b>".repeat(n)),
        ("anchors", "<a href=x>".repeat(n)),
        ("tables in tables", "<table><tr><td>".repeat(n / 2)),
        ("angles", "<".repeat(n)),
        ("comments", "<!--".repeat(n)),
        ("declarations", "<!A".repeat(n)),
        ("instructions", "<?".repeat(n)),
        ("entities", "&".repeat(n)),
        ("entities in a title", format!("[x](/ \"{}\")", "&".repeat(n))),
        ("degrees", "°".repeat(n)),
        ("footnotes", (0..5000).map(|d| format!("[^{d}]\n\n[^{d}]: x\n\n")).collect()),
        (
            "wide table",
            format!("{}\n{}\n{}", "|a".repeat(3000), "|-".repeat(3000), "|\n".repeat(3000)),
        ),
        ("addresses", "a@b.".repeat(n)),
        ("web addresses", "http://".repeat(n)),
    ] {
        let started = Instant::now();
        render(&bomb);
        let took = started.elapsed();
        assert!(took < limit, "{name}: {took:?}");
    }
}

/// A page has one first heading, and its texts stand below.
#[test]
fn headings_stand_below_those_of_the_page() {
    let to = Rendering { lowered: 2, id: "n7-", ..Rendering::default() };
    let html =
        to.html("# A\n\n## A\n\n##### B [x](/y)\n\n<h1 title=\"<h1>\">C</h1>\n\na[^1]\n\n[^1]: b");
    for part in [
        "<h3><a class=\"anchor\" id=\"user-content-n7-a\" href=\"#user-content-n7-a\"",
        "<h4><a class=\"anchor\" id=\"user-content-n7-a-1\"",
        "<h6><a id=\"user-content-n7-b-x\"",
        "<h3 title=\"&lt;h1&gt;\">C</h3>",
        "id=\"user-content-fn-n7-1\"",
        "href=\"#user-content-fnref-n7-1\"",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
}

#[test]
fn what_scrolls_is_reached_by_keyboard() {
    let html = render("|a|\n|-|\n|1|");
    let around = "<div class=\"table-scroll\" role=\"region\" aria-label=\"Table\" tabindex=\"0\">";
    assert!(html.contains(around) && html.contains("</table>\n</div>"), "{html}");
    assert!(render("```\nshort\n```").contains("<pre><code>short"));
    let long = format!("    {}", "x".repeat(40));
    assert!(render(&long).contains("<pre tabindex=\"0\"><code>x"));
    let html =
        render("<div role=\"alert\" tabindex=\"-1\" aria-label=\"x\" class=\"card\">x</div>");
    for part in ["alert", "tabindex", "aria-label", "card"] {
        assert!(!html.contains(part), "{html}");
    }
}

#[test]
fn boxes_are_buttons_for_who_may_tick_them() {
    let to = Rendering { tasks: "t1", ..Rendering::default() };
    let html = to.html("- [ ] **oil** it\n- [x] \"b\"\n\n<input data-task=\"0\" type=checkbox>");
    let first = "<li><button class=\"task\" form=\"t1\" name=\"task\" value=\"0:1\" \
                 role=\"checkbox\" aria-checked=\"false\" aria-label=\"oil it\"></button> <strong>";
    assert!(html.contains(first), "{html}");
    assert!(html.contains("value=\"1:0\"") && html.contains("aria-label=\"&quot;b&quot;\""));
    assert_eq!(html.matches("<button").count(), 2, "{html}");
    assert!(html.contains("<input ") && !html.contains("data-task"), "{html}");
    let plain = render("- [ ] a");
    assert!(plain.contains("disabled") && !plain.contains("<button"), "{plain}");
}

/// What people write around a mark of ours cannot make something else of it.
#[test]
fn nothing_breaks_out_of_an_attribute() {
    let to = Rendering {
        tasks: "t1",
        uploads: "/-/project/1",
        lowered: 2,
        ..Rendering::default()
    };
    let secret = "0123456789abcdef0123456789abcdef";
    for before in ["<div title='", "<div title=\"", "<a href='", "<img alt='", "<!--", "<p "] {
        let text = format!(
            "{before}\n\n- [ ] x onload=alert(1)\n- [ ] y\n\n```rust\nfn '\"x\" onload=1\n```\n\n\
             # t onload=2\n\n![a\" onload=3](/uploads/{secret}/a.mp4){{width=1}}\n\n\
             ![b](</uploads/{secret}/a\" onload=4.png>)"
        );
        let html = to.html(&text);
        let mut rest = html.as_str();
        while let Some(at) = rest.find('<') {
            rest = &rest[at..];
            let end = rest.match_indices('>').map(|(end, _)| end);
            let end =
                end.into_iter().find(|end| rest[..*end].matches('"').count().is_multiple_of(2));
            let tag = &rest[..end.unwrap_or(rest.len())];
            let bare: String = tag.split('"').step_by(2).collect();
            assert!(!bare.contains("onload"), "{before}: {tag}");
            rest = &rest[tag.len()..];
        }
    }
}

/// Twenty thousand bytes of any code, and a page of them, stay small.
#[test]
fn colours_do_not_blow_texts_up() {
    for piece in ["1 a \"b\" ", "a(1)", "- [ ] a\n", "# a\n"] {
        let code = piece.repeat(20_000 / piece.len());
        for text in [format!("```js\n{code}\n```"), code.clone()] {
            let to = Rendering { tasks: "t1", ..Rendering::default() };
            let html = to.html(&text);
            assert!(html.len() < 900_000, "{piece}: {}", html.len());
        }
    }
}
