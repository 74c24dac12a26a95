import { readFileSync } from 'node:fs';

export interface Example {
  /** The heading it stands under. */
  readonly heading: string;
  readonly code: string;
}

/** The TypeScript examples of the README, in order. */
export function readmeExamples(): readonly Example[] {
  const examples: Example[] = [];
  let heading = '';
  let code: string[] | undefined;
  for (const line of readFileSync(new URL('../../README.md', import.meta.url), 'utf8').split('\n')) {
    if (code !== undefined) {
      if (line === '```') {
        examples.push({ heading, code: code.join('\n') });
        code = undefined;
      } else code.push(line);
    } else if (line.startsWith('```ts')) code = [];
    else if (line.startsWith('#')) heading = line.replace(/^#+ /, '');
  }
  return examples;
}
