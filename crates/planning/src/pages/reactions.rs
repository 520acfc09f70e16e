//! Reactions to something, as buttons that give one or take it back.

use crate::store::awards::{self as rows, Awardable, Given};
use askama::Template;
use askama::filters::HtmlSafe;
use identity::viewer::Viewer;
use kernel::error::Result;
use kernel::html::ui;
use store::Tx;

/// Those that are offered at once.
const FIRST: [&str; 2] = ["thumbsup", "thumbsdown"];
/// Those behind a menu.
const MORE: [&str; 6] = ["tada", "heart", "rocket", "eyes", "smile", "confused"];

/// A reaction, given or not.
#[derive(Debug, Clone)]
struct Button {
    name: String,
    emoji: String,
    count: u64,
    /// The viewer gave it.
    is_own: bool,
}

impl Button {
    fn of(name: &str, given: Option<&Given>) -> Button {
        Button {
            name: name.to_owned(),
            emoji: picture(name),
            count: given.map_or(0, |given| given.count.unsigned_abs()),
            is_own: given.is_some_and(|given| given.own > 0),
        }
    }

    fn words(&self) -> String {
        self.name.replace('_', " ")
    }
}

fn named<'g>(given: &'g [Given], name: &str) -> Option<&'g Given> {
    given.iter().find(|one| one.name == name)
}

/// The emoji of a name; the name itself of one that is not known.
fn picture(name: &str) -> String {
    match name {
        "thumbsup" => "👍".to_owned(),
        "thumbsdown" => "👎".to_owned(),
        name => emojis::get_by_shortcode(name)
            .map_or_else(|| format!(":{name}:"), |emoji| emoji.as_str().to_owned()),
    }
}

/// Reactions to one thing. The forms send `action=award` and the `name` of one.
#[derive(Debug, Clone, Template)]
#[template(path = "ui/reactions.html")]
pub struct Reactions {
    url: String,
    csrf: String,
    buttons: Vec<Button>,
    more: Vec<Button>,
    may_react: bool,
}

impl HtmlSafe for Reactions {}

impl Reactions {
    /// Those to something, which who may gives and takes back by forms to an address.
    pub fn read(
        tx: &mut Tx<'_>, viewer: &Viewer, to: Awardable, (url, csrf): (&str, &str), may_react: bool,
    ) -> Result<Reactions> {
        let given = rows::given(tx, to, viewer.user_id())?;
        Ok(Reactions::of(&given, (url, csrf), may_react))
    }

    fn of(given: &[Given], (url, csrf): (&str, &str), may_react: bool) -> Reactions {
        let first = FIRST.iter().map(|name| Button::of(name, named(given, name)));
        let others = given.iter().filter(|one| !FIRST.contains(&one.name.as_str()));
        let others = others.map(|one| Button::of(&one.name, Some(one)));
        let more = MORE.iter().filter(|name| named(given, name).is_none());
        let is_shown = |button: &Button| may_react || button.count > 0;
        Reactions {
            url: url.to_owned(),
            csrf: csrf.to_owned(),
            buttons: first.chain(others).filter(is_shown).collect(),
            more: more.map(|name| Button::of(name, None)).collect(),
            may_react,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(name: &str, count: i64, own: i64) -> Given {
        Given { name: name.to_owned(), count, own }
    }

    #[test]
    fn readers_see_what_was_given_and_others_may_give() {
        let some = [given("tada", 2, 0), given("thumbsup", 1, 1), given("<b>", 1, 0)];
        let reader = Reactions::of(&some, ("/x", ""), false).to_string();
        assert!(!reader.contains("<form") && !reader.contains("👎"), "{reader}");
        assert!(reader.contains("👍") && !reader.contains("<b>"), "{reader}");
        let giver = Reactions::of(&some, ("/x", "c"), true);
        let names: Vec<&str> = giver.buttons.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["thumbsup", "thumbsdown", "tada", "<b>"]);
        assert!(giver.more.iter().all(|one| one.name != "tada"));
        let html = giver.to_string();
        assert!(html.contains("value=\"thumbsup\" aria-pressed=\"true\""), "{html}");
    }
}
