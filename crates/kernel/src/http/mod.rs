//! HTTP conventions.
