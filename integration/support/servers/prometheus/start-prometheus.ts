import { chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inRunFolder, type RunPlace } from '../shared/in-run-folder.js';
import { serverUser } from '../shared/server-user.js';
import { startServerProcess } from '../shared/start-server-process.js';
import { untilAnswered } from '../shared/until-answered.js';
import { prometheusBinary } from './prometheus-binaries.js';
import type { Alert, PrometheusServer, Sample } from './prometheus-server.js';

export type { Alert, PrometheusServer, Sample } from './prometheus-server.js';

export interface PrometheusOptions {
  /** The text of `prometheus.yml`. Rule files are named in it as they are here. */
  readonly config: string;
  /** Texts of the rule files, by name. */
  readonly rules?: Readonly<Record<string, string>>;
  /** Told what is being done. */
  readonly log?: (line: string) => void;
}

/** A server that answers, on a free port, with a folder of its own; where there is none, an error says how to get it. */
export async function startPrometheus({ config, rules, log }: PrometheusOptions): Promise<PrometheusServer> {
  const program = await prometheusBinary('prometheus', log);
  const user = await serverUser(['prometheus']);
  return inRunFolder('floodgate-prometheus-', user, 'KILL', async (place) => {
    for (const [name, text] of Object.entries({ 'prometheus.yml': config, ...rules }))
      await writeOwned(place, name, text);
    const { process, port, version } = await startServerProcess<'crash'>((chosen) => ({
      ...place,
      name: 'Prometheus',
      program,
      args: [
        `--config.file=${join(place.folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(place.folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${chosen}`,
      ],
      answers: (givenUp) =>
        untilAnswered(() => versionAt(`http://127.0.0.1:${chosen}`), { deadlineMs: 30_000, givenUp }),
      portTaken: /address already in use/,
      stopSignals: { crash: 'SIGKILL' },
      crash: 'crash',
    }));
    const url = `http://127.0.0.1:${port}`;
    const close = () => process.remove();
    return {
      url,
      version,
      query: (expression) => query(url, expression),
      alerts: async () => (await ask<{ alerts: Alert[] }>(`${url}/api/v1/alerts`)).alerts,
      close,
      [Symbol.asyncDispose]: close,
    };
  });
}

async function writeOwned({ user, folder }: RunPlace, name: string, text: string): Promise<void> {
  const file = join(folder, name);
  await writeFile(file, text);
  const { uid, gid } = user.ids;
  if (uid !== undefined && gid !== undefined) await chown(file, uid, gid);
}

/** That it is ready is asked first: the API answers before its data is loaded. */
async function versionAt(url: string): Promise<string> {
  const ready = await fetch(`${url}/-/ready`);
  if (!ready.ok) throw new Error(`not ready: ${ready.status}`);
  return (await ask<{ version: string }>(`${url}/api/v1/status/buildinfo`)).version;
}

async function query(url: string, expression: string): Promise<readonly Sample[]> {
  const answer = await ask<{ result: { metric: Record<string, string>; value: [number, string] }[] }>(
    `${url}/api/v1/query?query=${encodeURIComponent(expression)}`,
  );
  return answer.result.map(({ metric, value: [, value] }) => ({ labels: metric, value: Number(value) }));
}

async function ask<Data>(url: string): Promise<Data> {
  const answer = await fetch(url);
  const body = (await answer.json()) as { status: string; data: Data; error?: string };
  if (body.status !== 'success') throw new Error(`Prometheus: ${body.error ?? answer.statusText}`);
  return body.data;
}
