import { describe, expect, test } from 'vitest';
import { HubError, type HubErrorCode } from '../kernel/index.js';
import { repeatRead } from './repeat-read.js';

/** Fails so many times, then answers. */
function failing(times: number, code: HubErrorCode, retryAfterMs?: number) {
  const attempts = { made: 0 };
  return {
    attempts,
    read: async (): Promise<string> => {
      if (attempts.made++ >= times) return Promise.resolve('done');
      return Promise.reject(new HubError(code, 'no', retryAfterMs === undefined ? {} : { retryAfterMs }));
    },
  };
}
const SHORT = (): number => 0;

describe('repeatRead', () => {
  test.each<HubErrorCode>(['upstream_unavailable', 'upstream_closed'])(
    '%s may pass by itself',
    async (code) => {
      const { attempts, read } = failing(2, code);
      expect(await repeatRead(2, undefined, read, SHORT)).toBe('done');
      expect(attempts.made).toBe(3);
    },
  );

  test.each<HubErrorCode>([
    'upstream_timeout',
    'credential_required',
    'upstream_rejected',
    'upstream_protocol',
    'cancelled',
    'internal',
    'overloaded',
  ])('%s is told at once', async (code) => {
    const { attempts, read } = failing(1, code);
    await expect(repeatRead(5, undefined, read, SHORT)).rejects.toMatchObject({ code });
    expect(attempts.made).toBe(1);
  });

  test('no more often than allowed', async () => {
    const { attempts, read } = failing(9, 'upstream_unavailable');
    await expect(repeatRead(1, undefined, read, SHORT)).rejects.toMatchObject({
      code: 'upstream_unavailable',
    });
    expect(attempts.made).toBe(2);
    await expect(repeatRead(0, undefined, failing(1, 'upstream_unavailable').read)).rejects.toThrow('no');
  });

  test('not before the upstream wants to hear from us, and not at all if that is too long', async () => {
    const patient = failing(1, 'upstream_unavailable', 150);
    const before = performance.now();
    await repeatRead(1, undefined, patient.read, SHORT);
    expect(performance.now() - before).toBeGreaterThanOrEqual(145);
    const { attempts, read } = failing(1, 'upstream_unavailable', 60_000);
    await expect(repeatRead(1, undefined, read, SHORT)).rejects.toMatchObject({ retryAfterMs: 60_000 });
    expect(attempts.made).toBe(1);
  });

  test('whoever gives up does not wait for the next attempt', async () => {
    const controller = new AbortController();
    const { attempts, read } = failing(9, 'upstream_unavailable', 4_000);
    const reading = repeatRead(5, controller.signal, read);
    setTimeout(() => controller.abort(), 20);
    const before = performance.now();
    await expect(reading).rejects.toMatchObject({ code: 'upstream_unavailable' });
    expect(performance.now() - before).toBeLessThan(2_000);
    expect(attempts.made).toBe(1);
  });

  test('something else than a failure of ours is not repeated', async () => {
    let made = 0;
    const read = (): Promise<never> => {
      made++;
      return Promise.reject(new TypeError('bug'));
    };
    await expect(repeatRead(5, undefined, read)).rejects.toThrow('bug');
    expect(made).toBe(1);
  });
});
