//! What projects and groups are looked up for, and what that asks for.

use super::{ADMINISTRATOR, DEVELOPER, GUEST, MAINTAINER, NONE, OWNER, REPORTER, sees_level};
use crate::model::Namespace;
use identity::viewer::Viewer;
use kernel::error::Error;

/// What a project or group is looked up for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    Read,
    /// See it as somebody signed in: star it, list members.
    ReadMembers,
    Join,
    /// Change memberships, invitations, access requests.
    ManageMembers,
    Update,
    Share,
    Archive,
    Transfer,
    /// Say what it is a fork of, or no longer.
    ManageFork,
    Destroy,
    /// Access tokens; a refusal is 401 here (docs/interface/identity.md 4).
    ManageTokens,
    ReadDeployTokens,
    ManageDeployTokens,
    CreateProject,
    CreateSubgroup,
    ReadPackages,
    PublishPackage,
    DestroyPackage,
    /// Protection rules and duplicate settings.
    ManagePackageSettings,
    ReadErrors,
    ManageErrors,
    ReadAlerts,
    /// Say what becomes of them.
    ManageAlerts,
    /// See who is on call, and whom alerts page.
    ReadOnCall,
    /// Read what is in the repository.
    DownloadCode,
    PushCode,
    ReadWiki,
    WriteWiki,
    DestroyWikiPage,
    ReadSnippets,
    CreateSnippet,
    /// See its pipelines, their jobs and what these wrote.
    ReadPipelines,
    /// Begin, end and repeat them.
    RunPipelines,
    /// See what it is made of, and send lists of that.
    ReadDependencies,
    /// Put a file into a text.
    UploadFile,
    /// List and remove the files of texts.
    ManageUploads,
}

impl Purpose {
    /// Whether only somebody with credentials can have this purpose.
    pub(super) fn needs_viewer(self) -> bool {
        !matches!(
            self,
            Purpose::Read
                | Purpose::ReadPackages
                | Purpose::DownloadCode
                | Purpose::ReadWiki
                | Purpose::ReadSnippets
                | Purpose::ReadPipelines
        )
    }

    /// Whether the viewer has no credentials, and needs some for it.
    pub(super) fn is_beyond(self, viewer: &Viewer) -> bool {
        self.needs_viewer() && matches!(viewer, Viewer::Anonymous)
    }

    /// The role a project asks for.
    pub(super) fn project_role(self) -> i64 {
        match self {
            Purpose::Read | Purpose::ReadMembers | Purpose::Join | Purpose::UploadFile => NONE,
            Purpose::ReadWiki | Purpose::ReadSnippets => GUEST,
            Purpose::CreateSnippet => REPORTER,
            Purpose::ReadPackages
            | Purpose::ReadOnCall
            | Purpose::DownloadCode
            | Purpose::ReadPipelines => REPORTER,
            Purpose::PublishPackage
            | Purpose::PushCode
            | Purpose::RunPipelines
            | Purpose::WriteWiki
            | Purpose::ReadDependencies
            | Purpose::ReadErrors
            | Purpose::ManageErrors
            | Purpose::ReadAlerts
            | Purpose::ManageAlerts => DEVELOPER,
            Purpose::ManageMembers
            | Purpose::Update
            | Purpose::Share
            | Purpose::ManageTokens
            | Purpose::ReadDeployTokens
            | Purpose::ManageDeployTokens
            | Purpose::CreateProject
            | Purpose::CreateSubgroup
            | Purpose::DestroyPackage
            | Purpose::DestroyWikiPage
            | Purpose::ManagePackageSettings
            | Purpose::ManageUploads => MAINTAINER,
            Purpose::Archive | Purpose::Transfer | Purpose::ManageFork | Purpose::Destroy => OWNER,
        }
    }

    /// The role a group asks for.
    pub(super) fn group_role(self, group: &Namespace) -> i64 {
        match self {
            Purpose::Read | Purpose::ReadMembers | Purpose::Join | Purpose::ReadPackages => NONE,
            Purpose::UploadFile | Purpose::ReadWiki => GUEST,
            Purpose::PublishPackage | Purpose::WriteWiki | Purpose::ReadDependencies => DEVELOPER,
            Purpose::DestroyPackage
            | Purpose::DestroyWikiPage
            | Purpose::ManagePackageSettings
            | Purpose::ManageUploads
            | Purpose::ReadDeployTokens => MAINTAINER,
            Purpose::CreateProject => match group.project_creation_level.as_str() {
                "noone" | "administrator" => ADMINISTRATOR,
                "owner" => OWNER,
                "maintainer" => MAINTAINER,
                _ => DEVELOPER,
            },
            Purpose::CreateSubgroup if group.subgroup_creation_level == "maintainer" => MAINTAINER,
            _ => OWNER,
        }
    }

    /// The feature of a project whose content it is about, if it is about one kept in a
    /// repository.
    pub(super) fn feature(self) -> Option<&'static str> {
        match self {
            Purpose::DownloadCode | Purpose::PushCode => Some("repository"),
            Purpose::ReadWiki | Purpose::WriteWiki | Purpose::DestroyWikiPage => Some("wiki"),
            Purpose::ReadSnippets | Purpose::CreateSnippet => Some("snippets"),
            Purpose::ReadPipelines | Purpose::RunPipelines => Some("builds"),
            _ => None,
        }
    }

    /// Whether who sees something may do it there without a role.
    pub(super) fn is_open_in(self, viewer: &Viewer, group: &Namespace) -> bool {
        self == Purpose::ReadWiki && sees_level(viewer, group.visibility)
    }

    pub(super) fn refusal(self) -> Error {
        match self {
            Purpose::ManageTokens => Error::Unauthenticated,
            _ => Error::Forbidden(String::new()),
        }
    }
}
