export type SseFaultKind = 'data_too_large' | 'line_too_long' | 'not_utf8';

/** The stream broke a bound or the encoding. The decoder must not be fed any further. */
export class SseFault extends Error {
  override readonly name = 'SseFault';
  readonly kind: SseFaultKind;
  constructor(kind: SseFaultKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
