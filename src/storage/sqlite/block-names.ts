import type { EventRecord } from '../../governance/index.js';
import { filterColumnsOf, type EventFilter, type FilterColumns } from '../event-rows.js';

/** Of the id of a call: enough that one in five hundred blocks is read in vain. */
const SHORT = 4;
/** The database writes these otherwise. */
const ODD = /[\0\p{Surrogate}]/u;

/**
 * What the events of a block name, each once, as text in which a search looks for what it wants. What is not in it is
 * not in the block; what is in it may still be in no event that is wanted.
 */
export class BlockNames {
  readonly #types = new Set<string>();
  readonly #agents = new Set<string>();
  readonly #connectors = new Set<string>();
  readonly #outcomes = new Set<string>();
  readonly #calls = new Set<string>();
  readonly #tools = new Set<string>();

  add({ type, agent, connector, outcome, call_id, tool }: FilterColumns): void {
    this.#types.add(type);
    if (agent !== null) this.#agents.add(agent);
    if (connector !== null) this.#connectors.add(connector);
    if (outcome !== null) this.#outcomes.add(outcome);
    if (call_id !== null) this.#calls.add(call_id.slice(0, SHORT));
    if (tool !== null) this.#tools.add(tool);
  }

  toText(): string {
    let text = '\n';
    for (const value of this.#types) text += `type=${value}\n`;
    for (const value of this.#agents) text += `agent=${value}\n`;
    for (const value of this.#connectors) text += `connector=${value}\n`;
    for (const value of this.#outcomes) text += `outcome=${value}\n`;
    for (const value of this.#tools) text += `tool=${value}\n`;
    for (const value of this.#calls) text += `call=${value}\n`;
    return text;
  }
}

/** What must stand in the names of a block for it to have something that a filter finds. */
export function wantedNames({
  type,
  agent,
  connector,
  outcome,
  callId,
  tool,
}: EventFilter): readonly string[] {
  const wanted: string[] = [];
  if (type !== undefined) wanted.push(`\ntype=${type}\n`);
  if (agent !== undefined) wanted.push(`\nagent=${agent}\n`);
  if (connector !== undefined) wanted.push(`\nconnector=${connector}\n`);
  if (outcome !== undefined) wanted.push(`\noutcome=${outcome}\n`);
  if (callId !== undefined) wanted.push(`\ncall=${callId.slice(0, SHORT)}\n`);
  if (tool !== undefined) wanted.push(`\ntool=${tool}\n`);
  return wanted;
}

/** What must stand in the names of the block that a record is in, as far as every store writes it alike. */
export function namesOf(record: EventRecord): readonly string[] {
  const { type, agent, connector, outcome, call_id, tool } = filterColumnsOf(record);
  const found: string[] = [`\ntype=${type}\n`];
  if (agent !== null) found.push(`\nagent=${agent}\n`);
  if (connector !== null) found.push(`\nconnector=${connector}\n`);
  if (outcome !== null) found.push(`\noutcome=${outcome}\n`);
  if (call_id !== null) found.push(`\ncall=${call_id.slice(0, SHORT)}\n`);
  if (tool !== null && !ODD.test(tool)) found.push(`\ntool=${tool}\n`);
  return found;
}
