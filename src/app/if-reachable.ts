import { isHubError } from '../kernel/index.js';

/** Undefined where what processes share cannot be reached: whoever asks for something that helps goes on without it. */
export async function ifReachable<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isHubError(error, 'storage_unavailable')) return undefined;
    throw error;
  }
}
