const MASK = '***';
/** Long and mixed: what a service generates, not what a person names. */
const GENERATED = /^(?=.*\d)(?=.*[A-Za-z])[\w.~%=+:-]{20,}$/;

/** An address without what may be a secret: values of the query, and parts of the path that look generated. */
export function maskUrl(text: string): string {
  const url = new URL(text);
  const path = url.pathname.split('/').map((part) => (GENERATED.test(part) ? MASK : part));
  const query = [...url.searchParams.keys()].map(
    (name) => `${GENERATED.test(name) ? MASK : encodeURIComponent(name)}=${MASK}`,
  );
  const masked = `${path.join('/')}${query.length === 0 ? '' : `?${query.join('&')}`}`;
  return masked === url.pathname ? text : url.origin + masked;
}

/** What looks generated in an address, as it is written there. */
export interface GeneratedParts {
  readonly path: readonly string[];
  /** Values of the query. */
  readonly query: readonly string[];
}

export function generatedParts({ pathname, search }: URL): GeneratedParts {
  const values = search.slice(1).split('&');
  return {
    path: pathname.split('/').filter((part) => GENERATED.test(part)),
    query: values.map((pair) => pair.slice(pair.indexOf('=') + 1)).filter((value) => GENERATED.test(value)),
  };
}
