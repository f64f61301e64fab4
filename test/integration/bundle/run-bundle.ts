import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Loads a bundle as Lambda does, calls its handler once for each event of the input, prints each result. */
const RUNNER = `
  const { handler } = await import(process.argv[1]);
  for (const event of JSON.parse(process.argv[2])) {
    const result = await handler(event, { getRemainingTimeInMillis: () => 30_000 });
    process.stdout.write('RESULT ' + JSON.stringify(result ?? null) + '\\n');
  }
`;

/** Runs the bundle with this entry in a fresh process, in its folder and with nothing but what Lambda would give it. */
export async function runBundle(entry: string, events: readonly object[], environment: Record<string, string>) {
  const url = pathToFileURL(entry).href;
  const child = spawn(process.execPath, ['--input-type=module', '-e', RUNNER, url, JSON.stringify(events)], {
    cwd: dirname(entry),
    env: {
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'embedded',
      AWS_SECRET_ACCESS_KEY: 'embedded',
      ...environment,
    },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  const lines = stdout.split('\n').filter((line) => line !== '');
  const results = lines.filter((line) => line.startsWith('RESULT ')).map((line) => JSON.parse(line.slice(7)));
  // Powertools writes errors and warnings to stderr, as `console` does.
  const logs = [...lines, ...stderr.split('\n')]
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, any>);
  return { code, results, logs, stdout, stderr };
}
