import { versionCommand } from '../../version.ts';

export const version = versionCommand('roundhouse');
