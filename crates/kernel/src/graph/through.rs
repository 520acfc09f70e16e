//! Objects that are those of an interface by what they hold: somebody who reviews a change
//! is a user.

use super::fault::Fault;
use super::shape::{Answer, Node};
use super::table::{Field, Resolver, Work};
use std::any::{Any, TypeId};
use std::sync::Arc;

type Held = Arc<dyn Fn(&Node) -> Result<Node, Fault> + Send + Sync>;

/// How objects of a type become those behind an interface.
#[derive(Clone)]
pub(super) struct Through {
    /// What stands behind the interface.
    pub(super) rust: TypeId,
    of: Held,
}

impl Through {
    pub(super) fn of<U: Any + Send + Sync>(
        held: impl Fn(&Node) -> Result<Arc<U>, Fault> + Send + Sync + 'static,
    ) -> Through {
        let of = move |node: &Node| -> Result<Node, Fault> {
            let held: Node = held(node)?;
            Ok(held)
        };
        Through { rust: TypeId::of::<U>(), of: Arc::new(of) }
    }

    /// A field of the interface, answered by what an object holds.
    pub(super) fn field(&self, field: &Field) -> Field {
        let resolver = field.resolver.clone().map(|resolver| self.resolver(resolver));
        Field { resolver, ..field.clone() }
    }

    fn resolver(&self, resolver: Resolver) -> Resolver {
        let of = self.of.clone();
        match resolver {
            Resolver::Plain(answer) => {
                Resolver::Plain(Arc::new(move |node: &Node| answer(&of(node)?)))
            }
            Resolver::Level(answers) => {
                Resolver::Level(Arc::new(move |parents: Vec<Node>, args, context| {
                    let held: Result<Vec<Node>, Fault> =
                        parents.iter().map(|parent| of(parent)).collect();
                    let failed = |fault: Fault| -> Work {
                        let all: Vec<Result<Answer, Fault>> = vec![Err(fault); parents.len()];
                        Box::pin(async move { all })
                    };
                    match held {
                        Ok(held) => answers(held, args, context),
                        Err(fault) => failed(fault),
                    }
                }))
            }
        }
    }
}
