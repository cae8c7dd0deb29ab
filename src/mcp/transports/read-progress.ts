import type { NotificationMessage } from '../jsonrpc/index.js';

const METHOD = 'notifications/progress';
/** No longer than every double can hold exactly. */
const INTEGER = '(0|[1-9][0-9]{0,14})';
const NUMBER = '((?:0|[1-9][0-9]{0,8})(?:\\.[0-9]{1,5})?)';
const AMOUNTS = `"progress":${NUMBER}(?:,"total":${NUMBER})?(?:,"message":"([^"\\\\\\u0000-\\u001f]*)")?`;
const TOKEN = `"progressToken":${INTEGER}`;
const PLAIN = new RegExp(
  `^\\{("jsonrpc":"2\\.0",)?"method":"${METHOD}","params":\\{(?:${TOKEN},${AMOUNTS}|${AMOUNTS},${TOKEN})\\}(,"jsonrpc":"2\\.0")?\\}$`,
);

/**
 * What servers say most often, read in one look: a progress notification in the words in which the usual libraries
 * write it, about a request of ours, which are numbered. Undefined for everything else, which is for the parser to read.
 */
export function readProgress(text: string): NotificationMessage | undefined {
  const found = PLAIN.exec(text);
  if (found === null || (found[1] === undefined) === (found[10] === undefined)) return undefined;
  const isTokenFirst = found[2] !== undefined;
  const token = isTokenFirst ? found[2] : found[9];
  const progress = isTokenFirst ? found[3] : found[6];
  const total = isTokenFirst ? found[4] : found[7];
  const message = isTokenFirst ? found[5] : found[8];
  return {
    kind: 'notification',
    method: METHOD,
    params: {
      progressToken: Number(token),
      progress: Number(progress),
      ...(total !== undefined && { total: Number(total) }),
      ...(message !== undefined && { message }),
    },
  };
}
