import { basename } from 'node:path';
import type { Policy } from '../../governance/index.js';
import { systemClock, toPolicyId } from '../../kernel/index.js';
import { readText } from './read-text.js';

/** Syntax and schema of policies, as the hub checks them at its start. Throws `config_invalid` for the first that is wrong. */
export async function checkPolicies(policies: readonly Policy[]): Promise<void> {
  const { createPolicyEngine } = await import('../../governance/index.js');
  createPolicyEngine({ clock: systemClock, toolsetsOf: () => [] }).load(policies);
}

/** A policy document from a file, called like the file. */
export function readPolicyFile(path: string, now: number): Policy {
  return toFilePolicy(basename(path).replace(/\.cedar$/, ''), readText(path), now);
}

export function toFilePolicy(name: string, text: string, now: number): Policy {
  return { id: toPolicyId(name), text, source: 'file', version: 1, updatedAt: now };
}
