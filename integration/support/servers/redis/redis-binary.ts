import { installedBinary } from '../shared/installed-binary.js';

/** A `redis-server` of this machine that runs; installed first where that is possible. Its own data is not touched. */
export function redisBinary(log?: (line: string) => void): Promise<string> {
  return installedBinary(['redis-server', 'valkey-server'], 'redis-server', log);
}
