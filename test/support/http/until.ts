/** Waits until the condition holds, and fails when it does not in time. */
export async function until(condition: () => boolean, what: string, withinMs = 5000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`in vain: ${what}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
}
