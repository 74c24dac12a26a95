import { runAs } from './run-as.js';
import { makeRunFolder } from './run-folder.js';
import type { ServerUser } from './server-user.js';
import { startWatchdog, type Watchdog } from './watchdog.js';

/** What a server of our own runs in: a fresh folder of its user's, watched over. */
export interface RunPlace {
  readonly user: ServerUser;
  readonly folder: string;
  /** Its note is the server's process, then its children if they were paused. */
  readonly watchdog: Watchdog;
}

/** A dead process counts as gone even if nobody buries it, as in a container whose first process is not an init. */
const cleanup = (signal: string) => `
alive() { kill -0 "$1" && ! grep -qs '^State:[[:space:]]*Z' "/proc/$1/status"; }
set -- "$1" $line
folder=$1; shift
if [ $# -gt 0 ]; then
  kill -CONT "$@"
  kill -${signal} "$1"
  tries=100
  while alive "$1" && [ $tries -gt 0 ]; do sleep 0.05; tries=$((tries - 1)); done
  alive "$1" && kill -KILL "$@"
fi
rm -rf "$folder"`;

/** A failure on the way leaves neither a folder nor a process behind; nor does a server whose process here is gone. */
export async function inRunFolder<Started>(
  prefix: string,
  user: ServerUser,
  endsBy: 'QUIT' | 'KILL',
  start: (place: RunPlace) => Promise<Started>,
): Promise<Started> {
  const folder = await makeRunFolder(prefix, user);
  const watchdog = await startWatchdog(cleanup(endsBy), folder);
  try {
    return await start({ user, folder, watchdog });
  } catch (error) {
    await watchdog.release();
    throw error;
  }
}

/** Runs what sets up the server's folder to its end. */
export async function setUp(place: RunPlace, program: string, args: readonly string[]): Promise<void> {
  const { user, folder, watchdog } = place;
  const onPid = (pid: number) => watchdog.note(`${pid}`);
  await runAs(user, program, args, { cwd: folder, deadlineMs: 120_000, onPid });
  watchdog.note('');
}
