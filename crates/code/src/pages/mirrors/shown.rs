//! How mirrors are shown.

use super::form::Fields;
use kernel::html::ui::{self, Badge};
use repositories::mirrors::UpdateStatus;
use repositories::mirrors::pull::PullMirror;
use repositories::mirrors::push::RemoteMirror;

/// How far the project is with what it follows.
pub fn pull_status(mirror: &PullMirror) -> Badge {
    match mirror.update_status {
        _ if mirror.gave_up() => ui::badge("gave up", "bad"),
        _ if !mirror.is_wanted() => ui::state("deactivated"),
        status => badge(status, "waits for its turn"),
    }
}

/// How far a mirror is with what was pushed.
pub fn push_status(mirror: &RemoteMirror) -> Badge {
    match mirror.update_status {
        _ if !mirror.enabled => ui::state("deactivated"),
        status => badge(status, "waits for a push"),
    }
}

fn badge(status: UpdateStatus, none: &str) -> Badge {
    match status {
        UpdateStatus::None => ui::badge(none, "plain"),
        UpdateStatus::Scheduled => ui::state("queued"),
        UpdateStatus::Started => ui::state("running"),
        UpdateStatus::Finished => ui::state("finished"),
        UpdateStatus::Failed => ui::state("failed"),
    }
}

/// Which branches the project follows.
pub fn pulled(mirror: &PullMirror) -> String {
    let only = mirror.only_protected_branches.unwrap_or(false);
    branches(only, mirror.mirror_branch_regex.as_deref())
}

/// Which branches a mirror follows.
pub fn pushed(mirror: &RemoteMirror) -> String {
    branches(mirror.only_protected_branches, mirror.mirror_branch_regex.as_deref())
}

fn branches(only_protected: bool, pattern: Option<&str>) -> String {
    match pattern {
        _ if only_protected => "Protected branches and all tags".into(),
        Some(pattern) => format!("Branches that fit {pattern}, and all tags"),
        None => "All branches and tags".into(),
    }
}

pub fn fields_of_pull(mirror: &PullMirror) -> Fields {
    Fields {
        url: mirror.server.shown_url.clone(),
        enabled: mirror.enabled,
        only_protected: mirror.only_protected_branches.unwrap_or(false),
        pattern: mirror.mirror_branch_regex.clone().unwrap_or_default(),
        another_way: mirror.overwrites_diverged_branches,
        trigger_builds: mirror.trigger_builds,
        host_keys: mirror.server.host_keys.0.join("\n"),
        ..Fields::default()
    }
}

pub fn fields_of_push(mirror: &RemoteMirror) -> Fields {
    Fields {
        url: mirror.server.shown_url.clone(),
        enabled: mirror.enabled,
        only_protected: mirror.only_protected_branches,
        pattern: mirror.mirror_branch_regex.clone().unwrap_or_default(),
        another_way: mirror.keep_divergent_refs,
        host_keys: mirror.server.host_keys.0.join("\n"),
        ..Fields::default()
    }
}
