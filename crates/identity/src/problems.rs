//! What is wrong with what was sent, by field.

use kernel::error::{Error, Result};

#[derive(Debug, Default)]
pub(crate) struct Problems(pub Vec<(String, Vec<String>)>);

impl Problems {
    /// Adds what is wrong with a field, if anything is.
    pub fn add(&mut self, field: &str, problem: Option<impl Into<String>>) {
        let named = problem.map(|text| (field.to_owned(), vec![text.into()]));
        self.0.extend(named);
    }

    /// Refuses all of it together.
    pub fn done(self) -> Result<()> {
        match self.0.is_empty() {
            true => Ok(()),
            false => Err(Error::Invalid(self.0)),
        }
    }
}
