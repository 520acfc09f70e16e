//! Variables: what they may be, and what may stand in them.

use jiff::Timestamp;
use kernel::error::{Error, Result};
use kernel::secrets::{Secret, Secrets};
use store::{FromRow, UpdateRow};

/// The scope that every environment is in, and a job without one, too.
pub const EVERYWHERE: &str = "*";
/// Longest key, scope and description, in characters.
const MAX_TEXT: usize = 255;
const TOO_LONG: &str = "is too long (maximum is 255 characters)";
/// Longest value, in characters.
const MAX_VALUE: usize = 10_000;
const VALUE_TOO_LONG: &str = "The value of the provided variable exceeds the 10000 character limit";
/// Shortest value that can be masked: less would black out half of a log.
const MIN_MASKED: usize = 8;

kernel::choices! {
    /// How a job is given it.
    #[derive(Default)]
    pub enum VariableType as "CiVariableType" {
        #[default]
        EnvVar = "env_var",
        File = "file",
    }
}

/// What has variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holder {
    Instance,
    Group(i64),
    Project(i64),
}

impl Holder {
    pub fn project_id(self) -> Option<i64> {
        match self {
            Holder::Project(id) => Some(id),
            _ => None,
        }
    }

    pub fn group_id(self) -> Option<i64> {
        match self {
            Holder::Group(id) => Some(id),
            _ => None,
        }
    }

    /// What a value is sealed for: it opens for no other holder, and for no other key.
    fn context(self, key: &str) -> String {
        let holder = match self {
            Holder::Instance => "instance".to_owned(),
            Holder::Group(id) => format!("group/{id}"),
            Holder::Project(id) => format!("project/{id}"),
        };
        format!("ci_variables.sealed_value:{holder}:{key}")
    }

    pub fn seal(self, secrets: &Secrets, key: &str, value: &Secret) -> String {
        secrets.seal(&self.context(key), value.expose().as_bytes())
    }
}

#[derive(Debug, Clone, FromRow, UpdateRow)]
#[columns("ci_variables")]
pub struct Variable {
    pub id: i64,
    pub project_id: Option<i64>,
    pub group_id: Option<i64>,
    pub key: String,
    #[written]
    pub environment_scope: String,
    #[written]
    pub sealed_value: String,
    #[written]
    pub variable_type: VariableType,
    #[written]
    pub protected: bool,
    #[written]
    pub masked: bool,
    /// Nobody reads its value any more; jobs are given it.
    pub hidden: bool,
    #[written]
    pub raw: bool,
    #[written]
    pub description: Option<String>,
    #[written]
    pub updated_at: Timestamp,
}

impl Variable {
    pub fn holder(&self) -> Holder {
        match (self.project_id, self.group_id) {
            (Some(id), _) => Holder::Project(id),
            (None, Some(id)) => Holder::Group(id),
            (None, None) => Holder::Instance,
        }
    }

    /// Its value.
    ///
    /// # Errors
    ///
    /// Where the key that sealed it is gone.
    pub fn open(&self, secrets: &Secrets) -> Result<Secret> {
        let context = self.holder().context(&self.key);
        let bytes = secrets.unseal(&context, &self.sealed_value)?;
        String::from_utf8(bytes).map(Secret::new).map_err(Error::internal)
    }
}

/// What is wrong with a key.
pub fn key_problem(key: &str) -> Option<&'static str> {
    match key {
        "" => Some("can't be blank"),
        _ if is_long(key) => Some(TOO_LONG),
        _ if !key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') => {
            Some("can contain only letters, digits and '_'.")
        }
        _ => None,
    }
}

/// What is wrong with the environments that a variable is for.
pub fn scope_problem(scope: &str) -> Option<&'static str> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "-_/${}. *".contains(c);
    match scope {
        "" => Some("can't be blank"),
        _ if is_long(scope) => Some(TOO_LONG),
        _ if !scope.chars().all(fits) => Some(
            "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*' and spaces",
        ),
        _ => None,
    }
}

pub fn description_problem(text: &str) -> Option<&'static str> {
    is_long(text).then_some(TOO_LONG)
}

/// What is wrong with a value.
pub fn value_problem(value: &Secret, masked: bool, raw: bool) -> Option<&'static str> {
    let text = value.expose();
    if text.chars().count() > MAX_VALUE {
        return Some(VALUE_TOO_LONG);
    }
    (masked && !can_be_masked(text, raw)).then_some("is invalid")
}

/// Whether a log can be searched for it: one word, and as it stands where `$` means
/// something.
fn can_be_masked(text: &str, raw: bool) -> bool {
    let fits = |c: char| match raw {
        true => !c.is_whitespace(),
        false => c.is_ascii_alphanumeric() || "_+=/@:.~-".contains(c),
    };
    text.chars().count() >= MIN_MASKED && text.chars().all(fits)
}

fn is_long(text: &str) -> bool {
    text.chars().count() > MAX_TEXT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_scopes_keep_to_their_alphabets() {
        for good in ["A", "a_1", "_", "1", &"K".repeat(255)] {
            assert_eq!(key_problem(good), None, "{good}");
        }
        for bad in ["", " ", "A-B", "A B", "ä", "A\n", "$A", &"K".repeat(256)] {
            assert!(key_problem(bad).is_some(), "{bad}");
        }
        for good in ["*", "review/*", "a b", "x.y-z_$CI_{A}"] {
            assert_eq!(scope_problem(good), None, "{good}");
        }
        for bad in ["", "a\nb", "ä", "a?b", &"x".repeat(256)] {
            assert!(scope_problem(bad).is_some(), "{bad}");
        }
    }

    #[test]
    fn only_long_single_words_can_be_masked() {
        for (value, plain, raw) in [
            ("12345678", true, true),
            ("a_+=/@:.~-b", true, true),
            ("1234567", false, false),
            ("$secret$1", false, true),
            ("ümlauts!", false, true),
            ("two words", false, false),
            ("two\nlines", false, false),
            ("trailing1\n", false, false),
            ("", false, false),
        ] {
            let value = Secret::new(value);
            let problem = |raw| value_problem(&value, true, raw).is_none();
            assert_eq!((problem(false), problem(true)), (plain, raw), "{}", value.expose());
            assert_eq!(value_problem(&value, false, false), None);
        }
        let (most, more) = (Secret::new("ü".repeat(10_000)), Secret::new("a".repeat(10_001)));
        assert_eq!(value_problem(&most, false, false), None);
        assert_eq!(value_problem(&more, false, false), Some(VALUE_TOO_LONG));
    }

    #[test]
    fn a_value_opens_for_its_holder_and_key_alone() {
        let secrets = Secrets::open("/absent".as_ref(), Some("ab".repeat(32))).unwrap();
        let sealed = Holder::Project(1).seal(&secrets, "A", &Secret::new("iron"));
        let variable = |project_id, group_id, key: &str| Variable {
            id: 1,
            project_id,
            group_id,
            key: key.to_owned(),
            environment_scope: EVERYWHERE.to_owned(),
            sealed_value: sealed.clone(),
            variable_type: VariableType::EnvVar,
            protected: false,
            masked: false,
            hidden: false,
            raw: false,
            description: None,
            updated_at: Timestamp::UNIX_EPOCH,
        };
        let opened = variable(Some(1), None, "A").open(&secrets);
        assert_eq!(opened.unwrap().expose(), "iron");
        for other in [
            variable(Some(2), None, "A"),
            variable(None, Some(1), "A"),
            variable(Some(1), None, "B"),
        ] {
            assert!(other.open(&secrets).is_err());
        }
    }
}
