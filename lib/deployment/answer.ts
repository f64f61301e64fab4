import { getOwn, isObject, type Json } from '../engine/json.ts';
import { JsonError, parseJson } from '../k8s/json.ts';

/** An HTTP answer, as far as it is judged. */
export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Longest text of an answer that is told on: reasons go to logs, and whole bodies do not. */
const MAX_QUOTED = 300;

/** A body as JSON with exact integers; undefined when it is none. */
export function readJson(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

export function fieldOf(value: Json | undefined, key: string): Json | undefined {
  return isObject(value) ? getOwn(value, key) : undefined;
}

/** `": <text>"`, cut, for the end of a sentence; nothing for what is no text. */
export function quote(text: Json | undefined): string {
  return typeof text === 'string' && text !== '' ? `: ${text.slice(0, MAX_QUOTED)}` : '';
}

/** What is wrong with a status that is not 200, with what a Kubernetes `Status` or a problem says about it. */
export function checkStatus(status: number, json: Json | undefined): string | undefined {
  if (status === 200) return undefined;
  return `the answer is HTTP ${status}, expected 200${quote(fieldOf(json, 'message') ?? fieldOf(json, 'detail'))}`;
}
