import { execFile } from 'node:child_process';
import { access, readFile, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Asked by Debian's packages before they start a service; an exit code of 101 says no. */
const policy = '/usr/sbin/policy-rc.d';
const refusal = '#!/bin/sh\nexit 101\n';

const installing = new Map<string, Promise<void>>();

/**
 * Installs a package of Debian's or Ubuntu's for its binaries: its own service is not started, and its databases are
 * not used. Only where this process is root, so that nobody is asked for a password; once a process.
 *
 * @param missing the program that was looked for
 */
export function installPackage(
  name: string,
  missing: string,
  log: ((line: string) => void) | undefined,
): Promise<void> {
  const running = installing.get(name) ?? installOnce(name, missing, log);
  installing.set(name, running);
  return running;
}

async function installOnce(name: string, missing: string, log: ((line: string) => void) | undefined) {
  if (process.getuid?.() !== 0) throw new Error(`not root, so ${name} was not installed`);
  const system = await readFile('/etc/os-release', 'utf8').catch(() => '');
  if (!/^(ID|ID_LIKE)=.*\b(debian|ubuntu)\b/m.test(system)) {
    throw new Error(`this is neither Debian nor Ubuntu, so ${name} was not installed`);
  }
  log?.(`local: no ${missing} here; installing ${name} with apt-get (its service stays off)`);
  const install = () => aptGet('install', '--yes', '--no-install-recommends', name);
  const ours = await access(policy).then(
    () => false,
    () => writeFile(policy, refusal, { mode: 0o755 }).then(() => true),
  );
  try {
    await install().catch(async () => {
      // The lists of packages may be missing, as in an image, or old.
      await aptGet('update');
      await install();
    });
  } finally {
    if (ours) await rm(policy, { force: true });
  }
}

async function aptGet(...args: string[]): Promise<void> {
  // Another test run may be at it, too.
  await promisify(execFile)('apt-get', ['-o', 'DPkg::Lock::Timeout=300', '-qq', ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    timeout: 600_000,
    maxBuffer: 2 ** 24,
  });
}
