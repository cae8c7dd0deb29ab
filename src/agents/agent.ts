import type { AgentId, KeyId } from '../kernel/index.js';

/** On whose behalf tools are called. */
export interface Agent {
  readonly id: AgentId;
  readonly name: string;
  readonly enabled: boolean;
  readonly tags: readonly string[];
  readonly source: 'file' | 'stored' | 'built_in';
  readonly version: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** What the access token it calls with allows; absent where it calls with a key. Never stored. */
  readonly scopes?: readonly string[];
}

/** Lets a program act as an agent. The key itself is shown once and never kept. */
export interface AgentKey {
  readonly id: KeyId;
  readonly agentId: AgentId;
  /** SHA-256 of the key, hex. Keys are random and long, so a slow hash would protect nothing. */
  readonly digest: string;
  readonly last4: string;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
}

export interface AgentReader {
  list(): Promise<readonly Agent[]>;
  find(id: AgentId): Promise<Agent | undefined>;
  listKeys(id: AgentId): Promise<readonly AgentKey[]>;
  findByKeyDigest(digest: string): Promise<{ readonly agent: Agent; readonly key: AgentKey } | undefined>;
}

export interface AgentStore extends AgentReader {
  add(agent: Agent): Promise<void>;
  replace(agent: Agent, expectedVersion: number): Promise<void>;
  /** With its keys. */
  remove(id: AgentId): Promise<void>;
  addKey(key: AgentKey): Promise<void>;
  removeKey(id: AgentId, key: KeyId): Promise<boolean>;
}
