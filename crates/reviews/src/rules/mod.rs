//! What is decided and changed, over a transaction: merge requests are made in [`create`]
//! and changed in [`edit`]; [`change`] tells of it. Their versions are in [`versions`],
//! what pushes do to them in [`pushed`] and [`push_options`], and their pipelines in
//! [`pipelines`].

pub mod auto_merge;
pub mod blocks;
pub mod change;
pub mod checks;
pub mod closing;
pub mod collaboration;
pub mod commands;
pub mod create;
pub mod default_words;
pub mod defaults;
pub mod edit;
pub mod failing;
pub mod from_issue;
pub mod input;
pub mod landed;
pub mod merge;
pub mod merge_words;
pub mod merged;
pub mod news;
pub mod people;
pub mod pipelines;
pub mod places;
pub mod proposal;
pub mod push_options;
pub mod pushed;
pub mod rebasing;
pub mod rechecks;
pub mod refs;
pub mod remarks;
pub mod remove;
pub mod resolve;
pub mod review;
pub mod reviewers;
pub mod scene;
pub mod settings;
pub mod sides;
pub mod source_branch;
pub mod time;
pub mod versions;

pub use review::{approvals_changed, publish_drafts};

use crate::merging::rebase::HEAD_KEY;
use crate::model::MergeRequest;
use serde_json::{Map, Value};
use store::Json;

/// It is not merged by itself any more. That a rebase is under way is still known.
pub fn stopped(request: &mut MergeRequest) {
    if request.auto_merge {
        request.auto_merge = false;
        request.merge_user_id = None;
        let mut left = Map::new();
        if let Some(head) = request.merge_params.0.get(HEAD_KEY) {
            left.insert(HEAD_KEY.to_owned(), head.clone());
        }
        request.merge_params = Json(Value::Object(left));
    }
}
