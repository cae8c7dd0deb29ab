/** The contract as plain data, made by the build. `contract.ts` gives it its types back. */
declare module 'virtual:contract' {
  export const ROUTES: unknown;
  export const CALL_OUTCOMES: unknown;
  export const EVENT_TYPES: unknown;
}
