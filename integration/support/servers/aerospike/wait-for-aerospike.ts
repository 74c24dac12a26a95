import { connect } from 'node:net';
import { type UntilAnswered, untilAnswered } from '../shared/until-answered.js';

/** Asks for `build` over the info protocol, without the client: its connect() would hold up this process. */
export function waitForAerospike(hosts: string, options: UntilAnswered): Promise<string> {
  const [host = '', port = '3000'] = (hosts.split(',')[0] ?? '').trim().split(':');
  return untilAnswered(async () => {
    const version = await askBuild(host, Number(port));
    if (version !== '') return version;
    throw new Error(`${hosts} is still starting`);
  }, options);
}

function askBuild(host: string, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host);
    const request = Buffer.from('build\nnamespaces\n');
    const head = Buffer.alloc(8);
    head[0] = 2;
    head[1] = 1;
    head.writeUIntBE(request.length, 2, 6);
    socket.setTimeout(2_000, () => socket.destroy(new Error('silence')));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed')));
    socket.once('connect', () => socket.write(Buffer.concat([head, request])));
    socket.once('data', (answer) => {
      const lines = answer.toString('utf8', 8).split('\n');
      resolve(lines.find((line) => line.startsWith('build\t'))?.slice(6) ?? '');
      socket.destroy();
    });
  });
}
