use super::*;
use crate::diffs::shown::tests::file;
use repositories::formats::object_id::ObjectId;

const FILE: &str = "0123456789012345678901234567890123456789";
const TEXT: &str = "@@ -1,4 +1,5 @@\n a\n-b\n+B\n+`c`\n d\n e\n";

fn aim(at: &str, from: &str) -> Aim {
    let named = |numbers: &str| match numbers {
        "" => String::new(),
        numbers => format!("{FILE}_{numbers}"),
    };
    Aim::read(&named(at), &named(from)).unwrap()
}

fn shas() -> Shas {
    let [base, start, head] = [1, 2, 3].map(|byte| ObjectId::from_bytes([byte; 20]));
    Shas { base, start, head }
}

#[test]
fn names_are_read_as_they_are_written() {
    for text in [FILE.to_owned(), format!("{FILE}_0_1"), format!("{FILE}_12_7")] {
        assert_eq!(LineName::read(&text).unwrap().to_string(), text);
    }
    for wrong in [
        "",
        "x_1_1",
        &format!("{FILE}_1"),
        &format!("{FILE}_1_1_1"),
        &format!("{FILE}_-1_1"),
    ] {
        assert_eq!(LineName::read(wrong), None, "{wrong}");
    }
    assert_eq!(aim("5_5", "5_5").from, None);
    let other = format!("{}_1_1", "f".repeat(40));
    assert_eq!(Aim::read(&format!("{FILE}_1_1"), &other).unwrap().from, None);
}

#[test]
fn lines_are_sent_by_the_side_that_has_them() {
    let file = file("a", TEXT);
    let numbers = |at: &str| {
        let sent = aim(at, "").sent(&file, shas()).unwrap();
        assert_eq!(sent.position_type.as_deref(), Some("text"));
        (sent.old_line, sent.new_line)
    };
    assert_eq!(numbers("1_1"), (None, Some(1)));
    assert_eq!(numbers("2_2"), (Some(2), None));
    assert_eq!(numbers("3_2"), (None, Some(2)));
    assert_eq!(numbers("3_3"), (None, Some(3)));
    assert_eq!(numbers("3_4"), (None, Some(4)));
    assert_eq!(numbers("40_41"), (None, Some(41)));
    assert!(aim("9_2", "").sent(&file, shas()).is_err());
    let range = aim("3_3", "2_2").sent(&file, shas()).unwrap();
    let start = range.line_range.unwrap().start.unwrap();
    assert_eq!((start.old_line, start.new_line, range.new_line), (Some(2), None, Some(3)));
    let whole = Aim::read(FILE, "").unwrap().sent(&file, shas()).unwrap();
    assert_eq!(whole.position_type.as_deref(), Some("file"));
}

#[test]
fn lines_are_said_in_words() {
    let file = file("a", TEXT);
    for (at, from, words) in [
        ("3_2", "", "line 2"),
        ("2_2", "", "removed line 2"),
        ("3_4", "1_1", "lines 1 to 4"),
        ("3_3", "2_2", "removed line 2 to line 3"),
    ] {
        assert_eq!(aim(at, from).words(&file), words);
    }
}

#[test]
fn suggestions_begin_with_the_lines() {
    let file = file("a", TEXT);
    let text = |at: &str, from: &str| aim(at, from).suggestion(&file);
    assert_eq!(text("3_2", "").unwrap(), "```suggestion:-0+0\nB\n```\n");
    assert_eq!(text("3_3", "1_1").unwrap(), "```suggestion:-2+0\na\nB\n`c`\n```\n");
    assert_eq!(text("2_2", ""), None);
    assert_eq!(text("30_31", ""), None);
    assert_eq!(fenced(0, &["```x"]), "````suggestion:-0+0\n```x\n````\n");
}
