//! One of the fields beside a thing, refused and shown again.

/// The field, with what was typed there; nothing where none was refused.
#[derive(Debug, Default, Clone)]
pub struct TypedField(pub Option<(&'static str, String)>);

impl TypedField {
    /// Whether a field's form is shown again, with what is wrong.
    pub fn is_open(&self, field: &str) -> bool {
        self.0.as_ref().is_some_and(|(typed, _)| *typed == field)
    }

    /// What stands in a field's form: what was typed, or what is stored.
    pub fn text(&self, field: &str, stored: String) -> String {
        match &self.0 {
            Some((typed, text)) if *typed == field => text.clone(),
            _ => stored,
        }
    }
}
