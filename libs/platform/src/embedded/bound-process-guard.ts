/**
 * POSIX shell: `sh -c guard NAME SIGNAL GRACE_SECONDS FOLDER COMMAND...`. It runs the command and watches its own
 * standard input, the read end of a pipe whose only write end is held by the parent: end of file means that the parent
 * let go or died, even by SIGKILL. Then the command gets the signal, after the grace SIGKILL, and the folder is removed.
 * A shell and not a second Node: it starts at once and weighs under a megabyte. `sleep` and `rm` are where every system has
 * them, whatever the PATH says.
 */
export const boundProcessGuard = `
signal=$1 grace=$2 folder=$3
shift 3
exec 3<&0
"$@" 3<&- </dev/null &
child=$!
trap 'kill -$signal $child 2>/dev/null' HUP INT TERM
{
  while read -r _ <&3; do :; done
  kill -$signal $child
  waited=0
  while [ $waited -lt $grace ] && kill -0 $child; do /bin/sleep 1; waited=$((waited + 1)); done
  kill -KILL $child
} </dev/null >/dev/null 2>&1 &
watcher=$!
wait $child
code=$?
while kill -0 $child 2>/dev/null; do wait $child; code=$?; done
kill -KILL $watcher 2>/dev/null
[ -n "$folder" ] && /bin/rm -rf "$folder"
exit $code
`;
