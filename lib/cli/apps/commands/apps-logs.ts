import { defineCommand } from '../../command.ts';
import { EXIT } from '../../exit-code.ts';
import { printJson } from '../../output/json.ts';
import { ACCESS_FLAGS, ACCESS_ONE_OF } from '../../remote/access.ts';
import { openApps } from '../access.ts';
import { APP_ARGUMENT, RESULT_FLAG } from '../common.ts';
import { followLogs, logLine, parseSince, readLogs } from '../logs.ts';
import type { LogEntry } from '../shapes.ts';

export const appsLogs = defineCommand({
  name: 'apps logs',
  group: 'Apps',
  summary: 'print what an app wrote, oldest first',
  description: 'Times are UTC. A line comes some seconds after it was written.',
  args: { name: APP_ARGUMENT },
  flags: {
    since: { value: 'TIME', default: '1h', summary: 'how far back, such as 15m, or a time of RFC 3339' },
    follow: { short: 'f', summary: 'go on until it is broken off' },
    grep: { value: 'TEXT', summary: 'only lines with this text, as it is written' },
    output: RESULT_FLAG,
    ...ACCESS_FLAGS,
  },
  oneOf: [...ACCESS_ONE_OF],
  examples: [
    { what: 'What is going on', command: 'apps logs json-api --since 5m --follow' },
    { what: 'One request', command: 'apps logs json-api --since 2026-01-31T12:00:00Z --grep 4bf92f35' },
  ],
  async run({ flags, args: { name } }, io) {
    const request = { from: parseSince(flags.since, io.now()), contains: flags.grep };
    const apps = await openApps(flags, io);
    // With --follow a JSON object a line: an array would never end.
    const each = (entry: LogEntry) => io.out(flags.output === 'json' ? `${JSON.stringify(entry)}\n` : logLine(entry));
    if (flags.follow) return await followLogs(apps, name, request, each, io);
    const entries: LogEntry[] = [];
    await readLogs(apps, name, request, (entry) => void entries.push(entry));
    if (flags.output === 'json') printJson(io, { entries });
    else for (const entry of entries) each(entry);
    return EXIT.ok;
  },
});
