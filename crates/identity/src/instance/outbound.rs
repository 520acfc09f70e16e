//! The part of `/application/settings` about where the server itself may call.

use kernel::outbound::Policy;

crate::settings_part! {
    Policy {
        /// Whether the server may call its own network.
        allow_local_requests_from_web_hooks_and_services: bool => allow_local,
        /// Names, addresses and networks the server may always call.
        outbound_local_requests_allowlist: Vec<String> => allowed_hosts,
        /// Whether the server may call nothing else.
        deny_all_requests_except_allowed: bool => only_allowed,
    } sealed {}
}
