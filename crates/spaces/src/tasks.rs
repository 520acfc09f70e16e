//! What the jobs of this room are about; rules enqueue these, and [`crate::jobs`]
//! does the work.

use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize)]
pub struct DestroyProject {
    pub project: i64,
}

/// Deletes a hidden group or user namespace with all below it.
#[derive(Serialize, Deserialize)]
pub struct DestroyNamespace {
    pub namespace: i64,
}

/// Ends bots none of whose tokens opens anything, and forgets tokens that
/// ended long ago.
#[derive(Default, Serialize, Deserialize)]
pub struct EndBots {}

/// Removes memberships and shares whose day has come; they stopped counting
/// at its first instant.
#[derive(Default, Serialize, Deserialize)]
pub struct ExpireMembers {}

/// Sends the mail of an invitation, with a new link in it.
#[derive(Serialize, Deserialize)]
pub struct SendInvitation {
    pub invitation: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum News {
    /// To those who may grant it: somebody asks.
    Requested,
    Granted,
    /// To who asked: turned down.
    Denied,
}

#[derive(Serialize, Deserialize)]
pub struct TellOfRequest {
    pub news: News,
    pub source_type: String,
    pub source_id: i64,
    pub user: i64,
    pub to: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemberNews {
    Added,
    /// The role or its end.
    Changed,
    /// The membership ends in a few days.
    Ending,
}

/// Tells somebody of their membership, whatever they want mail of.
#[derive(Serialize, Deserialize)]
pub struct TellMember {
    pub news: MemberNews,
    pub source_type: String,
    pub source_id: i64,
    pub user: i64,
    pub actor: Option<i64>,
}
