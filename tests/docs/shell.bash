# What a reader's shell has, for the commands of a guide: `drover`, `npm`, `curl`. See guide-shell.ts.
set -eEuo pipefail
trap 'echo "failed: $PLACE" >&2' ERR
trap 'jobs -p | xargs -r kill 2>/dev/null || true' EXIT

# The command line, run inside the test process: starting it anew for each command would take a second each.
_cli() {
  { env -0; printf '\0'; printf '%s\0' "$PWD" "$@"; } |
    command curl -sS --data-binary @- --dump-header .cli-headers "$CLI_BRIDGE"
  cat .cli-errors >&2
  return "$(sed -n 's/^exit-code: \([0-9]*\).*/\1/ip' .cli-headers)"
}

# `start` would not end; it reads its settings like `config`, which names each that is wrong.
_drover() {
  if [ "${1-}" = start ]; then
    _cli config
  else
    _cli "$@"
  fi
}

drover() { _drover "$@"; }

npm() {
  case "$*" in
    'run drover -- '*) _drover "${@:4}" ;;
    'run --silent drover -- '*) _drover "${@:5}" ;;
    *) echo "no test knows npm $*" >&2; return 1 ;;
  esac
}

# With the API key, and with the status that the guide names. A stream ends with its first line.
curl() {
  if [[ " $* " == *' -N '* ]]; then
    local line
    exec 3< <(command curl -sS --fail -H "authorization: Bearer $DROVER_API_KEY" "$@")
    read -r line <&3
    kill $!
    exec 3<&-
    echo "$line"
    return
  fi
  command curl -sS -H "authorization: Bearer $DROVER_API_KEY" --dump-header .headers --output .body "$@"
  cat .body
  local status
  status=$(sed -n '1s/^[^ ]* \([0-9]*\).*/\1/p' .headers)
  if [[ $status != ${EXPECTED:-2??} ]]; then
    echo "answered $status instead of ${EXPECTED:-2xx}" >&2
    return 1
  fi
  # A wait that was not met, or an item of a batch that was refused, is not what a guide shows.
  ! grep -i '^drover-wait:' .headers | grep -qv reached && ! grep -q '"results":.*"problem":{' .body
}
