// Loaded before a program: whoever waits for the disk to confirm waits this many milliseconds longer, and each time is
// noted in a file. Nothing else of the program runs meanwhile, as with a real disk.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { SLOW_DISK_MS = '100', SLOW_DISK_NOTES } = process.env;
const confirm = fs.fdatasyncSync;
const cell = new Int32Array(new SharedArrayBuffer(4));
fs.fdatasyncSync = (file) => {
  Atomics.wait(cell, 0, 0, Number(SLOW_DISK_MS));
  confirm(file);
  if (SLOW_DISK_NOTES !== undefined) fs.appendFileSync(SLOW_DISK_NOTES, '.');
};
syncBuiltinESMExports();
