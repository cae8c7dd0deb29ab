import * as data from 'virtual:contract';
import type {
  ADMIN_ROUTES,
  AdminRoute,
  CALL_OUTCOMES as Outcomes,
  EVENT_TYPES as Types,
} from '../../../src/contract/index.js';

/** What a request needs of a route. The types of what goes and comes are kept, the schemas are not. */
type SentRoute<Route> =
  Route extends AdminRoute<infer Path, infer Query, infer Body, infer Answer>
    ? Pick<AdminRoute<Path>, 'method' | 'path' | 'role' | 'answers'> & {
        readonly types?: { readonly query: Query; readonly body: Body; readonly answer: Answer };
      }
    : never;
type Routes = typeof ADMIN_ROUTES;

export const ROUTES = data.ROUTES as {
  readonly [Noun in keyof Routes]: { readonly [Verb in keyof Routes[Noun]]: SentRoute<Routes[Noun][Verb]> };
};
export const CALL_OUTCOMES = data.CALL_OUTCOMES as typeof Outcomes;
export const EVENT_TYPES = data.EVENT_TYPES as typeof Types;
