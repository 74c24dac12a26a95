import { installedBinary } from '../shared/installed-binary.js';

const advice = `Either of these gives one:
  - install Prometheus 2.31 or newer on this machine (Debian, Ubuntu: prometheus; Homebrew: prometheus)
  - run as root on Debian or Ubuntu: then it is installed for you`;

/** `prometheus` or `promtool` of this machine; installed first where that is possible. Its own service stays off. */
export async function prometheusBinary(
  name: 'prometheus' | 'promtool',
  log?: (line: string) => void,
): Promise<string> {
  try {
    return await installedBinary([name], 'prometheus', log);
  } catch (error) {
    throw new Error(`No ${name} to be had: ${(error as Error).message}\n${advice}`, { cause: error });
  }
}
