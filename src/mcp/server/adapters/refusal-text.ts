/** An answer to bytes that make no request. The connection ends with it. */
export function refusalText(status: string): string {
  return `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\ncache-control: no-store\r\nx-content-type-options: nosniff\r\n\r\n`;
}
