/** What a client is ready to receive. */
export interface Accepted {
  readonly json: boolean;
  readonly events: boolean;
}

const BOTH: Accepted = { json: true, events: true };

/** A missing `Accept` accepts everything (RFC 9110, section 12.5.1). */
export function readAccept(header: string | undefined): Accepted {
  if (
    header === undefined ||
    header === 'application/json, text/event-stream' ||
    header === '*/*' ||
    header === 'text/event-stream, application/json'
  ) {
    return BOTH;
  }
  let json = false;
  let events = false;
  for (const part of header.toLowerCase().split(',')) {
    const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim());
    if (parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))) continue;
    if (type === 'application/json' || type === 'application/*' || type === '*/*') json = true;
    if (type === 'text/event-stream' || type === 'text/*' || type === '*/*') events = true;
  }
  return { json, events };
}

/** Whether a body with these headers is JSON as we read it: not compressed, and in UTF-8. */
export function isJsonBody(contentType: string | undefined, contentEncoding: string | undefined): boolean {
  if (contentEncoding !== undefined && contentEncoding.toLowerCase() !== 'identity') return false;
  if (contentType === 'application/json') return true;
  // A comma means that two types were sent.
  if (contentType === undefined || contentType.includes(',')) return false;
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  return type.trim() === 'application/json' && parameters.every(isHarmless);
}

function isHarmless(parameter: string): boolean {
  const [name = '', value = ''] = parameter.split('=');
  return name.trim() !== 'charset' || /^"?utf-?8"?$/.test(value.trim());
}
