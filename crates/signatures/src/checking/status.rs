//! What a signature is worth, of who made it and whom the commit names.

use super::known::Known;
use super::{KeyUsed, Read, Subject, Verified};
use crate::formats::openpgp::PgpSignature;
use crate::formats::sshsig::SshSignature;
use crate::formats::{Judged, Signature};
use crate::model::{GpgKey, KeyPart, VerificationStatus as Status};
use ssh::model::SshKey;

/// A signature with what was found out.
pub(super) fn verified(read: &Read, known: &Known, judged: Vec<Judged>) -> Verified {
    let bare = |status: Status| Verified {
        kind: read.signature.kind(),
        status,
        key: None,
        user: None,
        keyid: None,
    };
    match &read.signature {
        Signature::Other(_) => bare(Status::Unverified),
        Signature::Several(_) => bare(Status::MultipleSignatures),
        Signature::Pgp(signature) => Verified {
            keyid: signature.issuers.first().cloned(),
            ..by_gpg_key(read, known, (signature, &judged), bare)
        },
        Signature::Ssh(signature) => Verified {
            keyid: Some(signature.fingerprint.clone()),
            ..by_ssh_key(read, known, (signature.as_ref(), &judged), bare)
        },
    }
}

fn by_gpg_key(
    read: &Read, known: &Known, (signature, judged): (&PgpSignature, &[Judged]),
    bare: impl Fn(Status) -> Verified,
) -> Verified {
    if signature.issuers.is_empty() {
        return bare(Status::Unverified);
    }
    let mut candidates = known.candidates(signature).zip(judged);
    // One name may be that of several keys: the one that made the signature counts.
    let first = candidates.next();
    let made = first.into_iter().chain(candidates).find(|(_, judged)| **judged != Judged::Bad);
    match (made, first) {
        (Some(((key, part), judged)), _) => {
            with_gpg_key(known, (key, part), gpg_status(read, known, key, *judged), bare)
        }
        (None, Some(((key, part), _))) => {
            with_gpg_key(known, (key, part), Status::Unverified, bare)
        }
        (None, None) => bare(Status::UnknownKey),
    }
}

fn with_gpg_key(
    known: &Known, (key, part): (&GpgKey, &KeyPart), status: Status,
    bare: impl Fn(Status) -> Verified,
) -> Verified {
    Verified {
        key: Some(KeyUsed::Gpg(Box::new(known.used(key, part)))),
        user: known.user(key.user_id).cloned(),
        ..bare(status)
    }
}

fn gpg_status(read: &Read, known: &Known, key: &GpgKey, judged: Judged) -> Status {
    let addresses = || known.addresses_of(key.id).map(|one| one.email.as_str());
    match judged {
        Judged::Bad => Status::Unverified,
        _ if key.revoked_at.is_some() => Status::RevokedKey,
        Judged::Revoked => Status::RevokedKey,
        Judged::Expired => Status::ExpiredKey,
        Judged::Good if !addresses().any(|email| known.is_of(key.user_id, email)) => {
            Status::UnverifiedKey
        }
        Judged::Good => {
            let committer = &read.subject.committer;
            let is_named = addresses().any(|email| email.eq_ignore_ascii_case(committer));
            of_people(&read.subject, known, key.user_id, is_named)
        }
    }
}

fn by_ssh_key(
    read: &Read, known: &Known, (signature, judged): (&SshSignature, &[Judged]),
    bare: impl Fn(Status) -> Verified,
) -> Verified {
    if known.is_own(&signature.fingerprint) {
        return bare(by_instance(&read.subject, known, judged.first() == Some(&Judged::Good)));
    }
    let Some(key) = known.ssh_key(&signature.fingerprint) else {
        return bare(Status::UnknownKey);
    };
    let user = key.user_id.and_then(|id| known.user(id));
    let status = match (judged.first(), user) {
        (Some(Judged::Good), Some(_)) if is_after_end(key, &read.subject) => Status::ExpiredKey,
        (Some(Judged::Good), Some(user)) => of_people(&read.subject, known, user.id, true),
        _ => Status::Unverified,
    };
    Verified {
        key: Some(KeyUsed::Ssh(Box::new(key.clone()))),
        user: user.cloned(),
        ..bare(status)
    }
}

/// Of what was made here, where whoever committed it says who wrote it.
fn by_instance(subject: &Subject, known: &Known, is_good: bool) -> Status {
    let is_of_committer = |author: &String| known.is_one(author, &subject.committer);
    match (is_good, subject.author.as_ref().is_none_or(is_of_committer)) {
        (false, _) => Status::Unverified,
        (true, true) => Status::VerifiedSystem,
        (true, false) => Status::UnverifiedAuthorEmail,
    }
}

/// Signatures by SSH do not say when they were made, but commits do.
fn is_after_end(key: &SshKey, subject: &Subject) -> bool {
    key.expires_at.is_some_and(|end| subject.at >= end.as_second())
}

/// Of a good signature by a user, whose key names who committed or does not.
fn of_people(subject: &Subject, known: &Known, user: i64, is_named: bool) -> Status {
    let is_of_signer = |email: &String| known.is_of(user, email);
    match (is_of_signer(&subject.committer), is_named) {
        (false, _) => Status::OtherUser,
        (true, false) => Status::SameUserDifferentEmail,
        (true, true) if subject.author.as_ref().is_none_or(is_of_signer) => Status::Verified,
        (true, true) => Status::UnverifiedAuthorEmail,
    }
}
