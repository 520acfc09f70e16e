//! The project or group that the path of a request names, for handlers that serve both.

use crate::model::SourceKind;
use kernel::error::Result;
use kernel::http::openapi::Operation;
use kernel::http::params::FromParams;
use kernel::http::{Call, FromCall, Params};
use kernel::ids::Reference;

kernel::params! {
    /// A project or group.
    struct OneSpace {
        /// Id or path of the project or group.
        pub id: Reference,
    }
}

/// A project or group as a request names it.
#[derive(Debug, Clone)]
pub struct SpaceRef {
    pub kind: SourceKind,
    pub reference: Reference,
}

impl SpaceRef {
    pub fn named(&self) -> (SourceKind, &Reference) {
        (self.kind, &self.reference)
    }
}

impl FromCall for SpaceRef {
    async fn from_call(call: &mut Call) -> Result<SpaceRef> {
        let Params(one) = Params::<OneSpace>::from_call(call).await?;
        let kind = match call.route.path.starts_with("/api/v4/groups/") {
            true => SourceKind::Group,
            false => SourceKind::Project,
        };
        Ok(SpaceRef { kind, reference: one.id })
    }

    fn describe(operation: &mut Operation<'_>) {
        operation.parameters(OneSpace::fields());
    }
}
