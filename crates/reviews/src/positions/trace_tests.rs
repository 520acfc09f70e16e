use super::*;
use crate::positions::edits::tests::{edits, text};
use proptest::prelude::*;

/// The changes of a file between four texts of it: A to B before, C to D now.
struct Texts {
    before: Edits,
    bases: Edits,
    heads: Edits,
    now: Edits,
}

impl Texts {
    fn of([a, b, c, d]: [&str; 4]) -> Texts {
        Texts {
            before: edits(a, b),
            bases: edits(a, c),
            heads: edits(b, d),
            now: edits(c, d),
        }
    }

    fn fate(&self, line: Line) -> Fate {
        let Texts { bases, heads, now, .. } = self;
        Changes { bases, heads, now }.fate(line)
    }

    /// Of a line of B.
    fn of_new(&self, number: u32) -> Fate {
        self.fate(self.before.at_new(number))
    }

    /// Of a line of A.
    fn of_old(&self, number: u32) -> Fate {
        self.fate(self.before.at_old(number))
    }
}

fn line(kind: Kind, old: u32, new: u32) -> Line {
    Line { kind, old, new }
}

const FEW: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n";

fn with(at: usize, more: &str) -> String {
    let mut lines: Vec<&str> = FEW.lines().collect();
    lines.insert(at, more);
    lines.join("\n") + "\n"
}

fn without(at: usize) -> String {
    let mut lines: Vec<&str> = FEW.lines().collect();
    lines.remove(at);
    lines.join("\n") + "\n"
}

#[test]
fn an_added_line() {
    let more = with(2, "more");
    // Still added, below another new line.
    let d = format!("top\n{more}");
    let moved = Texts::of([FEW, &more, FEW, &d]).of_new(3);
    assert_eq!(moved, Fate::Moved(line(Kind::Added, 3, 4)));
    // The target has it, too; near to what changes, it is unchanged there.
    let d = more.replace("4\n", "four\n");
    let near = Texts::of([FEW, &more, &more, &d]).of_new(3);
    assert_eq!(near, Fate::Moved(line(Kind::Same, 3, 3)));
    let d = more.replace("12\n", "twelve\n");
    let far = Texts::of([FEW, &more, &more, &d]).of_new(3);
    assert_eq!(far, Fate::Outdated(Some(Reason::Bases(line(Kind::Added, 3, 3)))));
    let gone = Texts::of([FEW, &more, FEW, FEW]).of_new(3);
    assert_eq!(gone, Fate::Outdated(Some(Reason::Heads(line(Kind::Removed, 3, 3)))));
}

#[test]
fn a_removed_line() {
    let less = without(2);
    let c = format!("top\n{FEW}");
    let d = format!("top\n{less}");
    let moved = Texts::of([FEW, &less, &c, &d]).of_old(3);
    assert_eq!(moved, Fate::Moved(line(Kind::Removed, 4, 4)));
    let back = Texts::of([FEW, &less, FEW, FEW]).of_old(3);
    assert_eq!(back, Fate::Outdated(Some(Reason::Heads(line(Kind::Added, 3, 3)))));
    let gone = Texts::of([FEW, &less, &less, &less]).of_old(3);
    assert_eq!(gone, Fate::Outdated(Some(Reason::Bases(line(Kind::Removed, 3, 3)))));
}

#[test]
fn an_unchanged_line() {
    let more = with(2, "more");
    let of = |c: &str, d: &str| Texts::of([FEW, &more, c, d]).of_new(4);
    assert_eq!(of(FEW, &format!("top\n{more}")), Fate::Moved(line(Kind::Same, 3, 5)));
    assert_eq!(of(&without(2), &more), Fate::Moved(line(Kind::Added, 3, 4)));
    let far = more.replace("12\n", "twelve\n");
    assert_eq!(of(&more, &far), Fate::Outdated(None));
    let d = more.replace("\n3\n", "\n");
    let gone = Fate::Outdated(Some(Reason::Heads(line(Kind::Removed, 4, 4))));
    assert_eq!(of(FEW, &d), gone);
}

proptest! {
    #[test]
    fn moved_lines_keep_their_text(a in text(), b in text(), c in text(), d in text()) {
        let texts = Texts::of([&a, &b, &c, &d]);
        let at = |text: &str, number: u32| text.lines().nth(number as usize - 1).map(str::to_owned);
        for number in 1..=b.lines().count() as u32 {
            match texts.of_new(number) {
                Fate::Moved(line) => {
                    let found = line.new_line().expect("it is on the new side");
                    prop_assert_eq!(at(&d, found), at(&b, number));
                    if let Some(old) = line.old_line() {
                        prop_assert_eq!(at(&c, old), at(&b, number));
                    }
                }
                Fate::Outdated(Some(Reason::Heads(line))) => {
                    prop_assert_eq!((line.kind, line.old), (Kind::Removed, number));
                }
                Fate::Outdated(_) => {}
            }
        }
        for number in 1..=a.lines().count() as u32 {
            let line = texts.before.at_old(number);
            if line.kind != Kind::Removed {
                continue;
            }
            match texts.of_old(number) {
                Fate::Moved(line) => {
                    prop_assert_eq!(line.kind, Kind::Removed);
                    prop_assert_eq!(at(&c, line.old), at(&a, number));
                }
                Fate::Outdated(reason) => prop_assert!(reason.is_some()),
            }
        }
    }

    #[test]
    fn what_did_not_move_stays(a in text(), b in text()) {
        let texts = Texts::of([&a, &b, &a, &b]);
        for number in 1..=b.lines().count() as u32 {
            let line = texts.before.at_new(number);
            let expected = match texts.before.shows(line) {
                true => Fate::Moved(line),
                false => Fate::Outdated(None),
            };
            prop_assert_eq!(texts.of_new(number), expected);
        }
    }
}
