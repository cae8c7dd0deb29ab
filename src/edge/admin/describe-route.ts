import { createRoute, z, type RouteConfig } from '@hono/zod-openapi';
import { errorAnswer, type AdminRoute } from '../../contract/index.js';

/** A route of the contract in the terms of OpenAPI. */
export function toDescription(route: AdminRoute): RouteConfig {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
  return createRoute({
    method: route.method,
    path: route.path,
    operationId: route.id,
    summary: route.summary,
    tags: [route.path.split('/')[1] as string],
    // Not part of OpenAPI: which role a request needs.
    'x-role': route.role,
    security: [{ adminToken: [] }],
    request: {
      ...(names.length > 0 && {
        params: z.strictObject(Object.fromEntries(names.map((name) => [name, z.string()]))),
      }),
      ...(route.query !== undefined && { query: route.query as z.ZodObject }),
      ...(headersOf(route) !== undefined && { headers: headersOf(route) }),
      ...(route.body !== undefined && {
        body: {
          required: route.bodyOptional !== true,
          content: { 'application/json': { schema: route.body } },
        },
      }),
    },
    responses: {
      ...answersOf(route),
      default: { description: 'What went wrong', content: { 'application/json': { schema: errorAnswer } } },
    },
  });
}

function headersOf(route: AdminRoute): z.ZodObject | undefined {
  if (route.conditional === true)
    return z.object({
      'If-Match': z.string().optional().meta({ description: 'The ETag that the change was made for' }),
    });
  if (route.answers === 'event_stream')
    return z.object({
      'Last-Event-ID': z.string().optional().meta({ description: 'Sequence after which to go on' }),
    });
  return undefined;
}

function answersOf(route: AdminRoute): RouteConfig['responses'] {
  if (route.answers === 'nothing') return { 204: { description: 'Done' } };
  if (route.answers === 'event_stream')
    return { 200: { description: 'Events', content: { 'text/event-stream': { schema: z.string() } } } };
  if (route.answers === 'lines')
    return {
      200: {
        description: 'One to a line',
        content: { 'application/x-ndjson': { schema: route.line as z.ZodType } },
      },
    };
  const content = {
    'application/json': { schema: route.answer as z.ZodType },
    // Each message of the stream has one of these as its data.
    ...(route.streams !== undefined && { 'text/event-stream': { schema: route.streams } }),
  };
  return {
    ...(route.creates !== 'always' && { 200: { description: 'Done', content } }),
    ...(route.creates !== undefined && { 201: { description: 'Made', content } }),
  };
}
