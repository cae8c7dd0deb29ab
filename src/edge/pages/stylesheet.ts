/** The one stylesheet of all pages. Every pair of text and ground has a contrast of at least 4.5 to 1. */
export const STYLESHEET = `:root {
  color-scheme: light dark;
  --ground: #f6f7f9;
  --card: #ffffff;
  --text: #1c2330;
  --quiet: #515b6b;
  --line: #c3cad5;
  --edge: #767f8e;
  --accent: #1d57b8;
  --on-accent: #ffffff;
  --bad: #a3201a;
  --bad-ground: #fdf0ef;
  --good: #1b6339;
  --good-ground: #edf7f0;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #12161d;
    --card: #1b212b;
    --text: #e7ebf2;
    --quiet: #a9b3c3;
    --line: #3a4454;
    --edge: #7f8b9e;
    --accent: #8ab4ff;
    --on-accent: #0d1420;
    --bad: #ffa8a1;
    --bad-ground: #3a1c1b;
    --good: #8fd8ab;
    --good-ground: #16301f;
  }
}
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
body {
  margin: 0;
  background: var(--ground);
  color: var(--text);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  overflow-wrap: anywhere;
}
header, main { max-width: 38rem; margin: 0 auto; padding: 1rem 1.25rem; }
header { padding-top: 2rem; padding-bottom: 0.25rem; }
.brand { font-weight: 650; color: var(--quiet); letter-spacing: 0.01em; }
main {
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: 0.6rem;
  padding: 1.5rem 1.75rem 1.75rem;
}
h1 { font-size: 1.4rem; line-height: 1.25; margin: 0 0 1rem; }
h2 { font-size: 1.05rem; margin: 1.75rem 0 0.5rem; }
p, ul, ol, dl { margin: 0 0 1rem; }
dt { color: var(--quiet); font-size: 0.9rem; }
dd { margin: 0 0 0.75rem; }
a { color: var(--accent); }
code, pre, .mono { font-family: ui-monospace, "SFMono-Regular", Menlo, Consolas, monospace; font-size: 0.92em; }
pre { white-space: pre-wrap; border: 1px solid var(--line); border-radius: 0.35rem; padding: 0.75rem; }
.quiet { color: var(--quiet); }
.notice { border-left: 0.25rem solid var(--edge); padding: 0.6rem 0.9rem; margin: 0 0 1rem; }
.notice.bad { border-color: var(--bad); background: var(--bad-ground); color: var(--bad); }
.notice.good { border-color: var(--good); background: var(--good-ground); color: var(--good); }
form { margin: 0 0 1rem; }
label { display: block; font-weight: 600; margin-bottom: 0.35rem; }
.hint { color: var(--quiet); font-size: 0.9rem; margin: 0 0 0.5rem; }
input[type="text"], input[type="password"], select {
  display: block;
  width: 100%;
  font: inherit;
  color: inherit;
  background: var(--card);
  border: 1px solid var(--edge);
  border-radius: 0.35rem;
  padding: 0.55rem 0.7rem;
  margin-bottom: 0.9rem;
}
input[type="checkbox"], input[type="radio"] { accent-color: var(--accent); }
button, .button {
  display: inline-block;
  font: inherit;
  font-weight: 600;
  line-height: 1.3;
  min-height: 2.75rem;
  padding: 0.6rem 1.15rem;
  border: 1px solid var(--accent);
  border-radius: 0.35rem;
  background: var(--accent);
  color: var(--on-accent);
  text-decoration: none;
  cursor: pointer;
}
button.second, .button.second { background: transparent; color: var(--accent); }
.choices { display: flex; flex-wrap: wrap; gap: 0.75rem; margin-top: 1.25rem; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
@media (max-width: 30rem) {
  header { padding-top: 1rem; }
  main { border-left: 0; border-right: 0; border-radius: 0; padding: 1.25rem 1rem; }
  button, .button { width: 100%; text-align: center; }
}
@media (prefers-reduced-motion: no-preference) {
  button, .button { transition: filter 120ms; }
}
button:hover, .button:hover { filter: brightness(1.08); }
`;
