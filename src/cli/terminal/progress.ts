import type { Terminal } from './terminal.js';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 80;
/** What is quicker than this needs no sign of life. */
const PATIENCE_MS = 300;
const CLEAR_LINE = '\r\u001b[2K';

/** Shows that something is under way: a moving line on a screen, one plain line elsewhere if it takes a while. */
export async function withProgress<Result>(
  terminal: Terminal,
  text: string,
  work: () => Promise<Result>,
): Promise<Result> {
  let frame = 0;
  let timer = setTimeout(begin, PATIENCE_MS);
  function begin(): void {
    if (terminal.progress === 'drawn') timer = setInterval(draw, FRAME_MS);
    if (terminal.progress === 'lines') terminal.note(`${text} …`);
  }
  function draw(): void {
    terminal.draw(`${CLEAR_LINE}${FRAMES[frame++ % FRAMES.length] ?? ''} ${text}`);
  }
  try {
    return await work();
  } finally {
    clearTimeout(timer);
    clearInterval(timer);
    if (frame > 0) terminal.draw(CLEAR_LINE);
  }
}
