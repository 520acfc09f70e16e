//! Rules of approval: who has to approve, how many of them, and what is asked of approvals
//! in a project.

use store::FromRow;

/// Longest name of a rule, in characters.
pub const LONGEST_NAME: usize = 1_024;
/// Most approvals that a rule asks for.
pub const MOST_APPROVALS: i64 = 100;
/// Most rules of a project or merge request.
pub const MOST_RULES: usize = 100;
/// Most users, and most groups, that a rule names.
pub const MOST_NAMED: usize = 500;
/// How a rule for everybody is called.
pub const ANYBODY: &str = "All Members";

kernel::choices! {
    /// Whose approvals a rule counts.
    pub enum RuleType as "MergeRequestApprovalRuleType" {
        /// Users and members of groups that it names.
        Regular = "regular",
        /// Everyone who may approve.
        AnyApprover = "any_approver",
        /// Those who own files that change.
        CodeOwner = "code_owner",
        /// Those whom a policy names.
        ReportApprover = "report_approver",
    }
}

impl RuleType {
    /// Whether people make such rules; others are made of files and policies.
    pub fn is_by_hand(self) -> bool {
        matches!(self, RuleType::Regular | RuleType::AnyApprover)
    }
}

/// A rule without those whom it names.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
#[columns("approval_rules")]
pub struct RuleRow {
    pub id: i64,
    /// One of both.
    pub project_id: Option<i64>,
    pub merge_request_id: Option<i64>,
    /// The rule of the project that it was copied from.
    pub source_rule_id: Option<i64>,
    pub name: String,
    pub rule_type: RuleType,
    pub report_type: Option<String>,
    /// Of code owners: the part of their file.
    pub section: Option<String>,
    pub approvals_required: i64,
    /// Of a project's: it is for what goes into protected branches.
    pub applies_to_all_protected_branches: bool,
    /// It is the project's, as it was when the merge request was merged.
    pub is_snapshot: bool,
}

/// A protected branch, or a pattern of names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    pub id: i64,
    pub name: String,
}

/// A rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    pub row: RuleRow,
    pub users: Vec<i64>,
    pub groups: Vec<i64>,
    /// Of a project's: it is for these alone, if there are any.
    pub branches: Vec<Branch>,
    /// Of a merged merge request: whose approvals counted.
    pub approvers: Vec<i64>,
}

/// How merge requests of a project are approved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromRow)]
#[columns("approval_settings")]
pub struct Settings {
    /// A push that changes what differs takes approvals back.
    pub reset_approvals_on_push: bool,
    /// Without that: it takes back those of the owners of files it touches.
    pub selective_code_owner_removals: bool,
    /// Merge requests cannot have rules of their own.
    pub disable_overriding: bool,
    /// Authors may approve.
    pub author_approval: bool,
    /// Committers may not.
    pub disable_committers_approval: bool,
    /// Who approves proves again who they are.
    pub require_reauthentication: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            reset_approvals_on_push: true,
            selective_code_owner_removals: false,
            disable_overriding: false,
            author_approval: false,
            disable_committers_approval: false,
            require_reauthentication: false,
        }
    }
}
