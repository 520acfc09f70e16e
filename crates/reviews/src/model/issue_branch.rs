//! What the branch of an issue is called. Pure.

use kernel::ids::slug;

/// Longest name that is made, in characters.
const LONGEST: usize = 100;
/// Longest template, in characters.
const LONGEST_TEMPLATE: usize = 255;
/// What stands in templates for the number and the title of the issue.
const ID: &str = "%{id}";
const TITLE: &str = "%{title}";

/// The issue that a branch is made for.
#[derive(Debug, Clone, Copy)]
pub struct Named<'i> {
    pub iid: i64,
    pub title: &'i str,
    pub confidential: bool,
}

impl Named<'_> {
    /// The name of its branch, as the template of the project says it; it may be none that a
    /// branch has, where little is left of the title. What is confidential is not told.
    pub fn branch(&self, template: Option<&str>) -> String {
        let id = self.iid.to_string();
        if self.confidential {
            return format!("{id}-confidential-issue");
        }
        let title = slug(self.title);
        cut(match template {
            Some(template) => template.replace(ID, &id).replace(TITLE, &title),
            None if title.is_empty() => id,
            None => format!("{id}-{title}"),
        })
    }
}

/// As long as it may be, without the word that was cut.
fn cut(name: String) -> String {
    let Some((end, _)) = name.char_indices().nth(LONGEST) else {
        return name;
    };
    let whole = &name[..end];
    whole.rsplit_once('-').map_or(whole, |(words, _)| words).to_owned()
}

/// What is wrong with a template, whatever names it makes.
pub fn template_error(template: &str) -> Option<&'static str> {
    if template.chars().count() > LONGEST_TEMPLATE {
        return Some("is too long (maximum is 255 characters)");
    }
    let rest = template.replace(ID, "").replace(TITLE, "");
    rest.contains("%{").then_some("may name %{id} and %{title} alone")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(title: &str, template: Option<&str>) -> String {
        Named { iid: 12, title, confidential: false }.branch(template)
    }

    #[test]
    fn branches_have_the_number_and_the_title_of_their_issue() {
        for (title, template, name) in [
            ("Mend the door!", None, "12-mend-the-door"),
            ("  Crème brûlée (2) ", None, "12-creme-brulee-2"),
            ("東京", None, "12"),
            ("Mend", Some("feature/%{id}-%{title}"), "feature/12-mend"),
            ("Mend", Some("%{title}"), "mend"),
            ("%{id}", Some("%{title}-x"), "id-x"),
            ("..", Some("fix"), "fix"),
        ] {
            assert_eq!(named(title, template), name, "{title} {template:?}");
        }
        let secret = Named { iid: 12, title: "Osprey", confidential: true };
        assert_eq!(secret.branch(Some("%{title}")), "12-confidential-issue");
    }

    #[test]
    fn long_names_end_with_a_word() {
        let name = named(&"word ".repeat(40), None);
        assert!(name.len() <= LONGEST && name.ends_with("-word"), "{name}");
        assert_eq!(named(&"x".repeat(300), Some("%{title}")).len(), LONGEST);
    }

    #[test]
    fn templates_name_two_things() {
        for good in ["%{id}", "%{id}/%{title}", "fix", "100%"] {
            assert_eq!(template_error(good), None, "{good}");
        }
        for wrong in ["%{author}", "%{id", "%{ID}", &"x".repeat(256)] {
            assert!(template_error(wrong).is_some(), "{wrong}");
        }
    }
}
