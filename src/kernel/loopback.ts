/** How a browser or a client writes the address of a server on its own machine. */
export const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/;

/** Whether only this machine reaches that host. Whole addresses, so that `127.example.com` is none. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}
