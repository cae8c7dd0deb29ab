import type { ReactNode } from 'react';
import { Badge } from '../shared/badge.js';
import { Code, JsonCode } from '../shared/code.js';
import { Section } from '../shared/page.js';
import { PlainLine } from '../shared/plain.js';

type Members = Readonly<Record<string, unknown>>;

const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const SOUNDS = [
  'audio/mpeg',
  'audio/mp3',
  'audio/wav',
  'audio/x-wav',
  'audio/ogg',
  'audio/webm',
  'audio/aac',
  'audio/flac',
];

/** What a tool answered, each part as what it is. Text stays text: nothing of it becomes part of the page. */
export function CallResult({ result }: { readonly result: Members }) {
  const content = Array.isArray(result['content']) ? (result['content'] as readonly unknown[]) : [];
  const isError = result['isError'] === true;
  return (
    <Section title={isError ? 'The tool reports a failure' : 'Result'}>
      <div className="grid gap-3">
        {isError && (
          <p>
            <Badge tone="bad">failed</Badge> The call reached the tool, and the tool says it did not work.
          </p>
        )}
        {content.map((part, index) => (
          // Parts have no names of their own, and their order does not change.
          <Part key={index} part={isMembers(part) ? part : {}} />
        ))}
        {result['structuredContent'] !== undefined && (
          <div>
            <h3 className="mb-1 text-sm text-muted">Structured result</h3>
            <JsonCode value={result['structuredContent']} label="Structured result" />
          </div>
        )}
        {content.length === 0 && result['structuredContent'] === undefined && (
          <p className="text-muted">The answer is empty.</p>
        )}
        <details>
          <summary className="text-sm text-muted">As JSON</summary>
          <div className="mt-2">
            <JsonCode value={result} label="Whole result as JSON" tall />
          </div>
        </details>
      </div>
    </Section>
  );
}

function Part({ part }: { readonly part: Members }): ReactNode {
  const { type, text, data, mimeType } = part;
  switch (type) {
    case 'text':
      return <Code text={String(text)} label="Text" />;
    case 'image':
      return IMAGES.includes(String(mimeType)) && isBase64(data) ? (
        <img
          src={`data:${String(mimeType)};base64,${data}`}
          alt="Answer of the tool"
          className="max-h-96 max-w-full rounded border border-line"
        />
      ) : (
        <Unshown what="An image" mimeType={mimeType} />
      );
    case 'audio':
      return SOUNDS.includes(String(mimeType)) && isBase64(data) ? (
        <audio
          controls
          src={`data:${String(mimeType)};base64,${data}`}
          className="w-full"
          aria-label="Answer of the tool"
        />
      ) : (
        <Unshown what="A sound" mimeType={mimeType} />
      );
    case 'resource_link':
      return <LinkedResource part={part} />;
    case 'resource':
      return <EmbeddedResource resource={isMembers(part['resource']) ? part['resource'] : {}} />;
    default:
      return <JsonCode value={part} label={`Part of type ${String(type)}`} />;
  }
}

function LinkedResource({ part }: { readonly part: Members }) {
  return (
    <div>
      <h3 className="mb-1 text-sm text-muted">
        Link to <PlainLine text={nameOf(part)} most={100} />
      </h3>
      <Code text={String(part['uri'])} label="Address of the resource" />
    </div>
  );
}

function EmbeddedResource({ resource }: { readonly resource: Members }) {
  return (
    <div>
      <h3 className="mb-1 text-sm text-muted">
        Resource <PlainLine text={String(resource['uri'])} most={200} className="mono" />
      </h3>
      {typeof resource['text'] === 'string' ? (
        <Code text={resource['text']} label="Text of the resource" />
      ) : (
        <Binary data={resource['blob']} mimeType={resource['mimeType']} />
      )}
    </div>
  );
}

function Binary({ data, mimeType }: { readonly data: unknown; readonly mimeType: unknown }) {
  const type = [
    ['image', IMAGES],
    ['audio', SOUNDS],
  ].find(([, types]) => types?.includes(String(mimeType)));
  return type === undefined ? (
    <Unshown what="Binary content" mimeType={mimeType} />
  ) : (
    <Part part={{ type: type[0], data, mimeType }} />
  );
}

function nameOf({ title, name }: Members): string {
  return [title, name].find((word) => typeof word === 'string') ?? 'a resource';
}

function Unshown({ what, mimeType }: { readonly what: string; readonly mimeType: unknown }) {
  return (
    <p className="text-muted">
      {what} of type <PlainLine text={String(mimeType)} most={80} /> that cannot be shown here.
    </p>
  );
}

function isBase64(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9+/\s]+={0,2}$/.test(value);
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
