import { setFlagsFromString } from 'node:v8';

/**
 * Most of what a start allocates is code and settings that stay. V8 takes it for the pace of the program and lets its young
 * generation grow to 16 MB, which an idle hub would keep. Until the function that is returned is called it does not grow; from then
 * on it grows with the load as usual. Where V8 does not know the setting nothing happens.
 */
export function keepYoungGenerationSmall(): () => void {
  setFlagsFromString('--semi-space-growth-factor=1');
  return () => setFlagsFromString('--semi-space-growth-factor=2');
}
