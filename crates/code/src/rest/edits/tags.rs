//! Tags come and go.

use super::{delete, writable};
use crate::access::CodeRequest;
use crate::entity::TagEntity;
use crate::rest::tags::{self, OneTag};
use kernel::error::Result;
use kernel::http::{Created, NoContent, Params, RequestContext, Routes};
use repositories::edits::{self, NewTag};
use repositories::formats::ref_name::RefName;
use std::sync::Arc;

pub fn routes(r: &mut Routes) {
    r.post("/tags", create).summary("Makes a tag");
    r.delete("/tags/{tag_name}", destroy).summary("Deletes a tag");
}

kernel::params! {
    /// A tag to be.
    pub struct CreateTag {
        /// Its name.
        pub tag_name: String,
        /// The branch, tag or commit it marks.
        pub r#ref as "ref": String,
        /// What an annotated tag says; others say nothing.
        pub message: Option<String>,
    }
}

async fn create(at: CodeRequest, params: Params<CreateTag>) -> Result<Created<TagEntity>> {
    let code = writable(&at).await?;
    let tag = NewTag {
        name: params.tag_name.clone(),
        target: params.r#ref.clone(),
        message: params.message.clone(),
    };
    edits::create_tag(&at.app, &at.viewer, &code.project, &tag).await??;
    tags::one(&at, &tag.name).await.map(Created)
}

async fn destroy(
    at: CodeRequest, request: Arc<RequestContext>, params: Params<OneTag>,
) -> Result<NoContent> {
    delete(&at, &request, RefName::tag(&params.tag_name).ok(), "Tag").await
}
