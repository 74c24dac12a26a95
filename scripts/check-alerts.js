// Checks what Prometheus is given, where promtool is. The integration tests do so everywhere.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const cwd = fileURLToPath(new URL('../docker/prometheus', import.meta.url));
const promtool = (...args) => execFileSync('promtool', args, { cwd, stdio: 'inherit' });

function isThere() {
  try {
    execFileSync('promtool', ['--version'], { stdio: 'ignore' });
    return true;
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

if (isThere()) {
  promtool('check', 'rules', 'floodgate.rules.yml');
  promtool('check', 'config', 'prometheus.yml');
  promtool('test', 'rules', 'floodgate.rules.test.yml');
} else {
  console.log(
    'docker/prometheus was not checked: there is no promtool (Debian, Ubuntu: apt-get install prometheus)',
  );
}
