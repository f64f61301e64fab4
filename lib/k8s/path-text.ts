/** Paths into documents, as messages show them; the engine's JSON reader names numbers by them too. */
export { type DocumentPath, pathText } from '../engine/values/path-text.ts';
