import { TomlScanner } from './toml-scanner.js';

export interface TomlTable {
  [key: string]: TomlValue;
}
export type TomlValue = string | number | boolean | TomlValue[] | TomlTable;

const MAX_DEPTH = 64;

/** TOML 1.0. Dates and times come as text. Throws `config_invalid` naming the line. */
export function parseToml(text: string): TomlTable {
  const scanner = new TomlScanner(text);
  const root = createTable();
  const headed = new Set<string>();
  let table = root;
  for (scanner.skipBlank(); !scanner.done; scanner.skipBlank()) {
    if (scanner.take('[[')) {
      table = addElement(scanner, root, readHead(scanner, ']]'));
    } else if (scanner.take('[')) {
      const path = readHead(scanner, ']');
      const name = JSON.stringify(path);
      if (headed.has(name)) throw scanner.fault(`the table ${path.join('.')} stands here a second time`);
      headed.add(name);
      table = descend(scanner, root, path);
    } else {
      readPair(scanner, table, 0);
    }
    scanner.requireLineEnd();
  }
  return root;
}

function readHead(scanner: TomlScanner, end: string): readonly string[] {
  const path = scanner.readKey();
  scanner.require(end);
  return path;
}

function readPair(scanner: TomlScanner, table: TomlTable, depth: number): void {
  const path = scanner.readKey();
  scanner.require('=');
  scanner.skipSpaces();
  const owner = descend(scanner, table, path.slice(0, -1));
  const key = path.at(-1) ?? '';
  if (Object.hasOwn(owner, key)) throw scanner.fault(`${path.join('.')} is given twice`);
  owner[key] = readValue(scanner, depth);
}

function readValue(scanner: TomlScanner, depth: number): TomlValue {
  if (depth > MAX_DEPTH) throw scanner.fault('nested too deeply');
  if (scanner.take('[')) return readArray(scanner, depth);
  if (scanner.take('{')) return readInlineTable(scanner, depth);
  return scanner.readScalar();
}

function readArray(scanner: TomlScanner, depth: number): TomlValue[] {
  const values: TomlValue[] = [];
  for (;;) {
    scanner.skipBlank();
    if (scanner.take(']')) return values;
    values.push(readValue(scanner, depth + 1));
    scanner.skipBlank();
    if (!scanner.take(',') && !scanner.looksAt(']')) throw scanner.fault('expected , or ]');
  }
}

function readInlineTable(scanner: TomlScanner, depth: number): TomlTable {
  const table = createTable();
  for (;;) {
    scanner.skipBlank();
    if (scanner.take('}')) return table;
    readPair(scanner, table, depth + 1);
    scanner.skipBlank();
    if (!scanner.take(',') && !scanner.looksAt('}')) throw scanner.fault('expected , or }');
  }
}

/** The table at a path, made where it does not exist. Of an array of tables the last one is meant. */
function descend(scanner: TomlScanner, from: TomlTable, path: readonly string[]): TomlTable {
  let table = from;
  for (const key of path) {
    const existing = Object.hasOwn(table, key) ? table[key] : (table[key] = createTable());
    const next = Array.isArray(existing) ? existing.at(-1) : existing;
    if (typeof next !== 'object' || Array.isArray(next)) throw scanner.fault(`${key} is not a table`);
    table = next;
  }
  return table;
}

function addElement(scanner: TomlScanner, root: TomlTable, path: readonly string[]): TomlTable {
  const owner = descend(scanner, root, path.slice(0, -1));
  const key = path.at(-1) ?? '';
  const list = Object.hasOwn(owner, key) ? owner[key] : (owner[key] = []);
  if (!Array.isArray(list)) throw scanner.fault(`${key} is not an array of tables`);
  const element = createTable();
  list.push(element);
  return element;
}

/** Without a prototype: a key may have any name. */
function createTable(): TomlTable {
  return Object.create(null) as TomlTable;
}
