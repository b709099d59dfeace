# What attacks in shell share, as attack.h for those in C.
#
#     . "$(dirname "$0")/attack.sh"
#     try bashrc plant "$HOME/.bashrc"
#
# `try NAME COMMAND…` runs the command in a shell of its own and prints `NAME GOT detail` or `NAME REFUSED ERRNO`; the error
# is told from the message of the command that failed.
LC_ALL=C
export LC_ALL
umask 022

try() {
  attempted=$1
  shift
  if said=$( ("$@") 2>&1 </dev/null); then
    printf '%s GOT %s\n' "$attempted" "$(printf '%.60s' "${said:--}" | tr -c '!-~' '_')"
    return 0
  fi
  case $said in
    *"Permission denied"* | *"cannot create"*"Permission"*) reason=EACCES ;;
    *"Operation not permitted"*) reason=EPERM ;;
    *"Read-only file system"*) reason=EROFS ;;
    *"Invalid cross-device link"*) reason=EXDEV ;;
    *"Function not implemented"*) reason=ENOSYS ;;
    *"Connection refused"*) reason=ECONNREFUSED ;;
    *"No such file or directory"*) reason=ENOENT ;;
    *"No such process"*) reason=ESRCH ;;
    *) reason="UNKNOWN $(printf '%.200s' "$said" | tr '\n' ' ')" ;;
  esac
  printf '%s REFUSED %s\n' "$attempted" "$reason"
}

skip() { printf '%s SKIPPED %s\n' "$1" "$2"; }

# Makes or overwrites a file.
plant() { printf 'planted\n' >"$1"; }

# Prints a file that holds the secret; fails without a message that `try` knows if it holds something else.
steal() {
  content=$(cat -- "$1") || return 1
  case $content in
    *SECRET"-"*) printf '%s' "$content" ;;
    *) echo "no secret in it" >&2; return 1 ;;
  esac
}
