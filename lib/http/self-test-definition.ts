import type { ConversionSource } from '../engine/analyse.ts';
import type { JsonObject } from '../engine/json.ts';

/** Where `convert` takes the recorded review. No target is called so: the name of a CRD holds a dot. */
export const SELF_TEST_PATH = '/convert/self-test';
/** Name of a CRD that no cluster has. */
export const SELF_TEST_TARGET = 'turntables.self-test.example.org';
export const SELF_TEST_GROUP = 'self-test.example.org';

const text: JsonObject = { type: 'string' };
const int64: JsonObject = { type: 'integer', format: 'int64' };
const oneOf = (...values: string[]): JsonObject => ({ type: 'string', enum: values });
const mapOfText: JsonObject = { type: 'object', additionalProperties: text };
const object = (properties: JsonObject): JsonObject => ({ type: 'object', properties });
const version = (name: string, spec: JsonObject) => {
  return { name, served: true, storage: name === 'v2', schema: object({ spec: object(spec) }) };
};

/**
 * The plan of the self-test, which every version of `convert` brings along: small, but with rules of several kinds in
 * both directions, so that a bundle that lost a part of the engine gives a wrong answer. It has no rule that needs CEL
 * or RE2: those are loaded on use, and the self-test must say nothing about them.
 */
export const SELF_TEST_SOURCE: ConversionSource = {
  hubVersion: 'v2',
  versions: [
    version('v2', { title: text, size: oneOf('S', 'M'), serial: int64, routes: mapOfText, turnTime: text }),
    version('v1', {
      name: text,
      size: oneOf('small', 'medium'),
      serial: int64,
      tracks: object({ byName: mapOfText }),
      turnTime: text,
    }),
    version('v3', {
      title: text,
      size: oneOf('S', 'M'),
      serial: int64,
      routes: mapOfText,
      turnSeconds: { type: 'integer' },
      power: text,
    }),
  ],
  spokes: [
    {
      version: 'v1',
      rules: [
        { strategy: 'FieldRename', fieldRename: { hubPath: 'spec.title', spokePath: 'spec.name' } },
        {
          strategy: 'EnumRemap',
          enumRemap: {
            path: 'spec.size',
            mapping: [
              { hub: 'S', spoke: 'small' },
              { hub: 'M', spoke: 'medium' },
            ],
          },
        },
        { strategy: 'FieldRename', fieldRename: { hubPath: 'spec.routes', spokePath: 'spec.tracks.byName' } },
      ],
    },
    {
      version: 'v3',
      rules: [
        {
          strategy: 'Duration',
          acknowledgeLossy: true,
          reason: 'the way back writes durations in canonical form',
          duration: { hubPath: 'spec.turnTime', spokePath: 'spec.turnSeconds' },
        },
        {
          strategy: 'DefaultValue',
          acknowledgeLossy: true,
          reason: 'the hub has no such field',
          defaultValue: { path: 'spec.power', existsOn: 'Spoke', default: 'electric' },
        },
      ],
    },
  ],
};
