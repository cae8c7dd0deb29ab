import { describe } from 'vitest';
import type { Storage, StorageOptions } from '../../src/storage/index.js';
import { accountContract } from './account.contract.js';
import { adminStoreContract } from './admin-store.contract.js';
import { agentStoreContract } from './agent-store.contract.js';
import { connectorStoreContract } from './connector-store.contract.js';
import { credentialStoreContract } from './credential-store.contract.js';
import { eventStoreContract } from './event-store.contract.js';
import { instanceStoreContract } from './instance-store.contract.js';
import { oauthClientStoreContract } from './oauth-client-store.contract.js';
import { policyStoreContract } from './policy-store.contract.js';
import { dataKeyStoreContract, settingsStoreContract } from './settings-store.contract.js';
import { snapshotStoreContract } from './snapshot-store.contract.js';
import { taskStoreContract } from './task-store.contract.js';
import { ticketStoreContract } from './ticket-store.contract.js';

/** Every port, on a storage that is new for each test. */
export function storeContracts(open: (options?: Partial<StorageOptions>) => Promise<Storage>): void {
  describe('connectors', () => {
    connectorStoreContract(async () => (await open()).connectors);
  });
  describe('agents', () => {
    agentStoreContract(async () => (await open()).agents);
  });
  describe('credentials', () => {
    credentialStoreContract(async () => (await open()).credentials);
    accountContract(async () => (await open()).credentials);
  });
  describe('registered OAuth clients', () => {
    oauthClientStoreContract(async () => (await open()).oauthClients);
  });
  describe('admins', () => {
    adminStoreContract(async () => (await open()).admins);
  });
  describe('tickets', () => {
    ticketStoreContract(async (clock) => (await open({ clock })).tickets);
  });
  describe('tasks', () => {
    taskStoreContract(async (clock) => (await open({ clock })).tasks);
  });
  describe('instances', () => {
    instanceStoreContract(async () => (await open()).instances);
  });
  describe('snapshots', () => {
    snapshotStoreContract(async () => (await open()).snapshots);
  });
  describe('policies', () => {
    policyStoreContract(async () => (await open()).policies);
  });
  describe('events', () => {
    eventStoreContract(async () => (await open()).events);
  });
  describe('settings', () => {
    settingsStoreContract(async () => (await open()).settings);
  });
  describe('data keys', () => {
    dataKeyStoreContract(async () => (await open()).dataKeys);
  });
}
