//! What rules and jobs of a pipeline are told of its merge request (contract 8.4). Pure.

use crate::model::{MergeRequest, SquashOption, Version};
use repositories::formats::object_id::ObjectId;
use spaces::model::Project;

/// Letters of the description that jobs are told.
const MOST: usize = 2_700;

/// What is beside a merge request, as it was read.
#[derive(Debug, Clone, Default)]
pub struct About {
    /// Titles.
    pub labels: Vec<String>,
    /// Names of users.
    pub assignees: Vec<String>,
    pub milestone: Option<String>,
    pub is_approved: bool,
    pub is_source_protected: bool,
    pub is_target_protected: bool,
}

/// All that is told.
pub struct Facts<'f> {
    pub request: &'f MergeRequest,
    pub version: &'f Version,
    pub source: &'f Project,
    pub target: &'f Project,
    pub about: &'f About,
    /// Where the target was, if the branches were merged for it.
    pub merged_into: Option<ObjectId>,
    /// The instance's address.
    pub base_url: &'f str,
}

impl Facts<'_> {
    /// Names and values.
    pub fn variables(&self) -> Vec<(String, String)> {
        let mut all = Vec::new();
        let mut add = |name: &str, value: String| {
            all.push((format!("CI_MERGE_REQUEST_{name}"), value));
        };
        self.texts(&mut add);
        self.people(&mut add);
        self.branches(&mut add);
        for (side, project) in [("SOURCE_PROJECT", self.source), ("PROJECT", self.target)] {
            add(&format!("{side}_ID"), project.id.to_string());
            add(&format!("{side}_PATH"), project.full_path.clone());
            add(&format!("{side}_URL"), project.web_url(self.base_url));
        }
        all
    }

    fn texts(&self, add: &mut impl FnMut(&str, String)) {
        let (request, target) = (self.request, self.target);
        let (description, is_cut) = cut(request.text());
        add("ID", request.id.to_string());
        add("IID", request.iid.to_string());
        add("TITLE", request.title.clone());
        add("DESCRIPTION", description);
        add("DESCRIPTION_IS_TRUNCATED", is_cut.to_string());
        add("DRAFT", request.draft.to_string());
        add("REF_PATH", format!("refs/merge-requests/{}/head", request.iid));
        let squashes = SquashOption::of(&target.squash_option).decides(request.squash);
        add("SQUASH_ON_MERGE", squashes.to_string());
    }

    /// What there is none of is not told.
    fn people(&self, add: &mut impl FnMut(&str, String)) {
        for (name, all) in [("LABELS", &self.about.labels), ("ASSIGNEES", &self.about.assignees)] {
            if !all.is_empty() {
                add(name, all.join(","));
            }
        }
        if let Some(title) = &self.about.milestone {
            add("MILESTONE", title.clone());
        }
        if self.about.is_approved {
            add("APPROVED", "true".to_owned());
        }
    }

    fn branches(&self, add: &mut impl FnMut(&str, String)) {
        let (request, version) = (self.request, self.version);
        let text = |id: Option<ObjectId>| id.map(|id| id.to_string()).unwrap_or_default();
        let kind = if self.merged_into.is_some() {
            "merged_result"
        } else {
            "detached"
        };
        add("EVENT_TYPE", kind.to_owned());
        add("DIFF_ID", version.id.to_string());
        add("DIFF_BASE_SHA", version.base_id.to_string());
        add("SOURCE_BRANCH_NAME", request.source_branch.clone());
        add("SOURCE_BRANCH_PROTECTED", self.about.is_source_protected.to_string());
        add("SOURCE_BRANCH_SHA", text(self.merged_into.map(|_| version.head_id)));
        add("TARGET_BRANCH_NAME", request.target_branch.clone());
        add("TARGET_BRANCH_PROTECTED", self.about.is_target_protected.to_string());
        add("TARGET_BRANCH_SHA", text(self.merged_into));
    }
}

/// The beginning of a description, and whether that is not all of it.
fn cut(text: &str) -> (String, bool) {
    match text.char_indices().nth(MOST) {
        Some((end, _)) => (text.get(..end).unwrap_or_default().to_owned(), true),
        None => (text.to_owned(), false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_descriptions_are_cut_between_letters() {
        assert_eq!(cut(""), (String::new(), false));
        assert_eq!(cut(&"ä".repeat(MOST)), ("ä".repeat(MOST), false));
        assert_eq!(cut(&"ä".repeat(MOST + 1)), ("ä".repeat(MOST), true));
    }
}
