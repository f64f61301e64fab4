import type { TagResourceRequest } from '@aws-sdk/client-lambda';
import { type Context, getFunction } from '../context.ts';
import type { FunctionRecord } from '../model.ts';
import { parseFunctionName } from '../names.ts';
import { type Call, type Operation, parseBody } from './operation.ts';

const ROUTE = '/2017-03-31/tags/{Resource}';

export const tagOperations: readonly Operation[] = [
  {
    name: 'ListTags',
    route: `GET ${ROUTE}`,
    status: 200,
    handle: (call, context) => ({ Tags: find(call, context).tags }),
  },
  {
    name: 'TagResource',
    route: `POST ${ROUTE}`,
    status: 204,
    handle: (call, context) => void Object.assign(find(call, context).tags, parseBody<TagResourceRequest>(call).Tags),
  },
  {
    name: 'UntagResource',
    route: `DELETE ${ROUTE}`,
    status: 204,
    handle: (call, context) => {
      const { tags } = find(call, context);
      for (const key of call.query.getAll('tagKeys')) delete tags[key];
    },
  },
];

function find({ params }: Call, context: Context): FunctionRecord {
  return getFunction(context, parseFunctionName(params['Resource'] ?? '').name);
}
