import { toPlainLine, toPlainText } from './plain-text.js';

interface PlainProps {
  readonly text: string;
  readonly most?: number;
  readonly className?: string;
}

/** A name from somebody else, on one line, isolated from the text around it. */
export function PlainLine({ text, most = 200, className = '' }: PlainProps) {
  return <bdi className={`wrap-anywhere ${className}`}>{toPlainLine(text, most)}</bdi>;
}

/** A text of several lines from somebody else. */
export function PlainBlock({ text, most = 20_000, className = '' }: PlainProps) {
  return (
    <p dir="auto" className={`wrap-anywhere whitespace-pre-wrap ${className}`}>
      {toPlainText(text, most)}
    </p>
  );
}
