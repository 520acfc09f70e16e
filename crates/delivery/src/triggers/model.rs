//! A trigger of a project.

use jiff::Timestamp;
use store::FromRow;

/// Prefix of the token's text.
pub const PREFIX: &str = "svtt-";
/// Characters behind the prefix that tell tokens apart.
const SHORT: usize = 4;

#[derive(Debug, Clone, FromRow)]
#[columns("ci_triggers")]
pub struct Trigger {
    pub id: i64,
    pub project_id: i64,
    /// Whose rights its pipelines have.
    pub owner_id: i64,
    pub description: String,
    pub short_token: String,
    pub expires_at: Option<Timestamp>,
    pub last_used: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// What of a token everybody may see who sees the trigger.
pub fn short(token: &str) -> String {
    token.strip_prefix(PREFIX).unwrap_or(token).chars().take(SHORT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_of_a_token_is_shown() {
        assert_eq!(short("svtt-abcdefgh"), "abcd");
        assert_eq!(short("ab"), "ab");
    }
}
