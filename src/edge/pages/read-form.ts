import { HubError } from '../../kernel/index.js';
import { readBytes } from '../admin/read-request.js';

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;
const MAX_FORM_BYTES = 16 * 1024;

/** The fields of a form that was sent. */
export async function readForm(request: Request, maxBytes = MAX_FORM_BYTES): Promise<URLSearchParams> {
  if (!FORM_TYPE.test(request.headers.get('content-type') ?? ''))
    throw new HubError('unsupported_media_type', 'this takes a form as browsers send it');
  return new URLSearchParams((await readBytes(request, maxBytes)).toString('utf8'));
}
