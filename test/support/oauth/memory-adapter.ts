import type { Adapter, AdapterPayload } from 'oidc-provider';

/** Everything a provider keeps, where a test can look at it and change it. */
export class ProviderRecords {
  readonly #records = new Map<string, AdapterPayload>();

  /** For the provider: one for each model. */
  readonly adapter = (model: string): Adapter => {
    const keyOf = (id: string): string => `${model}:${id}`;
    const findBy = (name: 'uid' | 'userCode', value: string) =>
      [...this.#records].find(([key, record]) => key.startsWith(`${model}:`) && record[name] === value)?.[1];
    return {
      upsert: async (id, payload) => void this.#records.set(keyOf(id), payload),
      find: async (id) => this.#records.get(keyOf(id)),
      findByUid: async (uid) => findBy('uid', uid),
      findByUserCode: async (code) => findBy('userCode', code),
      destroy: async (id) => void this.#records.delete(keyOf(id)),
      consume: async (id) => {
        const record = this.#records.get(keyOf(id));
        if (record !== undefined) record['consumed'] = Math.floor(Date.now() / 1000);
      },
      revokeByGrantId: async (grantId) => {
        for (const [key, record] of this.#records)
          if (record['grantId'] === grantId) this.#records.delete(key);
      },
    };
  };

  find(model: string, id: string): AdapterPayload | undefined {
    return this.#records.get(`${model}:${id}`);
  }

  count(model: string): number {
    return [...this.#records.keys()].filter((key) => key.startsWith(`${model}:`)).length;
  }

  removeAll(model: string): void {
    for (const key of this.#records.keys()) if (key.startsWith(`${model}:`)) this.#records.delete(key);
  }
}
