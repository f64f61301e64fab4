#!/usr/bin/env node
import './node-20.ts';
import { ROUNDHOUSE } from './apps/commands/table.ts';
import { start } from './start.ts';

await start(ROUNDHOUSE);
