//! What jobs take from others, before types: `extends` and `!reference` (contract 3).

mod extends;
mod reference;

pub(crate) use extends::extend;
pub(crate) use reference::resolve;

use crate::limits::Limits;
use crate::message::{Message, Place};

/// What may still be copied; copies of copies grow fast.
pub(crate) struct Budget {
    left: usize,
}

impl Budget {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self { left: limits.expanded_bytes }
    }

    fn spend(&mut self, size: usize, at: Place) -> Result<(), Message> {
        match self.left.checked_sub(size) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(Message::at(at, "The parsed YAML is too big")),
        }
    }
}
