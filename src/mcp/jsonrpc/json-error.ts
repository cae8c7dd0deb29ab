export type JsonFault = 'syntax' | 'depth' | 'nodes' | 'duplicate_key';

export class JsonError extends Error {
  override readonly name = 'JsonError';
  readonly fault: JsonFault;
  constructor(fault: JsonFault, message: string) {
    super(message);
    this.fault = fault;
  }

  /** It may be a good message, but there is too much of it. */
  get isTooMuch(): boolean {
    return this.fault === 'nodes' || this.fault === 'depth';
  }
}
