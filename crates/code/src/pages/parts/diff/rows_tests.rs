use super::*;
use crate::diff::hunks;
use std::time::Duration;

fn rows(is_parallel: bool) -> Rows<'static> {
    let until = Instant::now() + Duration::from_secs(60);
    Rows {
        id: "f",
        name: "a",
        until,
        is_parallel,
        remark_at: None,
        whole_at: None,
    }
}

fn shown(text: &str, is_parallel: bool) -> String {
    rows(is_parallel).draw(&hunks(text, 100).0).html
}

const TEXT: &str = "@@ -1,3 +1,4 @@ <b>\n same\n-let a = <1>;\n+let a = <2>;\n+more\n\
                    \\ No newline at end of file\n";

#[test]
fn lines_stand_below_one_another() {
    let html = shown(TEXT, false);
    assert!(
        html.starts_with("<div class=\"hunk\">@@ -1,3 +1,4 @@ &lt;b&gt;</div>"),
        "{html}"
    );
    let removed = "<div class=\"del\" id=\"f_2_2\"><a href=\"#f_2_2\" \
                   aria-label=\"Removed line 2\" tabindex=\"-1\" data-o=\"2\"></a>\
                   <code>let a = &lt;<mark>1</mark>&gt;;\n</code></div>";
    assert!(html.contains(removed), "{html}");
    assert!(html.contains("id=\"f_3_2\"") && html.contains("<mark>2</mark>"), "{html}");
    assert!(html.contains("data-o=\"1\" data-n=\"1\""), "{html}");
    assert!(html.contains("No newline at end of file"));
}

#[test]
fn lines_stand_beside_each_other() {
    let html = shown(TEXT, true);
    assert_eq!(html.matches("class=\"pair\"").count(), 3);
    assert_eq!(html.matches("id=\"f_1_1\"").count(), 1);
    assert!(
        html.contains("<div class=\"none\"></div><div class=\"add\" id=\"f_3_3\">"),
        "{html}"
    );
}

#[test]
fn what_reorders_letters_is_seen() {
    let html = shown("@@ -1 +1 @@\n-a\u{202e}b\n+c\n", false);
    assert!(html.contains("a\u{fffd}b") && !html.contains('\u{202e}'));
}

#[test]
fn each_line_is_remarked_on_once() {
    for is_parallel in [false, true] {
        let rows = Rows { remark_at: Some("?w=1&comment="), ..rows(is_parallel) };
        let html = rows.draw(&hunks(TEXT, 100).0).html;
        assert_eq!(html.matches("class=\"say\"").count(), 4, "{html}");
        let link = "<a class=\"say\" href=\"?w=1&amp;comment=f_2_2#f_2_2\" \
                    aria-label=\"Comment on removed line 2\"></a>";
        assert!(html.contains(link), "{html}");
    }
}

#[test]
fn words_are_coloured_and_marked_at_once() {
    let text = "@@ -1,2 +1,2 @@\n fn main() {\n-    let a = \"one\";\n+    let a = \"two\";\n";
    let html = Rows { name: "a.rs", ..rows(false) }.draw(&hunks(text, 100).0).html;
    assert!(html.contains("<span class=\"hl-keyword\">let"), "{html}");
    let bare: String = html
        .split('<')
        .map(|piece| piece.split_once('>').map_or(piece, |(_, text)| text))
        .collect();
    assert!(bare.contains("    let a = &quot;two&quot;;\n"), "{bare}");
    assert!(html.contains("<mark>") && html.contains("two"), "{html}");
}
