//! Releases, members and protected branches.

use super::Desk;
use crate::ledger;
use crate::model::{Asset, FoundRelease, Kind, Member, ProtectedBranch, Release};
use crate::store::memberships::{self, Standing};
use identity::entities::load_basic;
use identity::model::UserKind;
use identity::viewer::Viewer;
use kernel::error::{Error, Result};
use releases::transfer::{Link, write};
use repositories::protection::model::NO_ONE;
use repositories::protection::strictest::{self, Elsewhere};
use repositories::push_rules;
use reviews::store::settings;
use spaces::access::{self, GRANTABLE, MAINTAINER};
use store::Tx;

/// Writes a release. Its files lead to where they lie there until they are fetched
/// ([`crate::attachments`]).
pub fn release(tx: &mut Tx<'_>, desk: &mut Desk<'_>, found: &FoundRelease) -> Result<()> {
    let FoundRelease { release, assets } = found;
    if is_done(tx, desk, Kind::Release, &release.tag)? {
        return Ok(());
    }
    let author = desk.people.author(tx, release.author.as_ref())?;
    let description = match &release.description {
        Some(text) => Some(desk.text(tx, text)?),
        None => None,
    };
    let written = releases::transfer::Release {
        tag: release.tag.clone(),
        commit: release.commit.clone(),
        name: release.name.clone(),
        description,
        author: Some(author),
        milestones: release.milestones.clone(),
        links: links(release, assets),
        created_at: release.created_at,
        released_at: release.released_at,
    };
    let id = write::write(tx, desk.project, &written)?;
    ledger::note(tx, desk.import.id, Kind::Release, &release.tag, id)
}

/// The links of a release, those to its files first.
fn links(release: &Release, assets: &[Asset]) -> Vec<Link> {
    let files = assets.iter().map(|asset| Link {
        name: asset.name.clone(),
        url: asset.url.clone(),
        path: Some(format!("/{}", asset.name)),
        link_type: None,
    });
    files.chain(release.links.iter().cloned()).collect()
}

/// Makes somebody a member, or notes that they are to be one once it is known who they are.
/// Nobody is given more than who asked for the import has.
pub fn member(tx: &mut Tx<'_>, desk: &mut Desk<'_>, member: &Member) -> Result<()> {
    let key = &member.who.id;
    if is_done(tx, desk, Kind::Collaborator, key)? {
        return Ok(());
    }
    if !GRANTABLE.contains(&member.access_level) {
        let text = format!("There is no role {} here", member.access_level);
        return Err(Error::Unprocessable(text));
    }
    let access_level = member.access_level.min(most(tx, desk)?);
    let standing = Standing {
        access_level,
        expires_at: member.expires_at,
        by: desk.import.user_id,
    };
    let id = match desk.people.real(tx, &member.who)? {
        Some(id) => {
            memberships::join(tx, desk.project, id, standing)?;
            id
        }
        None => {
            let id = desk.people.user(tx, &member.who)?;
            // Who stands for many is nobody later.
            let kind = load_basic(tx, &[id])?.remove(&id).map(|user| user.kind);
            if kind == Some(UserKind::Placeholder) {
                memberships::wait(tx, id, desk.project.id, standing)?;
            }
            id
        }
    };
    ledger::note(tx, desk.import.id, Kind::Collaborator, key, id)
}

/// The highest role that who asked for the import may give.
fn most(tx: &mut Tx<'_>, desk: &Desk<'_>) -> Result<i64> {
    let asked = identity::access::active_user(tx, desk.import.user_id)?;
    let viewer = asked.map(Viewer::addressed);
    let level = match &viewer {
        Some(viewer) => access::level_in_project(tx, viewer, desk.project)?,
        None => access::NONE,
    };
    let least = GRANTABLE.iter().copied().min().unwrap_or_default();
    match level < least {
        true => Err(Error::Unprocessable("Who asked for the import is no member any more".into())),
        false => Ok(level),
    }
}

/// Protects a branch at least as much as there, and the project where its rules are of all.
pub fn protected_branch(
    tx: &mut Tx<'_>, desk: &mut Desk<'_>, branch: &ProtectedBranch,
) -> Result<()> {
    if is_done(tx, desk, Kind::ProtectedBranch, &branch.name)? {
        return Ok(());
    }
    let mut pushers = Vec::new();
    for who in &branch.pushers {
        pushers.extend(desk.people.real(tx, who)?);
    }
    let said = Elsewhere {
        name: branch.name.clone(),
        allow_force_push: branch.allows_force_push,
        code_owner_approval_required: branch.needs_code_owners,
        push: match branch.needs_merge_request {
            true => NO_ONE,
            false => branch.push_level.unwrap_or(MAINTAINER),
        },
        merge: branch.merge_level.unwrap_or(MAINTAINER),
        pushers,
    };
    let id = strictest::protect(tx, desk.project, &said)?;
    if branch.needs_resolved_threads {
        need_resolved_threads(tx, desk.project.id)?;
    }
    if branch.needs_signed_commits {
        push_rules::require_signatures(tx, desk.project.id)?;
    }
    ledger::note(tx, desk.import.id, Kind::ProtectedBranch, &branch.name, id)
}

fn need_resolved_threads(tx: &mut Tx<'_>, project_id: i64) -> Result<()> {
    let mut own = settings::of_project(tx, project_id)?;
    if own.threads_must_be_resolved {
        return Ok(());
    }
    own.threads_must_be_resolved = true;
    settings::write(tx, project_id, &own)
}

/// Whether it is here already and stays as it is.
fn is_done(tx: &mut Tx<'_>, desk: &Desk<'_>, kind: Kind, key: &str) -> Result<bool> {
    Ok(!desk.import.is_update() && desk.known(tx, kind, key)?.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::time::Timestamp;

    #[test]
    fn files_of_a_release_are_links_with_lasting_addresses() {
        let own = Link {
            name: "guide".into(),
            url: "https://docs.example/".into(),
            path: None,
            link_type: None,
        };
        let release = Release {
            tag: "v1".into(),
            commit: None,
            name: None,
            description: None,
            author: None,
            milestones: Vec::new(),
            links: vec![own.clone()],
            created_at: Timestamp::UNIX_EPOCH,
            released_at: Timestamp::UNIX_EPOCH,
        };
        let asset = Asset {
            name: "tool.zip".into(),
            url: "https://api.example/releases/assets/1".into(),
            size: 5,
        };
        let links = links(&release, std::slice::from_ref(&asset));
        assert_eq!((links[0].path.as_deref(), &links[0].url), (Some("/tool.zip"), &asset.url));
        assert_eq!(links[1], own);
    }
}
