import type { SuiteLine } from '../../scripts/conformance-setup.js';

export type Leg = 'server' | 'client';
export type RevisionUnderTest = '2025-11-25' | '2026-07-28';

/** One scenario of one line, at one revision's wire. The same name at two revisions is two scenarios. */
export interface Scenario {
  readonly line: SuiteLine;
  readonly revision: RevisionUnderTest;
  readonly leg: Leg;
  readonly name: string;
  /** Whether the suite counts it towards conformance. What it runs for information only we run too. */
  readonly required: boolean;
}

export function titleOf(scenario: Scenario): string {
  return `${scenario.line} ${scenario.revision} ${scenario.leg}: ${scenario.name}`;
}

/**
 * Reads `list` of line 0.1, which knows no requirement sets: everything dated is required. Of the rest we run what is
 * about authorization; the other line has newer forms of all of it.
 */
export function parseFirstLine(text: string): readonly Scenario[] {
  return parseList(text).flatMap(({ leg, name, tags }) => {
    const required = tags.some((tag) => tag !== 'draft' && tag !== 'extension');
    if (!required && !name.startsWith('auth/')) return [];
    return [{ line: '0.1', revision: '2025-11-25', leg, name, required } as const];
  });
}

/** Reads `list --requirements <revision>` of line 0.2: first what is required, then what is run unscored. */
export function parseRequirements(text: string, revision: RevisionUnderTest): readonly Scenario[] {
  const scenarios: Scenario[] = [];
  let leg: Leg | undefined;
  for (const row of text.split('\n')) {
    leg = legOfHeading(row) ?? leg;
    const required = /^ {2}- (\S+)$/.exec(row);
    if (required !== null && leg !== undefined) {
      scenarios.push({ line: '0.2', revision, leg, name: required[1]!, required: true });
    }
    const unscored = /^ {4}- (\S+) \[(server|client)\]$/.exec(row);
    if (unscored !== null) {
      scenarios.push({
        line: '0.2',
        revision,
        leg: unscored[2] === 'server' ? 'server' : 'client',
        name: unscored[1]!,
        required: false,
      });
    }
  }
  return scenarios;
}

/** Reads `list` of line 0.2 for what stands in no requirement set. It runs at the newest revision's wire. */
export function parseOutsideSets(text: string, inSets: readonly Scenario[]): readonly Scenario[] {
  return parseList(text)
    .filter(({ leg, name }) => !inSets.some((known) => known.leg === leg && known.name === name))
    .filter(({ tags }) => tags.includes('extension'))
    .map(({ leg, name }) => ({ line: '0.2', revision: '2026-07-28', leg, name, required: false }));
}

interface Listed {
  readonly leg: Leg;
  readonly name: string;
  readonly tags: readonly string[];
}

function parseList(text: string): readonly Listed[] {
  const listed: Listed[] = [];
  let leg: Leg | undefined;
  for (const row of text.split('\n')) {
    if (row.startsWith('Authorization server scenarios')) leg = undefined;
    leg = legOfHeading(row) ?? leg;
    const entry = /^ {2}- (\S+)(?: \[([^\]]*)\])?$/.exec(row);
    if (entry !== null && leg !== undefined) {
      listed.push({ leg, name: entry[1]!, tags: (entry[2] ?? '').split(',') });
    }
  }
  return listed;
}

function legOfHeading(row: string): Leg | undefined {
  if (row.startsWith('Server scenarios')) return 'server';
  if (row.startsWith('Client scenarios')) return 'client';
  return undefined;
}
