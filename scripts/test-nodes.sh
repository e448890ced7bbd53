#!/usr/bin/env bash
# scripts/test-nodes.sh: the fast tests on every supported line of Node that is not the running one, side by side. Takes
# them as packages from the npm registry into a cache; leaves out, with a line that says so, one that cannot be had.
set -uo pipefail
cd "$(dirname "$0")/.."
cache=${XDG_CACHE_HOME:-$HOME/.cache}/hopbook-tools
package=node-$(node -p '`${process.platform}-${process.arch}`')
current=$(node -p 'process.versions.node.split(".")[0]')
work=$(mktemp -d)
declare -A running
# The runner ends what it started itself.
trap '[ ${#running[@]} -eq 0 ] || kill "${running[@]}" 2>/dev/null; wait; rm -rf "$work"' EXIT
trap 'exit 143' TERM INT

for line in 20 22 24; do
  [ "$line" = "$current" ] && continue
  node=$cache/node-$line/node_modules/$package/bin/node
  if ! "$node" --version >/dev/null 2>&1; then
    # Another run may take it from the cache at any moment: it comes there whole.
    mkdir -p "$work/node-$line" "$cache"
    timeout 180 npm install --prefix "$work/node-$line" --ignore-scripts --no-audit --no-fund \
      "$package@$line" >"$work/said" 2>&1 &&
      rm -rf "$cache/node-$line" && mv "$work/node-$line" "$cache/node-$line" 2>/dev/null
  fi
  if ! "$node" --version >"$work/version" 2>/dev/null; then
    echo "Node $line left out: its package could not be installed: $(grep -m1 . "$work/said")"
    continue
  fi
  "$node" scripts/test.js --fast --jobs 1 --process-minutes 60 >"$work/$line" 2>&1 &
  running[$line]=$!
done

failed=0
for line in "${!running[@]}"; do
  if wait "${running[$line]}"; then
    echo "Node $line: $(tail -n 1 "$work/$line")"
  else
    cat "$work/$line"
    echo "the fast tests fail on Node $line"
    failed=1
  fi
done
exit "$failed"
