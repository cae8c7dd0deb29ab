import type * as OidcProvider from 'oidc-provider';

/** The library takes memory and time, so it is loaded by whoever first needs it. */
export async function loadProvider(): Promise<typeof OidcProvider> {
  // It warns on every Node that is not a newer long-term release; it is tested with those that the hub supports.
  const { warn } = console;
  // oxlint-disable-next-line no-console
  console.warn = () => {};
  try {
    return await import('oidc-provider');
  } finally {
    // oxlint-disable-next-line no-console
    console.warn = warn;
  }
}
