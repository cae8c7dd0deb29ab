/** The agent every hub has: the one of whoever sits at the machine. */
export const DEFAULT_AGENT = 'local';
