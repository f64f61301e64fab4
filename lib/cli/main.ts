#!/usr/bin/env node
import './node-20.ts';
import { basename } from 'node:path';
import { CONVCTL } from './commands/table.ts';
import { start } from './start.ts';

const isPlugin = basename(process.argv[1] ?? '').startsWith('kubectl-conv');
await start(CONVCTL, isPlugin ? 'kubectl conv' : undefined);
