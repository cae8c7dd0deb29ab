# A server over stdio that costs next to nothing: one tool, and ids copied from the requests. With `stubborn` as its first
# argument it stays when its input ends, and ignores requests to end.
[ "$1" = stubborn ] && trap '' TERM HUP
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$1" "$2"; }
while IFS= read -r line; do
  case $line in *'"id":'*) ;; *) continue ;; esac
  id=${line#*'"id":'}
  id=${id%%[,\}]*}
  case $line in
    *'"initialize"'*) answer "$id" '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"tiny","version":"1"}}' ;;
    *'"tools/list"'*) answer "$id" '{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}' ;;
    *'"tools/call"'*) answer "$id" '{"content":[{"type":"text","text":"fine"}]}' ;;
    *) answer "$id" '{}' ;;
  esac
done
[ "$1" = stubborn ] && while :; do sleep 1; done
