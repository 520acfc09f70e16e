#!/bin/sh
# clippy as the compiler of the workspace. Writes down what each crate took in
# the file that TENON_COSTS names, as `times` tells it.
clippy-driver "$@"
status=$?
if [ -n "$TENON_COSTS" ] && [ -n "$CARGO_CRATE_NAME" ]; then
    times | sed -n "2s/^/$CARGO_CRATE_NAME /p" >>"$TENON_COSTS"
fi
exit $status
