declare module 'virtual:contract' {
  import type { ADMIN_ROUTES, AdminRoute } from '../../../src/contract/index.js';

  type Sent = 'method' | 'path' | 'role' | 'answers';
  /** What a request needs of a route. The types of what goes and comes are kept, the schemas are not. */
  export type SentRoute<Route> =
    Route extends AdminRoute<infer Path, infer Query, infer Body, infer Answer>
      ? Pick<AdminRoute<Path, Query, Body, Answer>, Sent> & {
          readonly types?: { readonly query: Query; readonly body: Body; readonly answer: Answer };
        }
      : never;
  type Routes = typeof ADMIN_ROUTES;
  export const ROUTES: {
    readonly [Noun in keyof Routes]: {
      readonly [Verb in keyof Routes[Noun]]: SentRoute<Routes[Noun][Verb]>;
    };
  };
  export { CALL_OUTCOMES, EVENT_TYPES } from '../../../src/contract/index.js';
}
