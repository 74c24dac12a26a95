// Builds the package (src -> dist), then the tools that use it by name (bench, demo, server module -> build).
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const tsc = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));

for (const [project, out] of [
  ['tsconfig.build.json', 'dist'],
  ['tsconfig.tools.json', 'build'],
]) {
  if (!existsSync(`${root}/${project}`)) continue;
  // A file that was renamed must not live on in the package.
  rmSync(`${root}/${out}`, { recursive: true, force: true });
  execFileSync(process.execPath, [tsc, '-p', project], { cwd: root, stdio: 'inherit' });
}
