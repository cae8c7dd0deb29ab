import picocolors from 'picocolors';
import { renderTable, type TableOptions } from './table.js';

type Colors = ReturnType<typeof picocolors.createColors>;

/** What commands print with: results on stdout, everything said about them on stderr. */
export interface Terminal {
  /** Whether somebody can be asked. */
  readonly interactive: boolean;
  /** How work under way is shown: redrawn where stderr is a screen, else as lines, or not at all. */
  readonly progress: 'drawn' | 'lines' | 'none';
  readonly colors: Colors;
  /** Of stderr, which may be a screen while stdout is not. */
  readonly noteColors: Colors;
  print(text: string): void;
  note(text: string): void;
  /** Without a line end. */
  draw(text: string): void;
  table(heads: readonly string[], rows: readonly (readonly string[])[], paint?: TableOptions['paint']): void;
}

export interface TerminalStreams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export function createTerminal({ stdin, stdout, stderr, environment }: TerminalStreams): Terminal {
  const asks = isTerminal(stdin);
  const prints = isTerminal(stdout);
  const notes = isTerminal(stderr);
  const plain = (environment['NO_COLOR'] ?? '') !== '' || environment['TERM'] === 'dumb';
  const colors = picocolors.createColors(prints && !plain);
  return {
    interactive: asks && notes,
    progress: notes && environment['TERM'] !== 'dumb' ? 'drawn' : 'lines',
    colors,
    noteColors: picocolors.createColors(notes && !plain),
    print: (text) => void stdout.write(`${text}\n`),
    note: (text) => void stderr.write(`${text}\n`),
    draw: (text) => void stderr.write(text),
    table(heads, rows, paint) {
      const columns = prints && stdout.columns > 0 ? stdout.columns : undefined;
      const options = { columns, heading: colors.bold, ...(paint !== undefined && { paint }) };
      stdout.write(`${renderTable(heads, rows, options)}\n`);
    },
  };
}

/** Streams that are no terminal do not have the member at all, whatever its type says. */
function isTerminal(stream: { readonly isTTY?: boolean }): boolean {
  return stream.isTTY === true;
}
