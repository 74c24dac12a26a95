import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  /** `R`, `S`, `T` (stopped), `Z` (dead, not yet buried)... */
  readonly state: string;
}

/**
 * Stops a process and all its children, and returns their ids only when every one of them stands still: the
 * parent first, so that it cannot have more children meanwhile.
 */
export async function freezeTree(root: number): Promise<number[]> {
  const deadline = Date.now() + 5_000;
  for (;;) {
    const family = await familyOf(root);
    if (family.length === 0) throw new Error(`process ${root} is gone`);
    const moving = family.filter((row) => !row.state.startsWith('T'));
    if (moving.length === 0) return family.map((row) => row.pid);
    if (Date.now() > deadline) throw new Error(`processes do not stop: ${moving.map((row) => row.pid)}`);
    for (const row of moving) signal(row.pid, 'SIGSTOP');
    await sleep(2);
  }
}

export async function thawTree(root: number): Promise<void> {
  for (const row of (await familyOf(root)).reverse()) signal(row.pid, 'SIGCONT');
}

async function familyOf(root: number): Promise<ProcessRow[]> {
  const rows = (await listProcesses()).filter((row) => !row.state.startsWith('Z'));
  return [...rows.filter((row) => row.pid === root), ...rows.filter((row) => row.parent === root)];
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // It ended between the list and the signal.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** `ps` is missing in small container images, `/proc` is missing on macOS. */
async function listProcesses(): Promise<ProcessRow[]> {
  const entries = await readdir('/proc').catch(() => []);
  const pids = entries.filter((entry) => /^\d+$/.test(entry));
  if (pids.length === 0) return listByPs();
  const rows = await Promise.all(pids.map((pid) => readStat(pid)));
  return rows.filter((row) => row !== undefined);
}

async function readStat(pid: string): Promise<ProcessRow | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '');
  // "pid (name) state parent ...", and the name may itself hold spaces and brackets.
  const [state, parent] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return state && parent ? { pid: Number(pid), parent: Number(parent), state } : undefined;
}

async function listByPs(): Promise<ProcessRow[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,state=']);
  return stdout
    .trim()
    .split('\n')
    .map((line) => {
      const [pid, parent, state = ''] = line.trim().split(/\s+/);
      return { pid: Number(pid), parent: Number(parent), state };
    });
}
