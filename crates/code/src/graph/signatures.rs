//! Who signed a commit: the interface `CommitSignature`.

use super::MOST_REPOSITORIES;
use super::commits::CommitView;
use identity::graph::Person;
use kernel::graph::{
    Context, Cost, Fault, Graph, ObjectBuilder, STRING, TIME, enumeration, item, object, one_of,
};
use repositories::objects::Commit;
use signatures::checking::{self, GpgKeyUsed, KeyUsed, Verified};
use signatures::model::{SignatureType, VerificationStatus};
use spaces::graph::{ProjectView, Projects};
use ssh::entity::SshKeyEntity;
use std::collections::HashMap;
use std::sync::Arc;

/// A signature of a commit.
pub struct SignatureView {
    verified: Verified,
    sha: String,
    project_id: i64,
    person: Option<Arc<Person>>,
    key: Option<Arc<SshKeyEntity>>,
}

impl SignatureView {
    fn gpg_key(&self) -> Option<&GpgKeyUsed> {
        match &self.verified.key {
            Some(KeyUsed::Gpg(used)) => Some(used),
            _ => None,
        }
    }

    /// The name of the primary key, or that which the signature has.
    fn keyid(&self) -> Option<String> {
        let known = self.gpg_key().map(GpgKeyUsed::primary_keyid);
        known.or_else(|| self.verified.keyid.clone())
    }
}

fn concrete(it: &SignatureView) -> &'static str {
    match it.verified.kind {
        SignatureType::Pgp => "GpgSignature",
        SignatureType::Ssh => "SshSignature",
        SignatureType::X509 => "X509Signature",
    }
}

pub(super) fn graph(g: &mut Graph) {
    let items = VerificationStatus::ALL
        .iter()
        .map(|status| item(in_capitals(*status), status.sentence()))
        .collect();
    g.enumeration("VerificationStatus", "What a signature is worth.", items);
    shared(g.interface("CommitSignature", "Who signed a commit."));
    by_user(g.object::<SignatureView>("GpgSignature", "A signature by a GPG key."))
        .value("gpgKeyPrimaryKeyid", "The name of the key.", SignatureView::keyid)
        .value("gpgKeyUserName", "Whom the key names.", |it| {
            Some(it.gpg_key()?.named.as_ref()?.name.clone())
        })
        .value("gpgKeyUserEmail", "Their address.", |it| {
            Some(it.gpg_key()?.named.as_ref()?.email.clone())
        });
    by_user(g.object::<SignatureView>("SshSignature", "A signature by an SSH key."))
        .value("keyFingerprintSha256", "The fingerprint of the key.", |it| {
            it.verified.keyid.clone()
        })
        .field("key", object::<SshKeyEntity>("Key"), |it| it.key.clone())
        .describe("The key, if it is somebody's here.");
    by_user(g.object::<SignatureView>("X509Signature", "A signature by a certificate."));
    keys(g);
    g.on::<CommitView>("Commit")
        .level("signature", one_of::<SignatureView>("CommitSignature", concrete), of_commits)
        .describe("Who signed it; null if nobody did.")
        .cost(Cost::LookedUp)
        .git();
}

/// A status as GraphQL writes it.
fn in_capitals(status: VerificationStatus) -> &'static str {
    match status {
        VerificationStatus::Unverified => "UNVERIFIED",
        VerificationStatus::Verified => "VERIFIED",
        VerificationStatus::SameUserDifferentEmail => "SAME_USER_DIFFERENT_EMAIL",
        VerificationStatus::OtherUser => "OTHER_USER",
        VerificationStatus::UnverifiedKey => "UNVERIFIED_KEY",
        VerificationStatus::UnknownKey => "UNKNOWN_KEY",
        VerificationStatus::MultipleSignatures => "MULTIPLE_SIGNATURES",
        VerificationStatus::RevokedKey => "REVOKED_KEY",
        VerificationStatus::VerifiedSystem => "VERIFIED_SYSTEM",
        VerificationStatus::UnverifiedAuthorEmail => "UNVERIFIED_AUTHOR_EMAIL",
        VerificationStatus::ExpiredKey => "EXPIRED_KEY",
        VerificationStatus::VerifiedCa => "VERIFIED_CA",
    }
}

fn shared(signature: ObjectBuilder<'_, SignatureView>) {
    signature
        .field("verificationStatus", enumeration("VerificationStatus"), |it| {
            Some(in_capitals(it.verified.status))
        })
        .describe("What it is worth.")
        .value("commitSha", "The name of the commit.", |it| Some(it.sha.clone()))
        .load::<Projects, _>("project", object::<ProjectView>("Project"), |it| Some(it.project_id))
        .describe("The project of the commit.");
}

fn by_user<'g>(signature: ObjectBuilder<'g, SignatureView>) -> ObjectBuilder<'g, SignatureView> {
    signature
        .implements("CommitSignature")
        .field("user", object::<Person>("UserCore"), |it| it.person.clone())
        .describe("Whose key it is.")
}

fn keys(g: &mut Graph) {
    g.object::<SshKeyEntity>("Key", "An SSH key.")
        .value("title", "What it is called.", |it| it.title.clone())
        .value("key", "The public half.", |it| it.key.clone())
        .field("createdAt", TIME, |it| Some(it.created_at))
        .describe("When it was added.")
        .field("expiresAt", TIME, |it| it.expires_at)
        .describe("When it ends.")
        .field("usageType", STRING, |it| Some(it.usage_type.to_string()))
        .describe("What it is for.");
}

async fn of_commits(
    of: Vec<Arc<CommitView>>, _: kernel::graph::Args, context: Context,
) -> Result<Vec<Option<Arc<SignatureView>>>, Fault> {
    let app = context.app()?;
    let mut by_project: HashMap<i64, Vec<usize>> = HashMap::new();
    for (at, one) in of.iter().enumerate() {
        by_project.entry(one.view.project.id).or_default().push(at);
    }
    if by_project.len() > MOST_REPOSITORIES {
        let text = format!("No more than {MOST_REPOSITORIES} repositories are read at once");
        return Err(Fault::argument(text));
    }
    let mut answers = vec![None; of.len()];
    for places in by_project.into_values() {
        let Some(repository) = places.first().and_then(|at| of[*at].view.repository.as_ref())
        else {
            continue;
        };
        let commits: Vec<Commit> = places.iter().map(|at| of[*at].commit.clone()).collect();
        let found = checking::of_commits(app, repository, &commits).await?;
        for (at, verified) in places.into_iter().zip(found) {
            answers[at] = verified.map(|verified| Arc::new(view(app, &of[at], verified)));
        }
    }
    Ok(answers)
}

fn view(app: &kernel::app::App, of: &CommitView, verified: Verified) -> SignatureView {
    let key = match (&verified.key, &verified.user) {
        (Some(KeyUsed::Ssh(key)), Some(user)) => Some(Arc::new(SshKeyEntity::of(app, user, key))),
        _ => None,
    };
    SignatureView {
        person: verified.user.clone().map(|user| Person::new(app, user)),
        sha: of.commit.id.to_string(),
        project_id: of.view.project.id,
        key,
        verified,
    }
}
