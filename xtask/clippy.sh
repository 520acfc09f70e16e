#!/bin/sh
# clippy as the compiler of the workspace. Writes down what each crate took in
# the file that TENON_COSTS names, as `times` tells it.
clippy-driver "$@"
status=$?
if [ -n "$TENON_COSTS" ] && [ -n "$CARGO_CRATE_NAME" ]; then
    # Not in a pipe: a shell of its own would have had no children.
    times >"$TENON_COSTS.$$"
    sed -n "2s/^/$CARGO_CRATE_NAME /p" "$TENON_COSTS.$$" >>"$TENON_COSTS"
    rm -f "$TENON_COSTS.$$"
fi
exit $status
