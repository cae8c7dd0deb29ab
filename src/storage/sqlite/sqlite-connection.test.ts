import { DatabaseSync } from '@photostructure/sqlite';
import { describe, expect, test } from 'vitest';
import { SqliteConnection } from './sqlite-connection.js';

function failing(errcode: number): () => never {
  return () => {
    throw Object.assign(new Error('it failed'), { code: 'ERR_SQLITE_ERROR', errcode });
  };
}

function open(): SqliteConnection {
  const connection = new SqliteConnection(new DatabaseSync(':memory:'));
  connection.exec('create table t (id integer primary key)');
  return connection;
}

describe('a connection', () => {
  test.each([
    ['F16: fsync of the file', 1034],
    ['F16: fsync of the folder', 1290],
    ['corrupt', 11],
    ['corrupt index', 779],
    ['not a database', 26],
  ])('is not used again after: %s', (_, errcode) => {
    const connection = open();
    expect(() => connection.attempt(failing(errcode))).toThrow(
      expect.objectContaining({ code: 'storage_unavailable' }),
    );
    let ran = false;
    const work = () => {
      ran = true;
    };
    expect(() => connection.attempt(work)).toThrow(expect.objectContaining({ code: 'storage_unavailable' }));
    expect(() => connection.atomically(work)).toThrow(
      expect.objectContaining({ code: 'storage_unavailable' }),
    );
    expect(() => connection.prepare('select 1')).toThrow(
      expect.objectContaining({ code: 'storage_unavailable' }),
    );
    expect(ran).toBe(false);
    connection.close();
    connection.close();
  });

  test('is not used again after another one to its file could not have a write confirmed', () => {
    const connection = open();
    const failure = (errcode: number) => Object.assign(new Error(), { code: 'ERR_SQLITE_ERROR', errcode });
    connection.noteFailure(failure(13));
    connection.exec('insert into t values (1)');
    connection.noteFailure(failure(1034));
    expect(() => connection.exec('insert into t values (2)')).toThrow(
      expect.objectContaining({ code: 'storage_unavailable' }),
    );
    connection.close();
  });

  test.each([
    ['a full disk', 13, 'storage_unavailable'],
    ['a write error', 778, 'storage_unavailable'],
    ['a lock', 5, 'storage_unavailable'],
    ['a conflict', 1555, 'conflict'],
  ])('goes on after %s', (_, errcode, code) => {
    const connection = open();
    expect(() => connection.attempt(failing(errcode))).toThrow(expect.objectContaining({ code }));
    connection.exec('insert into t values (1)');
    expect(connection.pragma('page_count')).toBeGreaterThan(0);
  });

  test('does all of a piece of work or nothing', () => {
    const connection = open();
    const count = () =>
      (connection.prepare('select count(*) as count from t').get() as { count: number }).count;
    connection.atomically(() => connection.exec('insert into t values (1)'));
    const second = () =>
      connection.atomically(() => {
        connection.exec('insert into t values (2)');
        connection.exec('insert into t values (1)');
      });
    expect(second).toThrow(expect.objectContaining({ code: 'conflict' }));
    expect(connection.inTransaction).toBe(false);
    expect(count()).toBe(1);
    connection.close();
    expect(connection.inTransaction).toBe(false);
  });
});
