import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MIGRATIONS } from '../../src/storage/migrations/index.js';
import type { Places, StorePlace } from './store-place.js';

interface Column {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly nullable: boolean;
}

const PAGE = readFileSync(new URL('../../docs/storage-schema.md', import.meta.url), 'utf8');
const byName = (a: Column, b: Column) => `${a.table}.${a.column}`.localeCompare(`${b.table}.${b.column}`);

function documentedColumns(types: Readonly<Record<string, string>>): readonly Column[] {
  const tables = PAGE.split(/^### /m).slice(1);
  return tables
    .flatMap((section) => {
      const table = /^\w+/.exec(section)?.[0] ?? '';
      if (/^\w+ \(SQLite\)$/m.test(section) && types['integer'] !== 'integer') return [];
      const rows = section.split(/^## /m)[0]?.matchAll(/^\| (\w+) \| (\w+) \| (yes|no) \| .+ \|$/gm) ?? [];
      return [...rows].map(([, column = '', type = '', nullable = '']) => ({
        table,
        column,
        type: types[type] ?? 'unknown',
        nullable: nullable === 'yes',
      }));
    })
    .sort(byName);
}

/** How the page compares with the store, in the words of the database. */
export function schemaDocsContract(
  places: Places,
  types: Readonly<Record<string, string>>,
  readColumns: (place: StorePlace) => Promise<readonly Column[]>,
): void {
  test('docs/storage-schema.md lists every table and column', async () => {
    const place = await places.create();
    await (await place.open()).close();
    const found = [...(await readColumns(place))].sort(byName);
    expect(found.length).toBeGreaterThan(50);
    expect(documentedColumns(types)).toEqual(found);
  });

  test('docs/storage-schema.md lists every migration, numbered without gaps', () => {
    expect(MIGRATIONS.map(({ version }) => version)).toEqual(MIGRATIONS.map((_, index) => index + 1));
    const listed = [...PAGE.matchAll(/^\| (\d+) \| ([\w-]+) \| .+ \|$/gm)].map(
      ([, version, name]) => `${version} ${name}`,
    );
    expect(listed).toEqual(MIGRATIONS.map(({ version, name }) => `${version} ${name}`));
  });
}

export async function readSqliteColumns(place: StorePlace): Promise<readonly Column[]> {
  const rows = await place.execute(
    `select t.name as "table", c.name as "column", lower(c.type) as type, c."notnull" as required from sqlite_master t join pragma_table_info(t.name) c where t.type = 'table' and t.name not like 'sqlite_%'`,
  );
  return rows.map(({ table, column, type, required }) => ({
    table: String(table),
    column: String(column),
    type: String(type),
    nullable: required === 0,
  }));
}

export async function readPostgresColumns(place: StorePlace): Promise<readonly Column[]> {
  const rows = await place.execute(
    `select table_name as "table", column_name as "column", data_type || coalesce(' ' || collation_name, '') as type, is_nullable from information_schema.columns where table_schema = current_schema()`,
  );
  return rows.map(({ table, column, type, is_nullable }) => ({
    table: String(table),
    column: String(column),
    type: String(type),
    nullable: is_nullable === 'YES',
  }));
}
