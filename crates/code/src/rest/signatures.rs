//! Who signed a commit or a tag.

use super::SCOPES;
use super::commits::{OneCommit, named};
use super::tags::{OneTag, found};
use crate::access::CodeRequest;
use kernel::error::{Found, Result};
use kernel::http::{Ok200, Params, Routes};
use signatures::checking;
use signatures::entity::SignatureEntity;

pub(super) fn routes(r: &mut Routes) {
    r.get("/commits/{sha}/signature", of_commit)
        .scopes(SCOPES)
        .summary("Shows who signed a commit");
    r.get("/tags/{tag_name}/signature", of_tag)
        .scopes(SCOPES)
        .summary("Shows who signed a tag");
}

async fn of_commit(at: CodeRequest, one: Params<OneCommit>) -> Result<Ok200<SignatureEntity>> {
    let (code, commit) = named(&at, &one.sha).await?;
    let mut signed = checking::of_commits(&at.app, code.repository()?, &[commit]).await?;
    let signature = signed.pop().flatten().found("Signature")?;
    Ok(Ok200(SignatureEntity::of_commit(&at.app, &signature)))
}

async fn of_tag(at: CodeRequest, one: Params<OneTag>) -> Result<Ok200<SignatureEntity>> {
    let (code, tag) = found(&at, &one.tag_name).await?;
    let annotated = tag.annotated.found("Signature")?;
    let mut signed = checking::of_tags(&at.app, code.repository()?, &[&annotated]).await?;
    let signature = signed.pop().flatten().found("Signature")?;
    Ok(Ok200(SignatureEntity::of_tag(&at.app, &signature)))
}
