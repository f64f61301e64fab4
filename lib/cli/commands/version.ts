import { strategies } from '../../engine/strategies/index.ts';
import { versionCommand } from '../version.ts';

export const version = versionCommand('convctl', { strategies: strategies.length });
