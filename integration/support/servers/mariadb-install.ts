import { execFile } from 'node:child_process';
import { access, readFile, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Asked by Debian's packages before they start a service; an exit code of 101 says no. */
const policy = '/usr/sbin/policy-rc.d';
const refusal = '#!/bin/sh\nexit 101\n';

/**
 * Installs Debian's or Ubuntu's `mariadb-server` for its binaries: the package's own service is not started, and its
 * databases are not used. Only where this process is root, so that nobody is asked for a password.
 */
export async function installMariadb(log: ((line: string) => void) | undefined): Promise<void> {
  if (process.getuid?.() !== 0) throw new Error('not root, so mariadb-server was not installed');
  const system = await readFile('/etc/os-release', 'utf8').catch(() => '');
  if (!/^(ID|ID_LIKE)=.*\b(debian|ubuntu)\b/m.test(system)) {
    throw new Error('this is neither Debian nor Ubuntu, so mariadb-server was not installed');
  }
  log?.('local: no mariadbd here; installing mariadb-server with apt-get (its service stays off)');
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

const install = () => aptGet('install', '--yes', '--no-install-recommends', 'mariadb-server');

async function aptGet(...args: string[]): Promise<void> {
  // Another test run may be at it, too.
  await promisify(execFile)('apt-get', ['-o', 'DPkg::Lock::Timeout=300', '-qq', ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    timeout: 600_000,
    maxBuffer: 2 ** 24,
  });
}
