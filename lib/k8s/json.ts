/** Exact JSON. It lives in the engine, which reads JSON from annotations and may import nothing from here. */
export { JsonError, parseJson, stringifyJson } from '../engine/values/exact-json.ts';
