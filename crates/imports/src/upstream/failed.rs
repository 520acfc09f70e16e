//! Why upstream gave no answer that can be used.

use super::Client;
use crate::run::Trouble;
use kernel::error::Error;
use kernel::outbound::Fault;
use kernel::time::Timestamp;
use std::fmt;

/// What went wrong with a call.
#[derive(Debug)]
pub enum Failed {
    /// Nothing may be sent there, or it is no address: why.
    Blocked(String),
    /// The list goes on at another server, or nowhere.
    Elsewhere,
    /// The list has more pages than are read.
    Endless,
    /// Somebody else answered.
    Redirected,
    /// Upstream refused; what it said, nothing secret in it, and short.
    Status {
        status: u16,
        body: String,
    },
    /// Upstream wants to be asked again then.
    Limited(Timestamp),
    /// It cannot be reached, or does not answer in time.
    Away(String),
    NotJson,
    /// JSON of another form.
    Shape(String),
    TooLarge,
    /// We failed ourselves.
    Internal(Error),
}

impl Failed {
    pub(super) fn no_address() -> Failed {
        Failed::Blocked("URI is invalid".into())
    }

    /// As upstream would refuse credentials that it cannot read.
    pub(super) fn unsendable() -> Failed {
        let body = "The credentials hold characters that cannot be sent.".into();
        Failed::Status { status: 401, body }
    }

    pub(super) fn of(fault: &Fault, client: &Client) -> Failed {
        match fault {
            Fault::Url | Fault::Blocked(_) | Fault::Denied | Fault::Redirect => {
                Failed::Blocked(fault.to_string())
            }
            Fault::TooLarge => Failed::TooLarge,
            Fault::Unknown(_) | Fault::Timeout | Fault::Connection(_) => {
                Failed::Away(client.clean(&fault.to_string()))
            }
        }
    }

    /// The status that upstream refused with.
    pub fn status(&self) -> Option<u16> {
        match self {
            Failed::Status { status, .. } => Some(*status),
            _ => None,
        }
    }

    /// Whether there is no such thing.
    pub fn is_absent(&self) -> bool {
        matches!(self.status(), Some(404 | 410))
    }

    /// Whether the same call may succeed later.
    pub fn may_pass(&self) -> bool {
        matches!(self, Failed::Away(_) | Failed::Status { status: 408 | 500.., .. })
    }

    /// Whether it is about the thing that was asked for, and others may be had still.
    pub fn is_of_one(&self) -> bool {
        match self {
            Failed::Status { status, .. } => {
                (400..500).contains(status) && !matches!(status, 401 | 408)
            }
            Failed::NotJson | Failed::Shape(_) | Failed::TooLarge => true,
            _ => false,
        }
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failed::Blocked(why) | Failed::Away(why) => f.write_str(why),
            Failed::Elsewhere => f.write_str("Invalid pagination URL"),
            Failed::Endless => f.write_str("Upstream has more pages of a list than are read."),
            Failed::Redirected => f.write_str("The server redirects to another one."),
            Failed::Status { status, body } => write!(f, "{body} (HTTP {status})"),
            Failed::Limited(until) => write!(f, "The server wants to be asked again at {until}."),
            Failed::NotJson => f.write_str("Response is not valid JSON"),
            Failed::Shape(why) => write!(f, "The response has another form than expected: {why}"),
            Failed::TooLarge => f.write_str("The response is too large"),
            Failed::Internal(_) => f.write_str("This server could not ask."),
        }
    }
}

impl From<Failed> for Trouble {
    fn from(failed: Failed) -> Trouble {
        match failed {
            Failed::Limited(until) => Trouble::Wait(until),
            passing if passing.may_pass() => Trouble::Away(passing.to_string()),
            Failed::Internal(error) => Trouble::Internal(error),
            refused => Trouble::Refused(refused.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(status: u16) -> Failed {
        Failed::Status { status, body: "no".into() }
    }

    #[test]
    fn what_may_pass_is_tried_again() {
        for passing in [status(500), status(503), status(408), Failed::Away("gone".into())] {
            assert!(matches!(Trouble::from(passing), Trouble::Away(_)));
        }
        for lasting in [status(401), status(404), Failed::NotJson, Failed::Elsewhere] {
            assert!(matches!(Trouble::from(lasting), Trouble::Refused(_)));
        }
    }

    #[test]
    fn some_refusals_are_of_one_thing() {
        assert!(status(403).is_of_one() && status(404).is_of_one() && Failed::NotJson.is_of_one());
        assert!(!status(401).is_of_one() && !status(500).is_of_one());
        assert!(status(404).is_absent() && status(410).is_absent() && !status(403).is_absent());
    }
}
