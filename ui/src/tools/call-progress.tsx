import { Notice } from '../shared/notice.js';
import { PlainLine } from '../shared/plain.js';
import type { CallState } from './call-state.js';

const REFUSED: Readonly<Record<string, string>> = {
  'sampling/createMessage': 'a language model (sampling)',
  'roots/list': 'folders of yours (roots)',
};

/** How far a call is, and what it asked for in vain. */
export function CallProgress({ call }: { readonly call: CallState }) {
  const { phase, progress, refused, missed } = call;
  const isRunning = phase === 'running';
  return (
    <div className="mb-4 grid gap-3 empty:hidden">
      {isRunning && (
        <div className="panel p-4">
          <p role="status" className="mb-2 flex flex-wrap justify-between gap-2">
            <span>
              {progress?.message === undefined ? (
                'The call is under way…'
              ) : (
                <PlainLine text={progress.message} most={300} />
              )}
            </span>
            {progress !== undefined && (
              <span className="text-muted tabular-nums">
                {progress.progress}
                {progress.total !== undefined && ` of ${progress.total}`}
              </span>
            )}
          </p>
          <progress
            aria-label="Progress of the call"
            className="h-2 w-full accent-accent"
            {...(progress?.total !== undefined &&
              progress.total > 0 && { value: progress.progress, max: progress.total })}
          />
        </div>
      )}
      {refused.map((method, index) => (
        // The same may be asked for twice, and their order does not change.
        <Notice key={index} tone="info">
          The server asked for {REFUSED[method] ?? method}. There is none in the playground, so it was
          refused.
        </Notice>
      ))}
      {missed !== undefined && (
        <Notice tone="warn">
          {missed === 'expired' ? 'A question was not answered in time.' : 'The server took a question back.'}
        </Notice>
      )}
    </div>
  );
}
