import type { ParseError } from 'jsonc-parser';
import type { Document } from 'yaml';
import type { ConnectorInput } from '../../contract/index.js';
import { HubError } from '../../kernel/index.js';
import { explainJsonError } from '../config/json-error.js';
import { jsonc, yaml } from '../config/languages.js';
import { removeJsonMember } from './remove-json-member.js';

/** A change of the operator's file. */
export type ConfigEdit =
  | { readonly kind: 'set'; readonly id: string; readonly connector: ConnectorInput }
  | { readonly kind: 'remove'; readonly id: string }
  | { readonly kind: 'enable'; readonly id: string; readonly enabled: boolean };

export type ConfigFormat = 'yaml' | 'json';

/** The sections a connector may stand in. */
const SECTIONS = ['connectors', 'mcpServers'] as const;

/** The text with one change made. Comments and whatever the change does not touch stay. */
export function editConfigText(text: string, format: ConfigFormat, edit: ConfigEdit): string {
  return format === 'yaml' ? editYaml(text, edit) : editJson(text, edit);
}

/** The ids of the connectors a text describes. */
export function connectorIdsIn(text: string, format: ConfigFormat): readonly string[] {
  const content: unknown = format === 'yaml' ? openYaml(text).toJS() : openJson(text);
  return SECTIONS.flatMap((section) => Object.keys(sectionOf(content, section)));
}

function editYaml(text: string, edit: ConfigEdit): string {
  const document = openYaml(text);
  const section = chooseSection(document.toJS(), edit.id);
  const place = [section, openSection(document, section, edit.id)];
  try {
    switch (edit.kind) {
      case 'set':
        document.setIn(place, document.createNode(edit.connector));
        break;
      case 'remove':
        document.deleteIn(place);
        break;
      case 'enable':
        document.setIn([...place, 'enabled'], edit.enabled);
        document.deleteIn([...place, 'disabled']);
        break;
    }
    const edited = document.toString({ lineWidth: 0 });
    return text.includes('\r\n') ? edited.replaceAll('\n', '\r\n') : edited;
  } catch (error) {
    const advice = `${edit.id} shares what it says with another by an alias (*…): change it in the file`;
    throw new HubError('config_invalid', advice, { cause: error });
  }
}

/**
 * The key under which the section has the connector, or will have it: `7` and `true` are no texts in YAML. A section
 * that has nothing but comments is no map yet; they belong to what stands there, and stay.
 */
function openSection(document: Document, section: string, id: string): unknown {
  const found = document.get(section, true);
  if (yaml().isMap(found)) {
    const key = found.items
      .map((item) => item.key)
      .find((each) => yaml().isScalar(each) && String(each.value) === id);
    return yaml().isScalar(key) ? key.value : id;
  }
  const map = document.createNode({});
  if (yaml().isScalar(found)) map.commentBefore = found.comment ?? null;
  document.set(section, map);
  return id;
}

function openYaml(text: string): Document {
  const document = yaml().parseDocument(text) as Document;
  const problem = document.errors[0];
  if (problem !== undefined) throw new HubError('config_invalid', problem.message);
  if (document.contents === null) document.contents = document.createNode({});
  if (!yaml().isMap(document.contents))
    throw new HubError('config_invalid', 'the file is not a map of settings');
  return document;
}

function editJson(text: string, edit: ConfigEdit): string {
  const section = chooseSection(openJson(text), edit.id);
  const options = { formattingOptions: { insertSpaces: !/^\t/m.test(text), tabSize: 2, eol: '\n' } };
  const change = (from: string, path: (string | number)[], value: unknown): string =>
    jsonc().applyEdits(from, jsonc().modify(from, path, value, options));
  const start = text.trim() === '' ? '{}\n' : text;
  switch (edit.kind) {
    case 'set':
      return change(start, [section, edit.id], edit.connector);
    case 'remove':
      return removeJsonMember(start, [section, edit.id]);
    case 'enable':
      return removeJsonMember(change(start, [section, edit.id, 'enabled'], edit.enabled), [
        section,
        edit.id,
        'disabled',
      ]);
  }
}

function openJson(text: string): unknown {
  if (text.trim() === '') return {};
  const errors: ParseError[] = [];
  const content: unknown = jsonc().parse(text, errors, { allowTrailingComma: true });
  const problem = errors[0];
  if (problem !== undefined) {
    const line = text.slice(0, problem.offset).split('\n').length;
    throw new HubError('config_invalid', `line ${line}: ${explainJsonError(text, problem)}`);
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new HubError('config_invalid', 'the file is not an object of settings');
  }
  return content;
}

/** Where the connector stands, or where the file keeps connectors. */
function chooseSection(content: unknown, id: string): (typeof SECTIONS)[number] {
  const [connectors, mcpServers] = SECTIONS;
  if (Object.hasOwn(sectionOf(content, connectors), id)) return connectors;
  if (Object.hasOwn(sectionOf(content, mcpServers), id)) return mcpServers;
  const keepsMcpServers = Object.keys(sectionOf(content, mcpServers)).length > 0;
  return keepsMcpServers && Object.keys(sectionOf(content, connectors)).length === 0
    ? mcpServers
    : connectors;
}

/** What stands there and is no map would be lost with the first change. */
function sectionOf(content: unknown, section: string): object {
  const value = (content as Record<string, unknown> | null)?.[section] ?? {};
  if (typeof value === 'object' && !Array.isArray(value)) return value;
  throw new HubError('config_invalid', `${section} is not a map of connectors, each under its id`);
}
