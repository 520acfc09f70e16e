//! Why a note cannot stand where it is sent to.

use kernel::error::Error;

/// Why a position is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// Something that is needed was not sent.
    Incomplete,
    /// There is no such line or file in what differs.
    NoLine,
}

impl Refusal {
    /// A field of the note, and what is wrong with it.
    fn problems(self) -> (&'static str, &'static [&'static str]) {
        match self {
            Refusal::Incomplete => ("position", &["is incomplete"]),
            Refusal::NoLine => ("line_code", &["can't be blank", "must be a valid line code"]),
        }
    }

    /// As clients of REST read it.
    fn text(self) -> String {
        let (field, problems) = self.problems();
        format!("Note {{:{field}=>{problems:?}}}")
    }

    /// An error that tells of a refused position as one of its field, for interfaces that
    /// say it in words of their own; others as they are.
    pub fn of_field(error: Error) -> Error {
        let is_told = |refusal: &Refusal| match &error {
            Error::BadRequest(text) => *text == refusal.text(),
            _ => false,
        };
        match [Refusal::Incomplete, Refusal::NoLine].into_iter().find(is_told) {
            Some(refusal) => {
                let (field, problems) = refusal.problems();
                let problems = problems.iter().map(|problem| (*problem).to_owned());
                Error::Invalid(vec![(field.to_owned(), problems.collect())])
            }
            None => error,
        }
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Error {
        Error::BadRequest(refusal.text())
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Refusal::Incomplete => "the position is incomplete",
            Refusal::NoLine => "there is no such line",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_read_these_texts() {
        let text = |refusal: Refusal| match Error::from(refusal) {
            Error::BadRequest(text) => text,
            other => panic!("{other}"),
        };
        assert_eq!(
            text(Refusal::NoLine),
            r#"Note {:line_code=>["can't be blank", "must be a valid line code"]}"#
        );
        assert_eq!(text(Refusal::Incomplete), r#"Note {:position=>["is incomplete"]}"#);
    }

    #[test]
    fn other_interfaces_say_what_is_wrong_with_a_field() {
        let fields = |error: Error| match Refusal::of_field(error) {
            Error::Invalid(fields) => fields,
            other => panic!("{other}"),
        };
        let found = fields(Refusal::NoLine.into());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].0, "line_code");
        assert_eq!(found[0].1, ["can't be blank", "must be a valid line code"]);
        let other = Refusal::of_field(Error::BadRequest("Note".to_owned()));
        assert!(matches!(other, Error::BadRequest(text) if text == "Note"));
    }
}
