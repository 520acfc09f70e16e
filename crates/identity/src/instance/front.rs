//! What strangers see of the instance first: its name and a text.

use kernel::error::{Error, Result};

/// Most characters of the name, which stands in the header of every page.
const MAX_NAME: usize = 40;
/// Most characters of the text: it is rendered for each visit.
const MAX_TEXT: usize = 20_000;

kernel::setting! {
    /// What stands on the front page above the public projects.
    pub struct FrontPage = "identity.front_page" {
        /// Markdown; empty for none.
        pub text: String = String::new(),
    }
}

impl FrontPage {
    fn validate(&self) -> Result<()> {
        match self.text.chars().count() > MAX_TEXT {
            true => Err(too_long("front_page_text", MAX_TEXT)),
            false => Ok(()),
        }
    }
}

fn too_long(key: &str, most: usize) -> Error {
    Error::invalid(key, format!("is too long (maximum is {most} characters)"))
}

crate::settings_part! {
    FrontPage {
        /// Markdown on the page that people see who are not signed in.
        front_page_text: String => text,
    } sealed {}
}

/// The name, which the layout of pages shows.
pub(super) mod name {
    use super::{MAX_NAME, too_long};
    use kernel::error::{Error, Result};
    use kernel::html::instance::Instance;

    trait Valid {
        fn validate(&self) -> Result<()>;
    }

    impl Valid for Instance {
        fn validate(&self) -> Result<()> {
            if self.name.chars().count() > MAX_NAME {
                return Err(too_long("instance_name", MAX_NAME));
            }
            match self.name.chars().any(char::is_control) {
                true => {
                    let text = "cannot contain control characters";
                    Err(Error::invalid("instance_name", text))
                }
                false => Ok(()),
            }
        }
    }

    crate::settings_part! {
        Instance {
            /// What the instance is called on its pages; empty for the program's name.
            instance_name: String => name,
        } sealed {}
    }
}
